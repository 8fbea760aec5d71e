extension DatabaseSchema.Column {
  /// Creates a column in a storage format.
  ///
  /// ```swift
  /// .column("price", Decimal.self, as: .decimal(scale: 2))
  /// ```
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: The property's type. Use an optional type if NULL is allowed.
  ///   - storage: The storage format. For JSON, use ``column(_:_:_:)`` with ``JSON`` of the type.
  ///   - constraints: The column's constraints. A default is a value of the property's type.
  public static func column<Value: Sendable>(
    _ name: String, _ type: Value.Type, as storage: ColumnStorage,
    _ constraints: ColumnConstraint...
  ) -> Self {
    Self(name, type, as: storage, constraints)
  }

  fileprivate init<Value: Sendable>(
    _ name: String, _ type: Value.Type, as storage: ColumnStorage,
    _ constraints: [ColumnConstraint]
  ) {
    let representation = storage.representation(of: type)
    var constraints = constraints
    var problem: DatabaseError?
    if let representation {
      for (index, constraint) in constraints.enumerated() {
        guard case .defaultValue(let value) = constraint.kind else { continue }
        if let value = value.represented(by: representation) {
          constraints[index] = ColumnConstraint(kind: .defaultValue(value))
        } else {
          problem = .storage(
            "The default of \(name) is not of the type \(type): write a value of this type")
        }
      }
    } else {
      problem = .storage(
        "Column \(name) of type \(type) cannot have the storage format \(storage): pass the type that "
          + "the format stores, or leave out the format. For JSON, pass JSON<…>.self and no format")
    }
    schema = ColumnSchema(
      name, table: "", type: representation?.columnType ?? .any,
      isNullable: type is any Wrapping.Type, constraints, stored: representation, problem: problem)
  }
}

extension DatabaseSchema.Operation {
  /// Adds a column in a storage format: ALTER TABLE ADD COLUMN.
  ///
  /// ```swift
  /// .addColumn("budget", Decimal?.self, as: .decimal(scale: 2), to: "project")
  /// ```
  /// If the table contains rows, use an optional type or a default, which is a value of the
  /// property's type.
  public static func addColumn<Value: Sendable>(
    _ name: String, _ type: Value.Type, as storage: ColumnStorage,
    _ constraints: ColumnConstraint..., to table: String
  ) -> Self {
    let column = DatabaseSchema.Column(name, type, as: storage, constraints)
    return Self(kind: .addColumn(column.schema, table: table))
  }

  /// Converts the values of a column to a storage format.
  ///
  /// ```swift
  /// .convertColumn("at", to: Date.self, as: .unixMilliseconds, in: "event", using: "at * 1000")
  /// ```
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: The property's type. Use an optional type if NULL is allowed.
  ///   - storage: The storage format.
  ///   - table: The table's name.
  ///   - sql: An SQL expression over the columns before the conversion. The text becomes SQL: never
  ///     use user input.
  public static func convertColumn<Value: Sendable>(
    _ name: String, to type: Value.Type, as storage: ColumnStorage, in table: String,
    using sql: String
  ) -> Self {
    let column = DatabaseSchema.Column(name, type, as: storage, [])
    return Self(kind: .convertColumn(column.schema, table: table, sql: sql))
  }
}

extension ColumnValue {
  fileprivate func represented(by type: any ColumnRepresentation.Type) -> (any ColumnValue)? {
    func represented<Stored: ColumnRepresentation>(_ type: Stored.Type) -> (any ColumnValue)? {
      self as? Stored ?? (self as? Stored.Value).map { Stored($0) }
    }
    return represented(type)
  }
}

extension DatabaseError {
  fileprivate static func storage(_ message: String) -> DatabaseError {
    DatabaseError(.migrate, code: .misuse, message)
  }
}
