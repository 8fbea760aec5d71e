/// A constraint of a table, such as CHECK, or UNIQUE on several columns.
///
/// See [Table Constraints](https://www.sqlite.org/lang_createtable.html).
public struct TableConstraint<T: Model>: Sendable {
  let sql: SQL

  private init(_ sql: SQL) { self.sql = sql }

  /// Creates a constraint from SQL, such as a foreign key with several columns.
  ///
  /// ```swift
  /// TableConstraint(sql: "FOREIGN KEY (country, code) REFERENCES city (country, code)")
  /// ```
  /// - Parameter sql: The constraint. Never pass user input.
  public init(sql: String) { self.init(SQL(raw: sql.removingQualifier(T.schema.name))) }

  /// Returns a UNIQUE constraint on a column, like `@Column(.unique)` on the property.
  public static func unique<Value>(_ column: (T.Columns) -> SQLExpression<Value>) -> TableConstraint
  {
    TableConstraint(SQL(raw: "UNIQUE (\(column(T.columns).columnName))"))
  }

  /// Returns a UNIQUE constraint on a combination of columns.
  public static func unique<First, Second, each Rest>(
    _ columns: (T.Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> TableConstraint {
    let names = SQL.columnNames(T.columns, columns).joined(separator: ", ")
    return TableConstraint(SQL(raw: "UNIQUE (\(names))"))
  }

  /// Returns a CHECK constraint: `.check { $0.employeeCount >= 0 }`.
  /// - Parameter condition: A closure that takes the table's columns and returns a condition that
  ///   must not be false.
  public static func check(_ condition: (T.Columns) -> any SQLCondition) -> TableConstraint {
    var sql = SQL(raw: "CHECK (")
    sql.append(condition(T.columns).sql)
    sql.append(")")
    return TableConstraint(sql)
  }
}

extension ColumnConstraint {
  /// Returns a foreign key to the primary key of a model's table: REFERENCES.
  ///
  /// ```swift
  /// @Column(.references(City.self, onDelete: .cascade)) var cityID: Int64
  /// ```
  ///
  /// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
  /// - Parameters:
  ///   - model: The parent model.
  ///   - onDelete: The action when the parent row is deleted; `nil` rejects the deletion.
  ///   - onUpdate: The action when the parent's key changes; `nil` rejects the change.
  ///   - deferred: Whether the check waits until the transaction commits.
  public static func references(
    _ model: any PrimaryKeyedModel.Type, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil,
    deferred: Bool = false
  ) -> ColumnConstraint {
    .init(
      kind: .references(
        ForeignKey(
          parent: .schema({ model.schema }), onDelete: onDelete, onUpdate: onUpdate,
          isDeferred: deferred)))
  }
}
