import Testing

@testable import MiniORM

extension Database {
  /// The results of an expression, a value per row.
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
