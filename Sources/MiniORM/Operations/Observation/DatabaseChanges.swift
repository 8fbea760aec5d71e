import Synchronization

/// The rows changed by commits, grouped by table, for example to update an index or a cache.
///
/// ```swift
/// for await changes in database.changes() {
///   for table in changes.tables { refresh(table.table, table.rows.map(\.rowID)) }
/// }
/// ```
/// The sequence contains every commit made through the ``Database`` since the creation of the
/// iterator. Commits that the loop has not received yet are combined. To bound the memory use,
/// ``TableChanges/isComplete`` is `false` if more than 10,000 rows of a table have changed.
///
/// The sequence ends when the task is cancelled, when the time limit of ``withTimeLimit(_:_:)`` is
/// over, or when the database is closed and all earlier commits have been received. A copy of an
/// iterator begins with the pending commits, and continues independently.
public struct DatabaseChanges: AsyncSequence, Sendable {
  let database: Database
  let table: SchemaTable?

  /// Creates an iterator and subscribes to commits.
  @_documentation(visibility: internal)
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(mailbox: ChangeMailbox(database.observationHub.subscribers, table), database)
  }

  /// An iterator over commits. A copy of an iterator begins with the pending commits, and continues
  /// independently.
  @_documentation(visibility: internal)
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var mailbox: ChangeMailbox
    private let database: Database

    init(mailbox: ChangeMailbox, _ database: Database) {
      (self.mailbox, self.database) = (mailbox, database)
    }

    /// Returns the changes of the next commit, or of all commits since the last call.
    /// - Returns: The changes; `nil` if the task is cancelled, the database is closed, or the time
    ///   limit of ``withTimeLimit(_:_:)`` is over.
    public mutating func next() async -> CommittedChanges? { await next(isolation: #isolation) }

    /// Returns the changes of the next commit, or of all commits since the last call.
    /// - Parameter actor: The caller's isolation.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> CommittedChanges? {
      if !isKnownUniquelyReferenced(&mailbox) { mailbox = ChangeMailbox(copying: mailbox) }
      return await mailbox.next(.current)
    }
  }
}

extension Database {
  /// Returns the rows changed by commits, grouped by table.
  ///
  /// SQLite does not report the rows of tables WITHOUT ROWID and virtual tables, rows deleted by
  /// REPLACE, and rows with a changed primary key. ``TableChanges/isComplete`` is then `false`.
  /// While changes are observed, `DELETE` without `WHERE` deletes row by row, which is slower.
  ///
  /// See [sqlite3_update_hook](https://www.sqlite.org/c3ref/update_hook.html).
  /// - Returns: A sequence that begins when its iterator is created.
  public func changes() -> DatabaseChanges { DatabaseChanges(database: self, table: nil) }
}

extension Table {
  /// Returns the committed changes of the model's table, regardless of this query's conditions. See
  /// ``Database/changes()``.
  /// - Returns: A sequence that begins when its iterator is created. Commits that may have changed
  ///   anything are included.
  public func changes(in database: Database) -> DatabaseChanges {
    let table = SchemaTable(
      schema: schema.database?.folded.string ?? "main", table: schema.name.folded.string)
    return DatabaseChanges(database: database, table: table)
  }
}

/// The commits that an iterator has not received yet.
final class ChangeMailbox: Sendable {
  fileprivate struct State {
    var pending = CommittedChanges()
    var waiting: CheckedContinuation<Void, Never>?
    var isOver = false
  }
  private let state: Box
  private let subscribers: ChangeSubscribers
  private let table: SchemaTable?
  private let id: Int?

  /// The subscribers retain only this part, so that the mailbox ends with its iterator.
  fileprivate final class Box: Sendable {
    let state = Mutex(State())

    func change(_ body: (inout State) -> Void) {
      let waiting = state.withLock { state in
        body(&state)
        defer { state.waiting = nil }
        return state.waiting
      }
      waiting?.resume()
    }
  }

  init(_ subscribers: ChangeSubscribers, _ table: SchemaTable?) {
    (self.subscribers, self.table) = (subscribers, table)
    let box = Box()
    state = box
    id = subscribers.insert { changes in
      guard let changes else { return box.change { $0.isOver = true } }
      let wanted = table.map { changes.only($0) } ?? changes
      if !wanted.isEmpty { box.change { $0.pending.append(wanted) } }
    }
    if id == nil { box.change { $0.isOver = true } }
  }

  convenience init(copying other: ChangeMailbox) {
    self.init(other.subscribers, other.table)
    let pending = other.state.state.withLock { $0.pending }
    state.change { state in
      var all = pending
      all.append(state.pending)
      state.pending = all
    }
  }

  deinit { if let id { subscribers.remove(id) } }

  func next(_ limit: TimeLimit?) async -> CommittedChanges? {
    let timer = limit?.timer { [state] in state.change { _ in } }
    defer { timer?.cancel() }
    let isOver = { limit?.isOver ?? false }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.state.withLock { state in
          guard state.pending.isEmpty, !state.isOver, !Task.isCancelled, !isOver() else {
            return true
          }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.change { _ in }
    }
    return state.state.withLock { state in
      // Return commits from before the closing first.
      guard !(state.pending.isEmpty && (state.isOver || isOver())), !Task.isCancelled else {
        return nil
      }
      defer { state.pending = CommittedChanges() }
      return state.pending
    }
  }
}

extension CommittedChanges {
  fileprivate func only(_ table: SchemaTable) -> CommittedChanges {
    var changes = self
    changes.tables.removeAll { $0.name != table }
    return changes
  }
}

extension TableChanges {
  fileprivate var name: SchemaTable {
    SchemaTable(schema: database.folded.string, table: table.folded.string)
  }
}
