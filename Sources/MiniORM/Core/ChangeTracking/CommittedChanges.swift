import Synchronization

/// The changes of one or more commits, in order, from ``Database/changes()``.
public struct CommittedChanges: Sendable, Equatable {
  /// The tables with changed rows.
  public internal(set) var tables: [TableChanges] = []
  /// True if any content may have changed: the schema has changed, a file was attached or detached,
  /// or another process has changed the file. Then read everything again, and ignore ``tables``.
  public internal(set) var isEverything = false

  static let everything = CommittedChanges(isEverything: true)

  /// The limit of rows per table, kept for a slow subscriber.
  static let limit = 10_000

  var isEmpty: Bool { tables.isEmpty && !isEverything }

  mutating func append(_ later: CommittedChanges) {
    isEverything = isEverything || later.isEverything
    guard !isEverything else { return tables = [] }
    for changes in later.tables {
      if let index = tables.firstIndex(where: { $0.isSame(as: changes) }) {
        tables[index].append(changes)
      } else {
        tables.append(changes)
      }
    }
  }
}

/// The changes of a table.
public struct TableChanges: Sendable, Equatable {
  /// The schema name of the table: `main`, or the name of an attached database.
  public let database: String
  /// The table's name.
  public let table: String
  /// The rows in the order of the changes. A row can appear several times.
  public internal(set) var rows: [RowChange]
  /// True if ``rows`` lists exactly the changed rows. If false, read the table again.
  public internal(set) var isComplete: Bool

  fileprivate func isSame(as other: TableChanges) -> Bool {
    database.hasSameBytes(as: other.database) && table.hasSameBytes(as: other.table)
  }

  fileprivate mutating func append(_ later: TableChanges) {
    rows += later.rows
    isComplete = isComplete && later.isComplete
    guard rows.count > CommittedChanges.limit else { return }
    (rows, isComplete) = ([], false)
  }
}

/// A changed row.
public struct RowChange: Sendable, Equatable {
  /// The kind of change.
  public enum Kind: String, Sendable {
    /// The row was inserted.
    case insert
    /// The row was updated.
    case update
    /// The row was deleted.
    case delete
  }

  /// The kind of change.
  public let kind: Kind
  /// The rowid of the row. An integer primary key is the rowid.
  public let rowID: Int64
  /// The columns that the statement and its triggers assigned, sorted; empty unless the row was
  /// updated.
  ///
  /// ``Table/update(_:from:in:)-(_,_,Connection)`` assigns only the columns that differ.
  public internal(set) var columns: [String] = []
}

final class ChangeSubscribers: Sendable {
  private struct State {
    var mailboxes: [Int: @Sendable (CommittedChanges?) -> Void] = [:]
    var lastID = 0
    var isClosed = false
  }
  private let state = Mutex(State())
  private let count = Atomic(0)

  var isWanted: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

  /// Returns nil if the database is closed.
  /// - Parameter deliver: Receives changes; nil for the end.
  func insert(_ deliver: @escaping @Sendable (CommittedChanges?) -> Void) -> Int? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastID += 1
      state.mailboxes[state.lastID] = deliver
      count.add(1, ordering: .sequentiallyConsistent)
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    let removed = state.withLock { $0.mailboxes.removeValue(forKey: id) }
    if removed != nil { count.subtract(1, ordering: .sequentiallyConsistent) }
  }

  func publish(_ changes: CommittedChanges) {
    for deliver in state.withLock({ Array($0.mailboxes.values) }) { deliver(changes) }
  }

  func setClosed(_ isClosed: Bool) {
    let ended = state.withLock { state in
      state.isClosed = isClosed
      return isClosed ? Array(state.mailboxes.values) : []
    }
    for deliver in ended { deliver(nil) }
  }
}
