/// The columns of a source in a FROM clause: a model's table or a ``Selection``, also under an
/// alias or in an outer join. Macros generate the conformances.
public protocol SourceColumns: Projection, _SelectionPart where Projected: Sendable {
  /// The type of the columns in a `@Selection` property.
  associatedtype _Part = AliasedColumns<Self>
  /// The type of the columns in an optional `@Selection` property.
  associatedtype _OptionalPart = NullableColumns<AliasedColumns<Self>>
  /// The columns for an optional `@Selection` property.
  var _optionalPart: _OptionalPart { get }

  /// The type of the columns on the optional side of an outer join.
  associatedtype OptionalColumns: SourceColumns = NullableColumns<Self>

  /// Returns the columns for the optional side of an outer join.
  @_documentation(visibility: internal)
  static func nullable(_ columns: Self) -> OptionalColumns

  /// Returns the columns, qualified with an alias. Macros generate this method.
  @_documentation(visibility: internal)
  static func renamed(_ columns: Self, as table: String) -> Self
}

extension SourceColumns {
  /// Returns the columns unchanged: the default for types that cannot be renamed.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self { columns }
}

extension SourceColumns where OptionalColumns == NullableColumns<Self> {
  /// Returns the columns for the optional side of an outer join.
  @_documentation(visibility: internal)
  public static func nullable(_ columns: Self) -> OptionalColumns { NullableColumns(columns) }
}

extension SourceColumns where Projected: Selection {
  /// Reads a model or a selection from a row.
  @_documentation(visibility: internal)
  @inlinable
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Projected
  {
    guard first > 0 else { return try Projected(row: row) }
    return try Projected(row: Row(row, from: first))
  }
}

/// The expressions for the properties of a ``Selection``, or its columns in a FROM clause.
/// `@Selection` generates the conformance.
public protocol SelectionColumns: RowColumns {
  /// Creates the columns of the subquery or table named `table`.
  @_documentation(visibility: internal)
  init(of table: String)
}

extension SelectionColumns {
  /// Returns the columns, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self { Self(of: table) }
}

/// The columns of the optional side of an outer join. Each column can be NULL, and the value is
/// `nil` if all columns are NULL.
@dynamicMemberLookup
public struct NullableColumns<Base: SourceColumns>: SourceColumns {
  /// The same type, because its columns can already be NULL.
  @_documentation(visibility: internal)
  public typealias OptionalColumns = NullableColumns

  // Underscored, because a name without an underscore would hide a column with that name.
  @usableFromInline let _source: Base
  /// True for an optional `@Embedded` property, whose columns belong to the table. False for an
  /// outer join: neither an index nor ON CONFLICT can refer to its expressions.
  let _areColumns: Bool

  init(_ base: Base, areColumns: Bool = false) { (_source, _areColumns) = (base, areColumns) }

  // Disfavored, because for a nullable column this would give a nested optional, and the compiler
  // would consider both overloads for every such column of a query.
  /// Accesses a column as nullable.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember path: KeyPath<Base, SQLExpression<Value>>) -> SQLExpression<
    Value?
  > {
    let column = _source[keyPath: path]
    return _areColumns ? column.nullableColumn : column.optional
  }

  /// Accesses a column that is already nullable.
  public subscript<Value>(dynamicMember path: KeyPath<Base, SQLExpression<Value?>>)
    -> SQLExpression<
      Value?
    >
  { _source[keyPath: path] }

  /// Accesses the columns of a `@Selection` property as nullable.
  public subscript<Root>(dynamicMember path: KeyPath<Base, AliasedColumns<Root>>)
    -> NullableColumns<AliasedColumns<Root>>
  { NullableColumns<AliasedColumns<Root>>(_source[keyPath: path]) }

  /// Accesses the columns of a `@Selection` property that is already nullable.
  public subscript<Root>(dynamicMember path: KeyPath<Base, NullableColumns<Root>>)
    -> NullableColumns<Root>
  { _source[keyPath: path] }

  /// The type of these columns as a property of a `@Selection`, which is read as an optional.
  public typealias _Part = Base._OptionalPart
  /// The type of the columns in an optional `@Selection` property.
  public typealias _OptionalPart = Base._OptionalPart
  /// The columns for a `@Selection` property.
  public var _part: _Part { _source._optionalPart }
  /// The columns for an optional `@Selection` property.
  public var _optionalPart: _OptionalPart { _source._optionalPart }

  /// The number of columns.
  @inlinable
  public static var _columnCount: Int32 { Base._columnCount }

