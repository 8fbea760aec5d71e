import Synchronization

/// What is committed, by table and row: for those who keep an index, a cache or a web socket.
///
/// ```swift
/// for await changes in database.changes() {
///   for table in changes.tables { refresh(table.table, table.rows.map(\.rowID)) }
/// }
/// ```
/// Every commit that is made through the ``Database`` is there, from the moment at which the iterator is made;
/// what is rolled back is not. Commits that nobody has taken yet are put together, and more than 10,000
/// rows of a table become ``TableChanges/isComplete`` `false`, so that nothing grows without bound.
///
/// The sequence ends when its task is cancelled, and when the database is closed and all that was committed
/// before has been told.
public struct DatabaseChanges: AsyncSequence, Sendable {
  let database: Database
  /// The one table that is asked for.
  let table: SchemaTable?

  /// Begins to take notice of commits.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(mailbox: ChangeMailbox(database.observationHub.subscribers, table), database)
  }

  /// Gives the commits of one iteration.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let mailbox: ChangeMailbox
    private let database: Database

    init(mailbox: ChangeMailbox, _ database: Database) {
      (self.mailbox, self.database) = (mailbox, database)
    }

    /// The next commit, or those that have been made since the last one was taken.
    /// - Returns: The changes; `nil` when the task is cancelled or the database is closed.
    public mutating func next() async -> CommittedChanges? { await mailbox.next() }

    /// The next commit, or those that have been made since the last one was taken.
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The changes; `nil` when the task is cancelled or the database is closed.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> CommittedChanges? {
      await mailbox.next()
    }
  }
}

extension Database {
  /// What is committed from now on, by table and row.
  ///
  /// SQLite tells of each row of a table that has rowids. Of a table WITHOUT ROWID, of a virtual table, of rows
  /// that REPLACE deletes, and where a primary key is changed it does not: ``TableChanges/isComplete`` is `false`
  /// then. While somebody takes notice, `DELETE` without `WHERE` takes each row by itself, as it does with one.
  ///
  /// See [sqlite3_update_hook](https://www.sqlite.org/c3ref/update_hook.html).
  /// - Returns: A sequence that begins when its iterator is made.
  public func changes() -> DatabaseChanges { DatabaseChanges(database: self, table: nil) }
}

/// Keeps what one has not taken yet.
final class ChangeMailbox: Sendable {
  fileprivate struct State {
    var pending = CommittedChanges()
    var waiting: CheckedContinuation<Void, Never>?
    var isOver = false
  }
  private let state: Box
  private let subscribers: ChangeSubscribers
  private let id: Int?

  /// What the subscribers hold: the mailbox itself goes with the iterator.
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
    self.subscribers = subscribers
    let box = Box()
    state = box
    id = subscribers.insert { changes in
      guard let changes else { return box.change { $0.isOver = true } }
      let wanted = table.map { changes.only($0) } ?? changes
      if !wanted.isEmpty { box.change { $0.pending.append(wanted) } }
    }
    if id == nil { box.change { $0.isOver = true } }
  }

  deinit { if let id { subscribers.remove(id) } }

  func next() async -> CommittedChanges? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.state.withLock { state in
          guard state.pending.isEmpty, !state.isOver, !Task.isCancelled else { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.change { _ in }
    }
    return state.state.withLock { state in
      // What was committed before the database was closed is told first.
      guard !(state.isOver && state.pending.isEmpty), !Task.isCancelled else { return nil }
      defer { state.pending = CommittedChanges() }
      return state.pending
    }
  }
}

extension CommittedChanges {
  /// What concerns one table.
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
