/// What can be given for a property of a ``Selection``: an expression, or the columns of a model or of
/// another selection, which stand side by side in the row.
///
/// A macro sees no types. So `@Selection` writes `_PartColumns` of a property's type, and what that
/// means is said here: an expression for a ``ColumnValue``, columns for a ``Selection``.
public protocol _SelectionPart<_Part>: Sendable {
  /// What the selection keeps.
  associatedtype _Part
  /// What the selection keeps.
  var _part: _Part { get }
  /// How many columns of a row these are.
  static var _columnCount: Int32 { get }
}

extension SQLExpression: _SelectionPart {
  /// The expression itself.
  public var _part: Self { self }
  /// One.
  public static var _columnCount: Int32 { 1 }
}

extension SourceColumns where _Part == AliasedColumns<Self> {
  /// The columns, for those of the same table by any name.
  public var _part: AliasedColumns<Self> { AliasedColumns(self, as: nil) }
}

extension SourceColumns where _OptionalPart == NullableColumns<AliasedColumns<Self>> {
  /// The columns, for those of the same table by any name, which can be NULL.
  public var _optionalPart: NullableColumns<AliasedColumns<Self>> {
    NullableColumns(AliasedColumns(self, as: nil))
  }
}

extension ColumnValue {
  /// What `@Selection` has for a property of this type.
  public typealias _PartColumns = SQLExpression<Self>
  /// What `@Selection` has for an optional of this type.
  public typealias _OptionalPartColumns = SQLExpression<Self?>

  /// Reads a property of a `@Selection`.
  @inlinable
  public init(_row row: borrowing Row, at next: inout Int32) throws(DatabaseError) {
    self = try Self(cell: row[next])
    next += 1
  }
}

extension Selection {
  /// What `@Selection` has for a property of this type.
  public typealias _PartColumns = AliasedColumns<Columns>
  /// What `@Selection` has for an optional of this type.
  public typealias _OptionalPartColumns = NullableColumns<AliasedColumns<Columns>>

  /// Reads a property of a `@Selection`.
  @inlinable
  public init(_row row: borrowing Row, at next: inout Int32) throws(DatabaseError) {
    let first = next
    next += Columns._columnCount
    do throws(DatabaseError) {
      self = try Self(row: Row(row, from: first))
    } catch {
      throw Self.adding(to: error)
    }
  }

  /// The same error with the table and the type that was read.
  @usableFromInline
  static func adding(to error: DatabaseError) -> DatabaseError {
    error.adding(table: tableName, rowType: String(describing: Self.self))
  }

  /// The table of a model.
  static var tableName: String? { (Self.self as? any Model.Type)?.schema.name }
}

extension Optional where Wrapped: Selection {
  /// Reads a property of a `@Selection`: `nil` where all its columns are NULL.
  @inlinable
  public init(_row row: borrowing Row, at next: inout Int32) throws(DatabaseError) {
    let end = next + Wrapped.Columns._columnCount
    for index in next..<end where !row[index].isNull {
      self = try Wrapped(_row: row, at: &next)
      return
    }
    (self, next) = (nil, end)
  }
}

/// The columns of what a row is read as: of a model, or of a `@Selection`.
public protocol RowColumns: SourceColumns {
  /// The columns of a table, a subquery or the like of that name.
  static func _columns(of table: String) -> Self
}

extension ModelColumns {
  /// The columns of a table of that name.
  public static func _columns(of table: String) -> Self { renamed(Self(), as: table) }
}

extension ModelColumns where Projected: Model {
  /// How many columns the table has.
  public static var _columnCount: Int32 { Int32(Projected.schema.columns.count) }
}

extension SelectionColumns {
  /// The columns of a subquery or the like of that name.
  public static func _columns(of table: String) -> Self { Self(of: table) }
}

extension RowColumns {
  /// The names of the columns, in the order in which a row is read.
  static var names: [String] { resultColumns(_columns(of: "")).compactMap(\.name) }
}

extension AliasedColumns where Base: RowColumns {
  /// The columns of a property of a `@Selection` in a subquery or the like.
  /// - Parameters:
  ///   - name: The property's name, which their own follow after a dot.
  ///   - table: The name of the subquery.
  public init(column name: String, of table: String) {
    self.init(Base._columns(of: table), as: table, prefix: "\(name).")
  }
}

extension NullableColumns {
  /// The columns of a property of a `@Selection` in a subquery or the like.
  /// - Parameters:
  ///   - name: The property's name, which their own follow after a dot.
  ///   - table: The name of the subquery.
  public init<Root: RowColumns>(column name: String, of table: String)
  where Base == AliasedColumns<Root> {
    self.init(AliasedColumns(column: name, of: table))
  }
}

extension ResultColumn {
  /// A property of a `@Selection`.
  public static func _all<Value: ColumnValue>(
    _ expression: SQLExpression<Value>, as name: String
  ) -> [ResultColumn] { [ResultColumn(expression, as: name)] }

  /// The columns of a property of a `@Selection`, their names after the property's and a dot.
  public static func _all<Columns: SourceColumns>(
    _ columns: Columns, as name: String
  ) -> [ResultColumn] {
    Columns.resultColumns(columns).map { column in
      ResultColumn(
        column.sql, name: column.name.map { "\(name).\($0)" }, isNamed: column.isNamed,
        coding: column.coding)
    }
  }
}
