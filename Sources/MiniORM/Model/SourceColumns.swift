/// The columns of what stands in a FROM clause: of a model's table, of a ``Selection``, or of one of
/// these under another name or in an outer join.
///
/// The macros write the conformances.
public protocol SourceColumns: Projection, _SelectionPart where Projected: Sendable {
  // The columns of a table by any name are of one type in a selection.
  /// The same columns as a property of a `@Selection`.
  associatedtype _Part = AliasedColumns<Self>
  /// The same columns as an optional property of a `@Selection`.
  associatedtype _OptionalPart = NullableColumns<AliasedColumns<Self>>
  /// The same columns as an optional property of a `@Selection`.
  var _optionalPart: _OptionalPart { get }

  /// The same columns where an outer join may give NULL for all of them.
  associatedtype OptionalColumns: SourceColumns = NullableColumns<Self>

  /// The same columns where an outer join may give NULL for all of them.
  /// - Parameter columns: The columns.
  static func nullable(_ columns: Self) -> OptionalColumns

  /// The same columns of a table of another name. `@Table` and `@Selection` say how.
  ///
  /// A query inside of another one of the same table needs another name.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - table: The name.
  static func renamed(_ columns: Self, as table: String) -> Self
}

extension SourceColumns {
  /// The columns of a table of another name: the same, where nothing says how.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - table: The name.
  public static func renamed(_ columns: Self, as table: String) -> Self { columns }
}

extension SourceColumns where OptionalColumns == NullableColumns<Self> {
  /// The same columns where an outer join may give NULL for all of them.
  /// - Parameter columns: The columns.
  public static func nullable(_ columns: Self) -> OptionalColumns { NullableColumns(columns) }
}

extension SourceColumns where Projected: Selection {
  /// Reads a row as the model or the selection.
  @inlinable
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Projected
  {
    guard first > 0 else { return try Projected(row: row) }
    return try Projected(row: Row(row, from: first))
  }
}

/// The expressions of the properties of a ``Selection``, or its columns where it stands in a FROM
/// clause. `@Selection` writes the conformance.
public protocol SelectionColumns: RowColumns {
  /// The columns of a subquery or a table of that name.
  /// - Parameter table: The name.
  init(of table: String)
}

extension SelectionColumns {
  /// The columns of a subquery or a table of another name.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - table: The name.
  public static func renamed(_ columns: Self, as table: String) -> Self { Self(of: table) }
}

/// The columns of the side of an outer join that a row may lack: each can be NULL, and what is read
/// is `nil` where all of them are.
@dynamicMemberLookup
public struct NullableColumns<Base: SourceColumns>: SourceColumns {
  /// What is read: `nil` for a row that lacks this side.
  public typealias Projected = Base.Projected?
  /// These columns can be NULL already.
  public typealias OptionalColumns = NullableColumns

  // Underscored: a name without would hide a column of that name.
  @usableFromInline let _source: Base
  // Of an outer join they are expressions, which no index and no conflict names.
  /// Whether they are columns of the table itself: an optional group.
  let _areColumns: Bool

  init(_ base: Base, areColumns: Bool = false) { (_source, _areColumns) = (base, areColumns) }

  // Disfavoured: of a column that can be NULL anyway it would make an optional of an optional, and the
  // compiler would weigh both for each such column of a query.
  /// A column, which can be NULL here.
  @_disfavoredOverload
  public subscript<Value>(dynamicMember path: KeyPath<Base, SQLExpression<Value>>) -> SQLExpression<
    Value?
  > {
    let column = _source[keyPath: path]
    return _areColumns ? column.nullableColumn : column.optional
  }

  /// A column that can be NULL anyway.
  public subscript<Value>(dynamicMember path: KeyPath<Base, SQLExpression<Value?>>)
    -> SQLExpression<
      Value?
    >
  { _source[keyPath: path] }

  /// The columns of a property of a `@Selection`, which can be NULL here.
  public subscript<Root>(dynamicMember path: KeyPath<Base, AliasedColumns<Root>>)
    -> NullableColumns<AliasedColumns<Root>>
  { NullableColumns<AliasedColumns<Root>>(_source[keyPath: path]) }

