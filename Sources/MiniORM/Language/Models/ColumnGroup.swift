// The columns of an `@Embedded` property: the columns of a model for the properties of a
// `@Selection`.

extension AliasedColumns where Base: SelectionColumns {
  /// Creates the columns of an `@Embedded` property, for the code of `@Table`.
  @_documentation(visibility: internal)
  public init(embedded prefix: String, in table: String) {
    let table = TableName.current ?? table
    self.init(Base(of: table), as: table, prefix: prefix)
  }

  /// The schemas of the group's columns, which `@Table` adds to the table's schema.
  public var _schemas: [ColumnSchema] { schemas(areNullable: false) }

  /// Returns the schemas of the group's columns, with a value of the group as the default.
  /// - Parameters:
  ///   - group: The property's default. Its values replace the defaults of the group's properties.
  ///     A group that cannot be stored gives no defaults.
  ///   - isConstant: Whether the value is the same at each launch, and can be a DEFAULT clause.
  public func _schemas(default group: Base.Projected, isConstant: Bool) -> [ColumnSchema]
  where Base.Projected: Selection {
    let count = Base.resultColumns(_source).count
    let values = try? EchoDatabase.values(count: count, of: CollectionOfOne(group)) {
      (group, statement) throws(DatabaseError) in
      var next: Int32 = 1
      try group._bind(to: statement, at: &next)
    }
    let defaults: [InitialValue?]? = values?.first?.map { value in
      value == .null ? nil : InitialValue(value: { value }, isConstant: isConstant)
    }
    return schemas(areNullable: false, defaults)
  }

  fileprivate func schemas(areNullable: Bool, _ defaults: [InitialValue?]? = nil)
    -> [ColumnSchema]
  {
    Base.resultColumns(_source).enumerated().map { index, column in
      let (name, table) = (_prefix + (column.name ?? ""), _alias ?? "")
      // A group cannot have the columns of a model: the model's key and generated columns belong to
      // the model's table.
      guard let coding = column.coding else {
        return ColumnSchema(
          name, table: table, type: .any, isNullable: true, [.init(kind: .ofModel)])
      }
      // Existing rows are read with nil for an optional property, so its columns need no defaults.
      let isOptional = areNullable || column.isNullable
      let initial = defaults.map { $0[index] } ?? (isOptional ? nil : column.initial)
      return ColumnSchema(
        name, table: table, type: coding.type, isNullable: isOptional || coding.isNullable,
        initial.map { [$0.constraint] } ?? [], stored: coding.stored)
    }
  }
}

extension NullableColumns {
  /// Creates the columns of an optional `@Embedded` property, for the code of `@Table`.
  @_documentation(visibility: internal)
  public init<Root: SelectionColumns>(embedded prefix: String, in table: String)
  where Base == AliasedColumns<Root> {
    self.init(AliasedColumns(embedded: prefix, in: table), areColumns: true)
  }

  /// Returns the schemas of the group's columns, all nullable.
  public func _schemas<Root: SelectionColumns>() -> [ColumnSchema]
  where Base == AliasedColumns<Root> { _source.schemas(areNullable: true) }
}

extension SQLExpression {
  var nullableColumn: SQLExpression<Value?> {
    let schema = column.map {
      ColumnSchema($0.name, table: $0.table, type: $0.type, isNullable: true, [])
    }
    return SQLExpression<Value?>(sql, coding.optional, schema)
  }
}

extension ColumnValue {
  /// Binds a property with a single column.
  @inlinable
  public func _bind(to statement: borrowing Statement, at next: inout Int32) throws(DatabaseError) {
    try statement.bind(self, at: next)
    next += 1
  }
}

extension Model {
  /// Binds the columns of a model.
  public func _bind(to statement: borrowing Statement, at next: inout Int32) throws(DatabaseError) {
    try bind(to: statement, at: next)
    next += Columns._columnCount
  }
}

extension Optional where Wrapped: Selection {
  /// Binds an optional `@Embedded` property. `nil` binds NULL to each column.
  @inlinable
  public func _bind(to statement: borrowing Statement, at next: inout Int32) throws(DatabaseError) {
    guard let group = self else {
      for _ in 0..<Wrapped.Columns._columnCount {
        try statement.bind(DatabaseValue.null, at: next)
        next += 1
      }
      return
    }
    try group._bind(to: statement, at: &next)
  }
}
