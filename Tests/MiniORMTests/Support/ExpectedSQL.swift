import Testing

@testable import MiniORM

// Assertions about SQL: its text over several lines, its bound values and its effect.

/// Asserts the text and the bound values.
private func expectSQL(
  _ sql: SQL, _ text: String, _ values: [DatabaseValue], _ sourceLocation: SourceLocation
) throws {
  #expect(sql.text == text.onOneLine, sourceLocation: sourceLocation)
  #expect(try sql.values == values, sourceLocation: sourceLocation)
}

/// Asserts the SQL, the bound values and the rows of a query. Rows are compared as text, because
/// tuples are not Equatable.
func expect<Q: SelectStatement>(
  _ query: Q, _ sql: String, _ values: [DatabaseValue] = [], rows: [Q.Output],
  in database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try expectSQL(query.sql, sql, values, sourceLocation)
  let found = try await query.fetchAll(in: database)
  #expect("\(found)" == "\(rows)", sourceLocation: sourceLocation)
}

/// Asserts the SQL of a change, the bound values, and the number of changed rows.
func expect(
  _ change: some Change, _ sql: String, _ values: [DatabaseValue] = [], changes: Int,
  in database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try expectSQL(change.sql, sql, values, sourceLocation)
  #expect(try await change.run(in: database) == changes, sourceLocation: sourceLocation)
}

/// Asserts the SQL of a change with RETURNING, the bound values, and the returned rows.
func expect<Output>(
  _ returning: Returning<Output>, _ sql: String, _ values: [DatabaseValue] = [], rows: [Output],
  in database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try expectSQL(returning.sql, sql, values, sourceLocation)
  let found = try await returning.fetchAll(in: database)
  #expect("\(found)" == "\(rows)", sourceLocation: sourceLocation)
}

extension Database {
  /// Asserts the SQL of an expression, the bound values, and the results for the rows of a table.
  /// - Parameters:
  ///   - expression: The expression.
  ///   - sql: The expected text.
  ///   - values: The expected results, a value per row.
  ///   - bindings: The expected bound values.
  ///   - from: The clauses after the result column.
  func expect<Value: Equatable & Sendable>(
    _ expression: MiniORM.SQLExpression<Value>, _ sql: String, _ values: [Value],
    binding bindings: [DatabaseValue] = [], from: SQL = "FROM person ORDER BY id",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try expectSQL(expression.sql, sql, bindings, sourceLocation)
    let found = try await self.values(of: expression, from)
    #expect(found == values, sourceLocation: sourceLocation)
  }
}

extension String {
  /// The SQL on a single line: line breaks with their surrounding white space become a space,
  /// except inside quotes.
  var onOneLine: String {
    var line: [UInt8] = []
    var quote: UInt8?
    var isIndented = false
    for byte in utf8 {
      if isIndented, byte == UInt8(ascii: " ") { continue }
      isIndented = false
      if quote == nil, byte == UInt8(ascii: "\n") {
        while line.last == UInt8(ascii: " ") { line.removeLast() }
        line.append(UInt8(ascii: " "))
        isIndented = true
        continue
      }
      if byte == quote {
        quote = nil
      } else if quote == nil, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(byte) {
        quote = byte
      }
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }
}
