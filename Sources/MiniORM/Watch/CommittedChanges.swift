/// The changes of one or more commits, in their order.
public struct CommittedChanges: Sendable, Equatable {
  /// The tables with changed rows.
  public internal(set) var tables: [TableChanges] = []
  /// Whether anything may have changed, because the schema has changed, a file was attached or detached, or
  /// another process has changed the file. Read everything again then; ignore ``tables``.
  public internal(set) var isEverything = false

  static let everything = {
    var changes = CommittedChanges()
    changes.isEverything = true
    return changes
  }()

  /// How many rows are kept of a table for somebody who does not take them.
  static let limit = 10_000

  var isEmpty: Bool { tables.isEmpty && !isEverything }

  /// Adds what was committed later.
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
  /// The database of the table: `main`, or the name of an attached one.
  public let database: String
  /// The table's name.
  public let table: String
  /// The rows, in the order in which they were changed; one can be there several times.
  public internal(set) var rows: [RowChange]
  /// Whether ``rows`` are exactly the rows that have changed. If not, read the table again.
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

/// A row that has changed.
public struct RowChange: Sendable, Equatable {
  /// What became of it.
  public enum Kind: String, Sendable {
    /// It was inserted.
    case insert
    /// Some of its values were changed.
    case update
    /// It was deleted.
    case delete
  }

  /// What became of it.
  public let kind: Kind
  /// Its rowid, which is the primary key if that is an integer.
  public let rowID: Int64
}
