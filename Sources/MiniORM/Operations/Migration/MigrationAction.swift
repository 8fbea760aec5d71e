enum MigrationAction: Sendable {
  /// A statement that MiniORM generates.
  case sql(String, movesRows: Bool = false)
  /// Drops a virtual table. If its module is missing, `remains` drop the shadow tables and the
  /// triggers that use the table.
  case dropVirtualTable(name: String, remains: [String])
  /// Statements of the user.
  case script(String)
  /// Throws if rows match a condition.
  case refuse(table: String, [Obstacle])
  case copy(TableCopy)
  case backfill(String, @Sendable (ResultRow) throws -> [String: any ColumnValue])
  case run(@Sendable (isolated Connection) throws -> Void)
  case note(String)

  /// A kind of row that cannot be kept unchanged, and its error.
  struct Obstacle: Sendable {
    let condition: String
    let column: String
    var verb: (one: String, many: String) = ("holds", "hold")
    let message: String
    let code: ResultCode
    var namesRows = false
  }

  /// True if the action may change rows without triggers, or leave rows without parents. Foreign
  /// keys are then checked, which reads every row that refers to a parent.
  var movesRows: Bool {
    switch self {
    case .copy, .script, .run, .backfill: true
    case .sql(_, let movesRows): movesRows
    case .refuse, .note, .dropVirtualTable: false
    }
  }

  var text: String {
    switch self {
    case .sql(let sql, _), .script(let sql): sql
    case .dropVirtualTable(let name, _): "DROP TABLE \(name.quotedIdentifier)"
    case .refuse(let table, let obstacles):
      "-- none of these may hold for a row of \(table): "
        + obstacles.map(\.condition).joined(separator: "; ")
    case .copy(let copy): copy.sql
    case .backfill(let table, _): "-- a closure fills in the rows of \(table)"
    case .run: "-- a closure runs here"
    case .note(let text): "-- \(text)"
    }
  }
}

struct TableCopy: Sendable {
  let source: String
  let target: String
  let columns: [(name: String, value: String)]
  /// The source's rowid, for copying rows in parts; nil without rowids.
  let rowID: String?
  /// True if copied rows are deleted from the source, so that SQLite reuses their pages and the
  /// file does not grow.
  let emptiesSource: Bool
  /// True if a constraint of the target would skip or replace rows.
  let overridesConflicts: Bool

  var sql: String {
    let names = columns.map(\.name).joined(separator: ", ")
    let values = columns.map(\.value).joined(separator: ", ")
    let verb = overridesConflicts ? "INSERT OR ABORT" : "INSERT"
    return "\(verb) INTO \(target.quotedIdentifier) (\(names)) "
      + "SELECT \(values) FROM \(source.quotedIdentifier)"
  }
}
