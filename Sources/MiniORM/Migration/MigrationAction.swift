/// One thing that a migration does to a file.
enum MigrationAction: Sendable {
  /// A statement of MiniORM's own, and whether rows may lose their parents by it while foreign keys
  /// are off.
  case sql(String, movesRows: Bool = false)
  /// Statements of the user's.
  case script(String)
  /// Refuses to go on while there are rows for which something is true.
  case refuse(table: String, [Obstacle])
  /// Copies the rows of a table that is being rebuilt.
  case copy(TableCopy)
  case backfill(String, @Sendable (ResultRow) throws -> [String: any ColumnValue])
  case run(@Sendable (isolated Connection) throws -> Void)

  /// Rows that cannot be kept as they are.
  struct Obstacle: Sendable {
    /// The condition that finds them.
    let condition: String
    let column: String
    /// What one of them does, and what several do.
    let verb: (one: String, many: String)
    /// What is said of them, after their number and the verb.
    let message: String
    let code: ResultCode
    /// Whether copying such a row fails, so that the rows need not be looked through before.
    var stopsCopy = false
  }

  /// Whether rows may lose their parents by it while foreign keys are off. Looking for them reads
  /// every row that has a parent.
  var movesRows: Bool {
    switch self {
    case .copy, .script, .run, .backfill: true
    case .sql(_, let movesRows): movesRows
    case .refuse: false
    }
  }

  /// The SQL, for a person to read.
  var text: String {
    switch self {
    case .sql(let sql, _), .script(let sql): sql
    case .refuse(let table, let obstacles):
      "-- none of these may hold for a row of \(table): "
        + obstacles.map(\.condition).joined(separator: "; ")
    case .copy(let copy): copy.sql
    case .backfill(let table, _): "-- a closure fills in the rows of \(table)"
    case .run: "-- a closure runs here"
    }
  }
}

/// The rows of one table, to be inserted into another.
struct TableCopy: Sendable {
  let source: String
  let target: String
  /// Each column of the target with the SQL that gives its value.
  let columns: [(name: String, value: String)]
  /// The rowid of the source, by which the rows are copied a part at a time; nil without rowids.
  let rowID: String?
  /// Whether rows are deleted from the source once they are copied, so that its pages take the next
  /// ones: dropping the table would write every page of it once more, and the file would grow.
  let emptiesSource: Bool
  /// What may be the reason where copying fails.
  let obstacles: [MigrationAction.Obstacle]

  var sql: String {
    let names = columns.map(\.name).joined(separator: ", ")
    let values = columns.map(\.value).joined(separator: ", ")
    return "INSERT INTO \(target.quotedIdentifier) (\(names)) "
      + "SELECT \(values) FROM \(source.quotedIdentifier)"
  }
}
