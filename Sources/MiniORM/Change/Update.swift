/// An UPDATE of several rows.
///
/// See [UPDATE](https://www.sqlite.org/lang_update.html).
public struct Update<T: Model>: Change {
  let table: Table<T>
  let assignments: Assignments<T>
  /// The rows of other tables that the update takes from, and the condition that joins them.
  var from: (source: SQL, condition: SQL?)?
  var resolution: ConflictResolution?
  var problem: DatabaseError?

  /// What a row that violates a constraint does: OR IGNORE and the like.
  /// - Parameter resolution: What it does.
  public func or(_ resolution: ConflictResolution) -> Update {
    var update = self
    update.resolution = resolution
    return update
  }

  /// What runs.
  public var asStatement: ChangeStatement<T> {
    var statement = ChangeStatement<T>(
      parts: [], resolution: resolution, problem: problem ?? assignments.problem(of: "update"))
    guard !assignments.columns.isEmpty else { return statement }
    var sql = SQL(raw: "UPDATE \(resolution.map { "OR \($0.rawValue) " } ?? "")")
    sql = sql.appending(table.source, SQL(raw: " SET "), assignments.sql)
    if let from { sql = sql.appending(SQL(raw: " FROM "), from.source) }
    if let condition = SelectClauses.and(
      from?.condition, table.selection(besideOthers: from != nil))
    {
      sql = sql.appending(SQL(raw: " WHERE "), condition)
    }
    statement.parts = [sql]
    return statement
  }
}

extension Table {
  /// An update of the selected rows, for `run(in:)` or `returning` to make.
  ///
  /// ```swift
  /// try await companies
  ///   .where { $0.cityID == nil }
  ///   .update { $0.employeeCount += 1 }
  ///   .run(in: database)
  /// ```
  /// - Parameter changes: A closure that assigns to columns, to one at least. A column that it does
  ///   not name stays.
  public func update(_ changes: (inout Assignments<T>) -> Void) -> Update<T> {
    let table = distinguished
    return Update(table: table, assignments: .made(for: table, by: changes))
  }

  /// An update of the selected rows that meet a condition together with a row of another table, from
  /// which it takes values: UPDATE … FROM.
  ///
  /// ```swift
  /// companies.update(from: cities) { company, city in company.name = city.name }
  /// ```
  /// A row that meets the condition with several is updated once, with any of them.
  /// - Parameters:
  ///   - other: The other table. Its own conditions hold.
  ///   - condition: A closure from the columns of both tables to the condition. Without one, they are
  ///     joined by the one foreign key that there is between them.
  ///   - changes: A closure that assigns to columns of this table, from the columns of the other.
  public func update<Other: SourceColumns>(
    from other: some Source<Other>, on condition: ((T.Columns, Other) -> any SQLCondition)? = nil,
    _ changes: (inout Assignments<T>, Other) -> Void
  ) -> Update<T> {
    update(from: other.from, on: condition, changes)
  }

  /// An update of the selected rows that meet a condition together with a row of a join, from which
  /// it takes values: UPDATE … FROM.
  /// - Parameters:
  ///   - join: The join. Its own conditions hold.
  ///   - condition: A closure from the columns of this table and the tuple of those of the joined ones
  ///     to the condition. Without one, they are joined by the one foreign key that there is between
  ///     them.
  ///   - changes: A closure that assigns to columns of this table, from the tuple of columns.
  public func update<Columns, Output>(
    from join: From<Columns, Output>,
    on condition: ((T.Columns, Columns) -> any SQLCondition)? = nil,
    _ changes: (inout Assignments<T>, Columns) -> Void
  ) -> Update<T> {
    let (table, join) = (distinguished, join.distinguished)
    let (assignments, condition) = join.calling { other in
      (
        Assignments<T>.made(for: table) { changes(&$0, other) },
        condition.map { condition in table.calling { condition($0, other).sql } }
      )
    }
    var update = Update(table: table, assignments: assignments)
    let this = JoinedTable(name: table.name, schema: T.schema)
    do throws(DatabaseError) {
      update.from = try join.joined(to: this, condition)
    } catch {
      update.problem = error
    }
    return update
  }
}
