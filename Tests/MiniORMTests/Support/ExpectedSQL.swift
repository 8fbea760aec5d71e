import Testing

@testable import MiniORM

// What tests expect of SQL: its text, laid out as one would write it, its values and what it does.

/// Asserts the text of SQL and its values.
private func expectSQL(
  _ sql: SQL, _ text: String, _ values: [DatabaseValue], _ sourceLocation: SourceLocation
) throws {
  #expect(sql.text == text.onOneLine, sourceLocation: sourceLocation)
  #expect(try sql.values == values, sourceLocation: sourceLocation)
}

/// Asserts the SQL, the values and the rows of a query. Rows are compared as text, because tuples
/// are not Equatable.
func expect<Q: SelectStatement>(
  _ query: Q, _ sql: String, _ values: [DatabaseValue] = [], rows: [Q.Output],
  in database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try expectSQL(query.sql, sql, values, sourceLocation)
  let found = try await query.fetchAll(in: database)
  #expect("\(found)" == "\(rows)", sourceLocation: sourceLocation)
}

/// Asserts the SQL of a change, its values, and how many rows it changes.
func expect(
  _ change: some Change, _ sql: String, _ values: [DatabaseValue] = [], changes: Int,
  in database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try expectSQL(change.sql, sql, values, sourceLocation)
  #expect(try await change.run(in: database) == changes, sourceLocation: sourceLocation)
}

/// Asserts the SQL of a change that returns something, its values, and what it returns.
func expect<Output>(
  _ returning: Returning<Output>, _ sql: String, _ values: [DatabaseValue] = [], rows: [Output],
  in database: Database, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  try expectSQL(returning.sql, sql, values, sourceLocation)
  let found = try await returning.fetchAll(in: database)
  #expect("\(found)" == "\(rows)", sourceLocation: sourceLocation)
}

extension Database {
  /// Asserts the SQL of an expression, its values, and what it gives for the rows of a table.
  /// - Parameters:
  ///   - expression: The expression.
  ///   - sql: Its text.
  ///   - values: Its values, read as its type, a row each.
  ///   - bindings: What is bound to its parameters.
  ///   - from: What follows SELECT and the expression.
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
  /// SQL that is written on several lines, on one: the end of a line with the white space around it is a
  /// space, unless it stands in quotation marks.
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
