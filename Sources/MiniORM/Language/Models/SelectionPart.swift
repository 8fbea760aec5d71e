import Synchronization

/// A part of a ``Selection``: an expression, or the columns of a model or a selection.
///
/// A macro has no type information, so generated code refers to `_PartColumns` of a property's
/// type: an expression for a ``ColumnValue``, and columns for a ``Selection``.
public protocol _SelectionPart<_Part>: Sendable {
  /// The type of `_part`.
  associatedtype _Part
  /// The value of the part in the `Columns` of a `@Selection`: an expression, or columns with an
  /// optional alias.
  var _part: _Part { get }
  /// The number of the part's columns.
  static var _columnCount: Int32 { get }
}

extension SQLExpression: _SelectionPart {
  /// The expression itself.
  public var _part: Self { self }
  /// The number of columns of an expression: 1.
  public static var _columnCount: Int32 { 1 }
}

extension SourceColumns where _Part == AliasedColumns<Self> {
  /// The columns, without an alias.
  public var _part: AliasedColumns<Self> { AliasedColumns(self, as: nil) }
}

extension SourceColumns where _OptionalPart == NullableColumns<AliasedColumns<Self>> {
  /// The nullable columns, without an alias.
  public var _optionalPart: NullableColumns<AliasedColumns<Self>> {
    NullableColumns(AliasedColumns(self, as: nil))
  }
}

extension ColumnValue {
  /// The type of a property in the `Columns` of a `@Selection`.
  public typealias _PartColumns = SQLExpression<Self>
  /// The type of an optional property in the `Columns` of a `@Selection`.
  public typealias _OptionalPartColumns = SQLExpression<Self?>

  /// Reads a property of a `@Selection`.
  @inlinable
  public init(_row row: borrowing Row, at next: inout Int32) throws(DatabaseError) {
    self = try Self(cell: row[next])
    next += 1
  }
}

extension Selection {
  /// The type of a property in the `Columns` of a `@Selection`.
  public typealias _PartColumns = AliasedColumns<Columns>
  /// The type of an optional property in the `Columns` of a `@Selection`.
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

  @usableFromInline
  static func adding(to error: DatabaseError) -> DatabaseError {
    error.adding(table: tableName, rowType: String(describing: Self.self))
  }

  static var tableName: String? { (Self.self as? any Model.Type)?.schema.name }
}

extension Optional where Wrapped: Selection {
  /// Reads an optional property of a `@Selection`, which is `nil` if all its columns are NULL.
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

/// The columns of a model or of a `@Selection`.
public protocol RowColumns: SourceColumns {
  /// Returns the columns of the source named `table`.
  static func _columns(of table: String) -> Self
}

extension ModelColumns {
  /// Returns the columns of the table named `table`.
  public static func _columns(of table: String) -> Self { renamed(Self(), as: table) }
}

extension ModelColumns where Projected: Model {
  /// The number of columns of the table.
  public static var _columnCount: Int32 { Int32(Projected.schema.columns.count) }
}

extension SelectionColumns {
  /// Returns the columns of the subquery, or a similar source, named `table`.
  public static func _columns(of table: String) -> Self { Self(of: table) }
}

/// The names of the columns of each type that a query by name has read.
private let knownNames = Mutex<[ObjectIdentifier: [ColumnKey]]>([:])

/// A column's name, and the form in which names are compared.
struct ColumnKey {
  let name: String
  let folded: ExactText
}

extension RowColumns {
  /// The names of the columns, in order. Creating the columns takes longer than reading a row, so
  /// each type creates them once.
  static var keys: [ColumnKey] {
    let type = ObjectIdentifier(Self.self)
    if let keys = knownNames.withLock({ $0[type] }) { return keys }
    let keys = resultColumns(_columns(of: "")).compactMap { column in
      column.name.map { ColumnKey(name: $0, folded: $0.folded) }
    }
    knownNames.withLock { $0[type] = keys }
    return keys
  }
}

extension AliasedColumns where Base: RowColumns {
  /// Creates the columns of a `@Selection` property. Each column's name has the property's name and
  /// a dot as a prefix. The property's default is ignored, because the columns have their own.
  @_documentation(visibility: internal)
  public init(
    column name: String, of table: String,
    default value: @autoclosure @Sendable () -> Base.Projected? = nil, isConstant: Bool = true
  ) { self.init(Base._columns(of: table), as: table, prefix: "\(name).") }
}

extension NullableColumns {
  /// Creates the columns of an optional `@Selection` property. The property's default is ignored.
  @_documentation(visibility: internal)
  public init<Root: RowColumns>(
    column name: String, of table: String,
    default value: @autoclosure @Sendable () -> Root.Projected? = nil, isConstant: Bool = true
  ) where Base == AliasedColumns<Root> { self.init(AliasedColumns(column: name, of: table)) }
}

extension ResultColumn {
  /// Returns the result column of a `@Selection` property.
  public static func _all<Value: ColumnValue>(
    _ expression: SQLExpression<Value>, as name: String
  ) -> [ResultColumn] { [ResultColumn(expression, as: name)] }

  /// Returns the result columns of a `@Selection` property, with the property's name and a dot as a
  /// prefix.
  public static func _all<Columns: SourceColumns>(
    _ columns: Columns, as name: String
  ) -> [ResultColumn] {
    Columns.resultColumns(columns).map { column in
      column.with(name: column.name.map { "\(name).\($0)" })
    }
  }
}