  /// The columns of a property of a `@Selection` that can be NULL anyway.
  public subscript<Root>(dynamicMember path: KeyPath<Base, NullableColumns<Root>>)
    -> NullableColumns<Root>
  { _source[keyPath: path] }

  /// The same columns as a property of a `@Selection`, which is optional.
  public typealias _Part = Base._OptionalPart
  /// The same columns as a property of a `@Selection`, which is optional.
  public typealias _OptionalPart = Base._OptionalPart
  /// The columns as a property of a `@Selection`.
  public var _part: _Part { _source._optionalPart }
  /// The columns as a property of a `@Selection`.
  public var _optionalPart: _OptionalPart { _source._optionalPart }

  /// How many columns there are.
  @inlinable
  public static var _columnCount: Int32 { Base._columnCount }

  /// The columns themselves.
  public static func nullable(_ columns: Self) -> Self { columns }

  /// The columns of a table of another name.
  public static func renamed(_ columns: Self, as table: String) -> Self {
    Self(Base.renamed(columns._source, as: table))
  }

  /// The same columns.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Base.resultColumns(projection._source)
  }

  /// Reads the row, or `nil` where all its columns are NULL.
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Base.Projected?
  {
    // A row of nothing but NULLs is the same as none; one of a model with a key is never so.
    for index in first..<(first + Base._columnCount) where !row[index].isNull {
      return try Base.read(projection._source, from: row, at: first)
    }
    return nil
  }
}

/// The columns of a table under another name, or of a property of a `@Selection`.
@dynamicMemberLookup
public struct AliasedColumns<Base: SourceColumns>: SourceColumns {
  /// What is read: the same as without the name.
  public typealias Projected = Base.Projected

  @usableFromInline let _source: Base
  /// The table's other name; nil where the columns are as they are.
  let _alias: String?
  /// What stands before the columns' names.
  let _prefix: String

  init(_ base: Base, as name: String?, prefix: String = "") {
    (_source, _alias, _prefix) = (base, name, prefix)
  }

  /// A column, named after the alias.
  public subscript<Value>(dynamicMember path: KeyPath<Base, SQLExpression<Value>>) -> SQLExpression<
    Value
  > {
    let column = _source[keyPath: path]
    return _alias.map { column.qualified(by: $0, prefix: _prefix) } ?? column
  }

  /// The columns of a property of a `@Selection`, named after the alias.
  public subscript<Root>(dynamicMember path: KeyPath<Base, AliasedColumns<Root>>)
    -> AliasedColumns<Root>
  { _qualified(_source[keyPath: path]) }

  /// The columns of a property of a `@Selection` that can be NULL, named after the alias.
  public subscript<Root>(dynamicMember path: KeyPath<Base, NullableColumns<AliasedColumns<Root>>>)
    -> NullableColumns<AliasedColumns<Root>>
  { NullableColumns<AliasedColumns<Root>>(_qualified(_source[keyPath: path]._source)) }

  private func _qualified<Root>(_ columns: AliasedColumns<Root>) -> AliasedColumns<Root> {
    guard let _alias else { return columns }
    return AliasedColumns<Root>(columns._source, as: _alias, prefix: _prefix + columns._prefix)
  }

  /// The same columns as a property of a `@Selection`.
  public typealias _Part = Self
  /// The same columns as an optional property of a `@Selection`.
  public typealias _OptionalPart = NullableColumns<Self>
  /// The columns themselves.
  public var _part: Self { self }
  /// The columns, which can be NULL.
  public var _optionalPart: NullableColumns<Self> { NullableColumns(self) }

  /// How many columns there are.
  @inlinable
  public static var _columnCount: Int32 { Base._columnCount }

  /// The columns of a table of another name.
  public static func renamed(_ columns: Self, as table: String) -> Self {
    Self(columns._source, as: table, prefix: columns._prefix)
  }

  /// The same columns, named after the alias.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    let columns = Base.resultColumns(projection._source)
    guard let alias = projection._alias else { return columns }
    return columns.map { column in
      guard let name = column.name else { return column }
      return ResultColumn(
        SQL(column: projection._prefix + name, of: alias), name: name, coding: column.coding)
    }
  }

  /// Reads the row.
  @inlinable
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Base.Projected
  {
    try Base.read(projection._source, from: row, at: first)
  }
}
