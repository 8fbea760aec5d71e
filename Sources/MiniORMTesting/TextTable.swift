import Foundation
public import MiniORM
public import Testing

/// Compares the SQL and the rows of a query with a text.
///
/// ```swift
/// try await expect(Table<Chore>().where { $0.id > 1 }, in: database) {
///   """
///   SELECT "id", "title", "due"
///   FROM "chore"
///   WHERE ("chore"."id" > ?)
///
///   id  title    due
///   --  -------  -----------------------
///    2  'Read'   2026-11-28 10:00:00.000
///    3  'Write'  NULL
///   """
/// }
/// ```
/// Begin with an empty text: the failure prints the text to paste. Texts are in quotation marks, and
/// `NULL` is not. A column with the name of a date column of the statement's tables is written as a
/// date in UTC.
/// - Parameters:
///   - query: The query.
///   - database: The database.
///   - sourceLocation: The place of a failure: by default, the call.
///   - expected: Returns the SQL, an empty line, and the table. White space at the ends of lines is
///     ignored.
/// - Throws: ``DatabaseError`` if the query cannot be run.
public func expect(
  _ query: some SelectStatement, in database: Database,
  sourceLocation: SourceLocation = #_sourceLocation, _ expected: () -> String
) async throws {
  let sql = query.sql
  let table = try await database.read { db in try TextTable(sql, db) }
  let text = "\(TextTable.broken(sql.text))\n\n\(table)".lines.joined(separator: "\n")
  let wanted = expected()
  guard wanted.lines != text.lines else { return }
  // A backslash of the text is two in the source of a test.
  fail(
    "The query has another result. The changed lines:\n\(wanted.difference(to: text))\n\n"
      + "The new text:\n\(text.replacing("\\", with: "\\\\"))", sourceLocation)
}

extension Database {
  /// Returns the rows of all tables as text tables, for debugging.
  ///
  /// ```swift
  /// print(try await database.dump())
  /// ```
  /// - Throws: ``DatabaseError`` if the file cannot be read.
  /// - Complexity: O(*n*) in the number of values.
  public func dump() async throws -> String {
    try await read { db in
      try StoredTables(db).sorted.map { table in
        let formats = table.columns.map { table.formats[$0.key] }
        let names = table.columns.map(\.name)
        return "\(table.name)\n\n\(TextTable(names: names, rows: table.rows, formats: formats))"
      }.joined(separator: "\n\n")
    }
  }
}

struct TextTable: CustomStringConvertible {
  let names: [String]
  let rows: [[DatabaseValue]]
  /// The formats of the columns, nil if unknown.
  let formats: [ColumnFormat?]

  private typealias Cell = (text: String, isNumber: Bool)

  var description: String {
    let cells = rows.map { zip($0, formats).map { Self.cell($0, $1) } }
    let widths = names.indices.map { column in
      max(names[column].count, cells.map { $0[column].text.count }.max() ?? 0)
    }
    func line(_ cells: [Cell]) -> String {
      zip(cells, widths).map { cell, width in
        let space = String(repeating: " ", count: width - cell.text.count)
        return cell.isNumber ? space + cell.text : cell.text + space
      }.joined(separator: "  ")
    }
    let rule = widths.map { Cell(String(repeating: "-", count: $0), false) }
    let all = ([names.map { Cell($0, false) }, rule] + cells).map(line)
    return all.joined(separator: "\n").lines.joined(separator: "\n")
  }

  private static func cell(_ value: DatabaseValue, _ format: ColumnFormat?) -> Cell {
    let kinds: [ColumnFormat.Kind] = [
      .date, .iso8601, .unixSeconds, .unixSecondsReal, .unixMilliseconds,
    ]
    if let format, kinds.contains(format.kind) {
      let date = ColumnFormat(of: Date.self)
      let shown = format == date ? value : format.convert(value, to: date)
      if case .text(let text)? = shown { return (text, false) }
    }
    if case .text = value { return (value.short, false) }
    return (value.description, value.plain != nil)
  }

  /// Returns SQL of MiniORM with a line per clause.
  static func broken(_ sql: String) -> String {
    ["FROM", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "UNION"].reduce(sql) {
      $0.replacing(" \($1) ", with: "\n\($1) ")
    }
  }
}

extension TextTable {
  fileprivate init(_ sql: SQL, _ db: isolated Connection) throws {
    let named = Set(SQLToken.all(in: sql.text).filter(\.isName).map(\.text))
    var formats: [ExactText: ColumnFormat] = [:]
    for (table, columns) in try db.recordedFormats() where named.contains(table) {
      for (column, format) in columns { formats[column] = ColumnFormat(name: format) }
    }
    var (names, rows): ([String], [[DatabaseValue]]) = ([], [])
    try db.forEachRow(of: sql, names: { names = $0 }, row: { rows.append($0) })
    self.init(names: names, rows: rows, formats: names.map { formats[$0.folded] })
  }
}
