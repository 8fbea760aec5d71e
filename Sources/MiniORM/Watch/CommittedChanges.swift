/// What one or more commits have changed, in the order in which it was done.
public struct CommittedChanges: Sendable, Equatable {
  /// The tables with changed rows.
  public internal(set) var tables: [TableChanges] = []
  /// Whether anything may have changed: the schema has, a file was attached or detached, or somebody else
  /// has changed the file. Then all that was read is to be read anew, and ``tables`` says nothing.
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

/// What has changed in a table.
public struct TableChanges: Sendable, Equatable {
  /// The database that has the table: `main`, or the name of an attached one.
  public let database: String
  /// The table's name.
  public let table: String
  /// The rows, in the order in which they were changed; one can be there several times.
  public internal(set) var rows: [RowChange]
  /// Whether ``rows`` are all the rows that have changed, and no others. If not, read the table anew.
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
  /// Its rowid: the primary key where that is an integer.
  public let rowID: Int64
}