  /// Returns the columns unchanged.
  @_documentation(visibility: internal)
  public static func nullable(_ columns: Self) -> Self { columns }

  /// Returns the columns, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self {
    Self(Base.renamed(columns._source, as: table))
  }

  /// Returns the base's result columns as nullable.
  @_documentation(visibility: internal)
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Base.resultColumns(projection._source).map { $0.nullable() }
  }

  /// Reads the base's value from a row, or returns `nil` if all columns are NULL.
  @_documentation(visibility: internal)
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Base.Projected?
  {
    // A row of NULLs counts as a missing row, because a row with a key always has a value. The
    // first value usually decides, so the column count is computed only if necessary.
    var index = first
    while row[index].isNull {
      index += 1
      guard index < first + Base._columnCount else { return nil }
    }
    return try Base.read(projection._source, from: row, at: first)
  }
}

/// The columns of a table under an alias, or of a `@Selection` property.
@dynamicMemberLookup
public struct AliasedColumns<Base: SourceColumns>: SourceColumns {
  @usableFromInline let _source: Base
  @usableFromInline let _alias: String?
  @usableFromInline let _prefix: String

  @inlinable
  init(_ base: Base, as name: String?, prefix: String = "") {
    (_source, _alias, _prefix) = (base, name, prefix)
  }

  // Inlinable, so that the compiler sees a constant key path and reads the property directly.
  /// Accesses a column, qualified by the alias.
  @inlinable
  public subscript<Value>(dynamicMember path: KeyPath<Base, SQLExpression<Value>>) -> SQLExpression<
    Value
  > { _qualified(_source[keyPath: path]) }

  @usableFromInline
  func _qualified<Value>(_ column: SQLExpression<Value>) -> SQLExpression<Value> {
    guard let _alias else { return column }
    return column.qualified(by: _alias, prefix: _prefix)
  }

  /// Accesses the columns of a `@Selection` property, qualified by the alias.
  public subscript<Root>(dynamicMember path: KeyPath<Base, AliasedColumns<Root>>)
    -> AliasedColumns<Root>
  { _qualified(_source[keyPath: path]) }

  /// Accesses the columns of a nullable `@Selection` property, qualified by the alias.
  public subscript<Root>(dynamicMember path: KeyPath<Base, NullableColumns<AliasedColumns<Root>>>)
    -> NullableColumns<AliasedColumns<Root>>
  { NullableColumns<AliasedColumns<Root>>(_qualified(_source[keyPath: path]._source)) }

  private func _qualified<Root>(_ columns: AliasedColumns<Root>) -> AliasedColumns<Root> {
    guard let _alias else { return columns }
    return AliasedColumns<Root>(columns._source, as: _alias, prefix: _prefix + columns._prefix)
  }

  /// The type of the columns in a `@Selection` property.
  public typealias _Part = Self
  /// The type of the columns in an optional `@Selection` property.
  public typealias _OptionalPart = NullableColumns<Self>
  /// The columns themselves.
  public var _part: Self { self }
  /// The columns as nullable.
  public var _optionalPart: NullableColumns<Self> { NullableColumns(self) }

  /// The number of columns.
  @inlinable
  public static var _columnCount: Int32 { Base._columnCount }

  /// Returns the columns, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self {
    Self(columns._source, as: table, prefix: columns._prefix)
  }

  /// Returns the result columns of the base, qualified by the alias.
  @_documentation(visibility: internal)
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    let columns = Base.resultColumns(projection._source)
    guard let alias = projection._alias else { return columns }
    return columns.map { column in
      guard let name = column.name else { return column }
      return column.with(
        sql: SQL(column: projection._prefix + name, of: alias), isNamed: false)
    }
  }

  /// Reads the base's value from a row.
  @_documentation(visibility: internal)
  @inlinable
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Base.Projected
  {
    try Base.read(projection._source, from: row, at: first)
  }
}

/// The columns of a model's table. `@Table` generates the conformance.
public protocol ModelColumns: RowColumns {
  // Underscored, because a name without an underscore would hide a column with that name.
  /// The table's name in the query.
  var _table: TableName { get }

  /// Creates the table's columns.
  @_documentation(visibility: internal)
  init()
}

extension ModelColumns {
  /// Returns the columns, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: Self, as table: String) -> Self {
    TableName.$current.withValue(table) { Self() }
  }
}

extension ModelColumns where Projected: Model {
  /// Returns the columns of the table.
  @_documentation(visibility: internal)
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Projected.schema.columns.map { ResultColumn($0.name, of: projection._table.name) }
  }
}
