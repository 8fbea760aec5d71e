/// A change that gives back something of each row that it changed.
///
/// ```swift
/// let names: [String] = try await companies.where { $0.size == 0 }
///   .delete().returning { $0.name }.fetchAll(in: database)
/// ```
///
/// An inserted or updated row is given as it is stored, without what triggers that run after it do to
/// it; a deleted one as it was. Rows that are left out by `.or(.ignore)` or by a conflict are not
/// given. Their order is SQLite's own. See [RETURNING](https://www.sqlite.org/lang_returning.html).
public struct Returning<Output: Sendable>: _NotRun {
  let parts: [SQL]
  let resolution: ConflictResolution?
  let problem: DatabaseError?
  let reader: RowReader<Output>
  /// The table that is written to.
  let table: String

  init<T>(_ statement: ChangeStatement<T>, _ columns: [ResultColumn], _ reader: RowReader<Output>) {
    let list = SQL.joined(columns.map { $0.definition(isNamed: false) }, separator: ", ")
    parts = statement.parts.map { $0.appending(SQL(raw: " RETURNING "), list) }
    (resolution, problem) = (statement.resolution, statement.problem)
    self.reader = reader
    table = T.schema.name
  }

  /// The SQL and the values bound to it, without running it; empty where there is nothing to do.
  public var sql: SQL { .joined(parts.map(\.statement), separator: "; ") }

  /// A failure to prepare, with what RETURNING is able to give.
  func explaining(_ error: DatabaseError) -> DatabaseError {
    guard error.operation == .prepare else { return error }
    if error.message.startsWithBytes(of: "misuse of ") {
      return error.adding(
        message: "returning gives values of one changed row, and nothing of several rows")
    }
    if error.message.startsWithBytes(of: "no such column") {
      return error.adding(message: "returning can name the columns of \(table) only")
    }
    return error
  }
}

extension Change {
  /// Gives back the changed rows.
  public func returning() -> Returning<Changed> { returning { $0 } }

  // Of expressions, and of whatever can be selected, as in ``From``: for the compiler's time.

  /// Gives back a value of each changed row.
  /// - Parameter projection: A closure from the columns to an expression. It can name neither other
  ///   tables nor aggregates.
  public func returning<Value: Sendable>(
    _ projection: (Changed.Columns) -> SQLExpression<Value>
  ) -> Returning<Value> { returningPart(projection) }

  /// Gives back something of each changed row: a ``Selection`` or the row.
  /// - Parameter projection: A closure from the columns to `Columns` of a `@Selection`, or to the
  ///   columns as they are. It can name neither other tables nor aggregates.
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

  /// Gives back a tuple of values of each changed row.
  /// - Parameter projection: A closure from the columns to a tuple of expressions. It can name neither
  ///   other tables nor aggregates.
  public func returning<First: Sendable, Second: Sendable, each Rest: Sendable>(
    _ projection: (Changed.Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> Returning<(First, Second, repeat each Rest)> { returningTuple(projection) }

  /// Gives back a tuple of each changed row.
  /// - Parameter projection: A closure from the columns to a tuple of expressions and of the columns
  ///   as they are. It can name neither other tables nor aggregates.
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
