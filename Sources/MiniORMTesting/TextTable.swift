import Foundation
public import MiniORM
public import Testing

/// Compares the SQL and the rows of a query with a text.
///
/// ```swift
/// try await expect(Table<Chore>().where { $0.isDone }, in: database) {
///   """
///   SELECT "id", "title", "due"
///   FROM "chore"
///   WHERE "chore"."isDone"
///
///   id  title    due
///   --  -------  -------------------
///    2  'Read'   2026-11-28 10:00:00
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
  let table = try await database.read { db in try db.textTable(of: sql) }
  let text = "\(TextTable.broken(sql.text))\n\n\(table)"
  let wanted = expected()
  guard wanted.lines != text.lines else { return }
  fail(
    "The query has another result. The changed lines:\n\(wanted.difference(to: text))\n\n"
      + "The new text:\n\(text)", sourceLocation)
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
        let formats = Dictionary(
          table.formats.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let text = TextTable(
          names: table.columns.map(\.name), rows: table.rows,
          formats: table.columns.map { formats[$0.key] })
        return "\(table.name)\n\n\(text)"
      }.joined(separator: "\n\n")
    }
  }
}

struct TextTable: CustomStringConvertible {
  let names: [String]
  let rows: [[DatabaseValue]]
  /// The formats of the columns, nil if unknown.
  let formats: [ColumnFormat?]

  var description: String {
    let cells = rows.map { row in
      zip(row, formats).map { value, format in Self.cell(value, format) }
    }
    let widths = names.indices.map { column in
      max(names[column].count, cells.map { $0[column].text.count }.max() ?? 0)
    }
    func line(_ texts: [(text: String, isNumber: Bool)]) -> String {
      var line = zip(texts, widths).map { cell, width in
        let space = String(repeating: " ", count: width - cell.text.count)
        return cell.isNumber ? space + cell.text : cell.text + space
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
    let rule = widths.map { (String(repeating: "-", count: $0), false) }
    return ([line(names.map { ($0, false) }), line(rule)] + cells.map(line)).joined(
      separator: "\n")
  }

  private static func cell(_ value: DatabaseValue, _ format: ColumnFormat?) -> (
    text: String, isNumber: Bool
  ) {
    let date: Date? =
      switch format?.kind {
      case .date, .iso8601: try? value.value(as: Date.self)
      case .unixSeconds: try? value.value(as: UnixSeconds.self).value
      case .unixMilliseconds: try? value.value(as: UnixMilliseconds.self).value
      case .unixSecondsReal: try? value.value(as: UnixSecondsReal.self).value
      default: nil
      }
    if let date, case .text(let text)? = try? DatabaseValue(storing: date) { return (text, false) }
    return switch value {
    case .integer, .real: (value.description, true)
    default: (value.short, false)
    }
  }

  private static let clauses: Set<ExactText> = [
    "from", "where", "group", "having", "order", "limit", "union", "intersect", "except", "join",
    "left", "inner", "cross",
  ]

  /// Returns SQL with a line per clause.
  static func broken(_ sql: String) -> String {
    let bytes = Array(sql.utf8)
    var (text, start, depth) = ("", 0, 0)
    var previous: ExactText = ""
    for token in SQLToken.all(in: sql) {
      if token.isSymbol("(") { depth += 1 }
      if token.isSymbol(")") { depth -= 1 }
      let continues = token.isKeyword("join") && ["left", "inner", "cross"].contains(previous)
      if depth == 0, token.kind == .word, Self.clauses.contains(token.text), !continues {
        text += String(decoding: bytes[start..<token.range.lowerBound], as: UTF8.self) + "\n"
        start = token.range.lowerBound
      }
      previous = token.text
    }
    return text + String(decoding: bytes[start...], as: UTF8.self)
  }
}

extension Connection {
  fileprivate func textTable(of sql: SQL) throws -> TextTable {
    let named = Set(SQLToken.all(in: sql.text).filter(\.isName).map(\.text))
    var formats: [ExactText: ColumnFormat] = [:]
    for (table, columns) in try recordedFormats() where named.contains(table) {
      for (column, format) in columns { formats[column] = ColumnFormat(name: format) }
    }
    var (names, rows): ([String], [[DatabaseValue]]) = ([], [])
    try forEachRow(of: sql, names: { names = $0 }, row: { rows.append($0) })
    return TextTable(names: names, rows: rows, formats: names.map { formats[$0.folded] })
  }
}

extension DatabaseValue {
  /// The value in a message, without quotation marks.
  var plainText: String { if case .text(let text) = self { text } else { description } }
}
