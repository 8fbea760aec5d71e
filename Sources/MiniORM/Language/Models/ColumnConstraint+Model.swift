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
