/// A change that returns a result for each changed row.
///
/// ```swift
/// let names: [String] = try await companies.where { $0.size == 0 }
///   .delete().returning { $0.name }.fetchAll(in: database)
/// ```
///
/// For an inserted or updated row, the result is the row as stored, before any AFTER trigger
/// changes it. For a deleted row, the result is the row before deletion. Rows that `.or(.ignore)`
/// or a conflict clause skips give no result. The order is unspecified. See
/// [RETURNING](https://www.sqlite.org/lang_returning.html).
public struct Returning<Output: Sendable>: _NotRun {
  let content: ChangeContent
  let reader: RowReader<Output>
  let table: String

  init<T>(_ statement: ChangeStatement<T>, _ columns: [ResultColumn], _ reader: RowReader<Output>) {
    let list = SQL.joined(columns.map { $0.definition(isNamed: false) }, separator: ", ")
    content = ChangeContent(
      parts: statement.parts.map { $0.appending(SQL(raw: " RETURNING "), list) },
      resolution: statement.resolution, problem: statement.problem ?? statement.returningProblem)
    self.reader = reader
    table = T.schema.name
  }

  /// The SQL and the bound values. Empty if there is nothing to do.
  public var sql: SQL { content.sql }

  func explaining(_ error: DatabaseError) -> DatabaseError {
    guard error.operation == .prepare else { return error }
    if error.message.startsWithBytes(of: "misuse of ") {
      return error.adding(
        message:
          "RETURNING reads a single changed row, so it cannot use aggregates or window functions: compute them from the returned rows"
      )
    }
    if error.message.startsWithBytes(of: "no such column") {
      return error.adding(
        message: "RETURNING can name only columns of \(table): read other tables in a query")
    }
    return error
  }
}

extension Change {
  /// Returns the change, with the changed rows as the result.
  public func returning() -> Returning<Changed> { returning { $0 } }

  // Separate overloads for expressions and for other selections reduce compile time.

  /// Returns the change, with a value of each changed row as the result.
  ///
  /// The value cannot be an aggregate, and cannot use columns of other tables.
  public func returning<Value: Sendable>(
    _ projection: (Changed.Columns) -> SQLExpression<Value>
  ) -> Returning<Value> { returningPart(projection) }

  /// Returns the change, with a ``Selection`` of each changed row, or the whole row, as the result.
  @_disfavoredOverload
  public func returning<Part: Projection>(
    _ projection: (Changed.Columns) -> Part
  ) -> Returning<Part.Projected> where Part.Projected: Sendable { returningPart(projection) }

  private func returningPart<Part: Projection>(
    _ projection: (Changed.Columns) -> Part
  ) -> Returning<Part.Projected> where Part.Projected: Sendable {
    let part = Table<Changed>(scope: nil).calling(projection)
    return Returning(asStatement, Part.resultColumns(part), Part.reader(part))
  }

  /// Returns the change, with a tuple of values of each changed row as the result.
  public func returning<First: Sendable, Second: Sendable, each Rest: Sendable>(
    _ projection: (Changed.Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> Returning<(First, Second, repeat each Rest)> { returningTuple(projection) }

  /// Returns the change, with a tuple of values, models or selections of each changed row as the
  /// result.
  @_disfavoredOverload
  public func returning<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Changed.Columns) -> (First, Second, repeat each Rest)
  ) -> Returning<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    returningTuple(projection)
  }

  private func returningTuple<each Part: Projection>(
    _ projection: (Changed.Columns) -> (repeat each Part)
  ) -> Returning<(repeat (each Part).Projected)> where repeat (each Part).Projected: Sendable {
    let tuple = Table<Changed>(scope: nil).calling { columns in
      let parts = projection(columns)
      return TupleProjection(repeat each parts)
    }
    return Returning(
      asStatement, TupleProjection.resultColumns(tuple), TupleProjection.reader(tuple))
  }
}
