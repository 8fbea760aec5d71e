/// A single action of a migration on a file.
enum MigrationAction: Sendable {
  /// A statement of MiniORM's own. `movesRows` says whether rows may lose their parents by it while
  /// foreign keys are off.
  case sql(String, movesRows: Bool = false)
  /// The user's own statements.
  case script(String)
  /// Throws if there are rows for which a condition is true.
  case refuse(table: String, [Obstacle])
  /// Copies the rows of a table that is being rebuilt.
  case copy(TableCopy)
  case backfill(String, @Sendable (ResultRow) throws -> [String: any ColumnValue])
  case run(@Sendable (isolated Connection) throws -> Void)
  /// A comment for whoever reads the plan.
  case note(String)

  /// A kind of row that cannot be kept as it is.
  struct Obstacle: Sendable {
    /// The condition that finds the rows.
    let condition: String
    let column: String
    /// The verb for one row, and for several.
    let verb: (one: String, many: String)
    /// The rest of the message, after their number and the verb.
    let message: String
    let code: ResultCode
    /// Whether copying such a row fails, so that the rows need not be examined beforehand.
    var stopsCopy = false
    /// Whether the message names some of the rows.
    var namesRows = false
  }

  /// Whether rows may lose their parents by it while foreign keys are off. Looking for them reads
  /// every row that has a parent.
  var movesRows: Bool {
    switch self {
    case .copy, .script, .run, .backfill: true
    case .sql(_, let movesRows): movesRows
    case .refuse, .note: false
    }
  }

  /// The SQL, for people to read.
  var text: String {
    switch self {
    case .sql(let sql, _), .script(let sql): sql
    case .refuse(let table, let obstacles):
      "-- none of these may hold for a row of \(table): "
        + obstacles.map(\.condition).joined(separator: "; ")
    case .copy(let copy): copy.sql
    case .backfill(let table, _): "-- a closure fills in the rows of \(table)"
    case .run: "-- a closure runs here"
    case .note(let text): "-- \(text)"
    }
  }

  /// The same with what ends a statement.
  var line: String {
    switch self {
    case .script(let script) where script.utf8.last == UInt8(ascii: ";"): script
    case .sql, .script, .copy: text + ";"
    case .refuse, .backfill, .run, .note: text
    }
  }
}

/// The rows of one table, to be inserted into another.
struct TableCopy: Sendable {
  let source: String
  let target: String
  /// Each column of the target with the SQL that gives its value.
  let columns: [(name: String, value: String)]
  /// The rowid of the source, by which the rows are copied in parts; nil without rowids.
  let rowID: String?
  /// Whether rows are deleted from the source once they are copied, so that its pages can be
  /// reused: dropping the table would write each of its pages once more, and the file would grow.
  let emptiesSource: Bool
  /// The possible reasons for a copy to fail.
  let obstacles: [MigrationAction.Obstacle]

  var sql: String {
    let names = columns.map(\.name).joined(separator: ", ")
    let values = columns.map(\.value).joined(separator: ", ")
    return "INSERT INTO \(target.quotedIdentifier) (\(names)) "
      + "SELECT \(values) FROM \(source.quotedIdentifier)"
  }
}
