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

  init<T>(_ statement: ChangeStatement<T>, _ selected: SelectedColumns<Output>) {
    let list = SQL.joined(selected.columns.map { $0.definition(isNamed: false) }, separator: ", ")
    content = ChangeContent(
      parts: statement.parts.map { $0.appending(SQL(raw: " RETURNING "), list) },
      resolution: statement.resolution, problem: statement.problem ?? statement.returningProblem)
    reader = selected.reader
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

  /// Returns the change, with a result for each changed row: a value, a ``Selection``, the whole
  /// row, or a tuple of these.
  ///
  /// A value cannot be an aggregate, and cannot use columns of other tables.
  public func returning<Output: Sendable>(
    @SelectBuilder _ projection: (Changed.Columns) -> SelectedColumns<Output>
  ) -> Returning<Output> {
    Returning(asStatement, Table<Changed>(scope: nil).calling(projection))
  }

  // For closures with an explicit `return`.

  /// Returns the change, with a value, a ``Selection`` or the whole row as the result.
  @_disfavoredOverload
  public func returning<Part: Projection>(
    _ projection: (Changed.Columns) -> Part
  ) -> Returning<Part.Projected> where Part.Projected: Sendable {
    returning { columns in return SelectedColumns(projection(columns)) }
  }

  /// Returns the change, with a tuple of values, models or selections of each changed row as the
  /// result.
  @_disfavoredOverload
  public func returning<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Changed.Columns) -> (First, Second, repeat each Rest)
  ) -> Returning<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    returning { columns in return SelectedColumns.tuple(columns, projection) }
  }
}
