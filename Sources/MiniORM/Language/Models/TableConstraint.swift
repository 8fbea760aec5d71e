/// A constraint of a table, such as CHECK, or UNIQUE on several columns.
///
/// See [Table Constraints](https://www.sqlite.org/lang_createtable.html).
public struct TableConstraint<T: Model>: Sendable {
  let sql: SQL
  let isKept: Bool

  private init(_ sql: SQL, isKept: Bool = false) { (self.sql, self.isKept) = (sql, isKept) }

  /// Creates a constraint from SQL, such as a foreign key with several columns.
  ///
  /// ```swift
  /// TableConstraint(sql: "FOREIGN KEY (country, code) REFERENCES city (country, code)")
  /// ```
  /// - Parameter sql: The constraint. Never pass user input.
  public init(sql: String) { self.init(SQL(raw: sql.removingQualifier(T.schema.name))) }

  /// Returns a foreign key of an existing file that `migrate` keeps, and does not create in a new
  /// file.
  ///
  /// ```swift
  /// TableConstraint.kept(sql: "FOREIGN KEY (owner) REFERENCES user (id)")
  /// ```
  /// Use this constraint if the parent table is not in the schema, or not even in the file. While
  /// foreign keys are enforced, SQLite refuses to write rows of a table whose parent table is
  /// missing: programs with such a file set ``Configuration/foreignKeysEnabled`` to `false`.
  /// - Parameter sql: A FOREIGN KEY constraint that the file's table has. Never pass user input.
  public static func kept(sql: String) -> TableConstraint {
    TableConstraint(SQL(raw: sql), isKept: true)
  }

  /// Returns a UNIQUE constraint on a column or a combination of columns:
  /// `.unique { ($0.name, $0.cityID) }`.
  public static func unique(@ExpressionBuilder _ columns: (T.Columns) -> [Ordering])
    -> TableConstraint
  {
    let names = columns(T.columns).map(\.name.quotedIdentifier).joined(separator: ", ")
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
