import Testing

@testable import MiniORM

extension Database {
  /// Expects an expression to have a text and bindings, and values over the rows of a table.
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
    #expect(expression.sql.text == sql, sourceLocation: sourceLocation)
    #expect(try expression.sql.values == bindings, sourceLocation: sourceLocation)
    let found = try await self.values(of: expression, from)
    #expect(found == values, sourceLocation: sourceLocation)
  }

  /// The values of an expression, a row each.
  func values<Value: Sendable>(of expression: MiniORM.SQLExpression<Value>, _ from: SQL)
    async throws
    -> [Value]
  {
    var query: SQL = "SELECT \(expression) "
    query.append(from)
    let complete = query
    return try await read { db in
      let statement = try db.statement(complete)
      var values: [Value] = []
      while try statement.step() {
        values.append(try expression.coding.decode(Cell(statement.pointer, 0)))
      }
      return values
    }
  }
}
