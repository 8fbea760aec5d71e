/// An UPDATE of several rows.
///
/// See [UPDATE](https://www.sqlite.org/lang_update.html).
public struct Update<T: Model>: Change {
  let table: Table<T>
  let assignments: AssignedColumns
  var from: (source: SQL, condition: SQL?)?
  var resolution: ConflictResolution?
  var problem: DatabaseError?

  /// Sets the effect of a constraint violation, as in `.or(.ignore)`.
  public func or(_ resolution: ConflictResolution) -> Update {
    var update = self
    update.resolution = resolution
    return update
  }

  /// The statement of the change.
  @_documentation(visibility: internal)
  public var asStatement: ChangeStatement<T> {
    let problem = problem ?? assignments.problem(of: "update") ?? table.changeProblem
    guard !assignments.columns.isEmpty else {
      return ChangeStatement(parts: [], resolution: resolution, problem: problem)
    }
    var sql = SQL(raw: "UPDATE \(resolution.map { "OR \($0.rawValue) " } ?? "")")
    sql = sql.appending(table.source, SQL(raw: " SET "), assignments.sql)
    if let from { sql = sql.appending(SQL(raw: " FROM "), from.source) }
    if let condition = SQL.and(
      from?.condition, table.selection(besideOthers: from != nil))
    {
      sql = sql.appending(SQL(raw: " WHERE "), condition)
    }
    return ChangeStatement(
      parts: [sql], resolution: resolution, problem: problem,
      returningProblem: table.returningProblem)
  }
}

extension Table {
  /// Returns an update of the selected rows. Nothing is updated until the update runs.
  ///
  /// ```swift
  /// try await companies
  ///   .where { $0.cityID == nil }
  ///   .update { $0.employeeCount += 1 }
  ///   .run(in: database)
  /// ```
  /// - Parameter changes: A closure that assigns to columns. Running the update throws if the
  ///   closure assigns nothing.
  public func update(_ changes: (inout Assignments<T>) -> Void) -> Update<T> {
    let table = distinguished
    return Update(table: table, assignments: Assignments<T>.made(for: table, by: changes))
  }

  /// Returns an update of the selected rows with values from a different table: UPDATE … FROM.
  ///
  /// ```swift
  /// companies.update(from: cities) { company, city in company.name = city.name }
  /// ```
  /// A row with several matches in the other table is updated once, from an arbitrary match.
  /// - Parameters:
  ///   - other: The other table, with its conditions, or a join, whose columns are a tuple.
  ///   - condition: The join condition; by default, the only foreign key between the tables.
  ///   - changes: A closure that assigns to columns of this table, from the other table's columns.
  public func update<Other>(
    from other: some FromStatement<Other>,
    on condition: ((T.Columns, Other) -> any SQLCondition)? = nil,
    _ changes: (inout Assignments<T>, Other) -> Void
  ) -> Update<T> {
    let (table, other) = (distinguished, other.from.distinguished)
    let (assignments, condition) = other.calling { other in
      (
        Assignments<T>.made(for: table) { changes(&$0, other) },
        condition.map { condition in table.calling { condition($0, other).sql } }
      )
    }
    var update = Update(table: table, assignments: assignments)
    let this = JoinedTable(name: table.name, model: T.self)
    do throws(DatabaseError) {
      update.from = try other.joined(to: this, condition)
    } catch {
      update.problem = error
    }
    return update
  }
}
