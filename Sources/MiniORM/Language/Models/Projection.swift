/// An argument of `select`: an expression, or the columns of a model or a ``Selection``. Only
/// MiniORM's types and generated code conform.
public protocol Projection: Sendable {
  /// The type that is read from a row.
  // Not named `Value` or `Output`, because in generated code these names would hide a type with the
  // same name.
  associatedtype Projected

  /// Returns the result columns of the projection.
  @_documentation(visibility: internal)
  static func resultColumns(_ projection: Self) -> [ResultColumn]

  /// Reads the projected value from a row, from the column at index `first`.
  /// - Throws: ``DatabaseError`` with the operation `read` if a value's type does not match.
  @_documentation(visibility: internal)
  static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Projected

  /// Returns a reader for all the rows of a result.
  @_documentation(visibility: internal)
  static func reader(_ projection: Self) -> RowReader<Projected>
}

extension Projection {
  /// Returns a reader that calls `read` for each row.
  @_documentation(visibility: internal)
  public static func reader(_ projection: Self) -> RowReader<Projected> { .single(projection) }
}

/// A column of a query's result: an expression, with an optional name.
///
/// See [Result columns](https://www.sqlite.org/syntax/result-column.html).
@_documentation(visibility: internal)
public struct ResultColumn: Sendable {
  private(set) var sql: SQL
  private(set) var name: String?
  private(set) var isNamed: Bool
  let coding: (any StoredCoding)?
  private(set) var initial: InitialValue?
  /// True if the column can be NULL although its values cannot, as in an optional `@Embedded`
  /// property.
  private(set) var isNullable = false

  init(_ sql: SQL, name: String?, isNamed: Bool = false, coding: (any StoredCoding)? = nil) {
    (self.sql, self.name, self.isNamed, self.coding) = (sql, name, isNamed, coding)
  }

  init(_ column: String, of table: String) {
    self.init(SQL(column: column, of: table), name: column)
  }

  /// Creates a named result column, for the code of `@Selection`.
  public init<Value: ColumnValue>(_ expression: SQLExpression<Value>, as name: String) {
    self.init(expression, name, Coding())
  }

  /// Creates a named result column with a storage format, for the code of `@Selection`.
  public init<Value, Representation: ColumnRepresentation>(
    _ expression: SQLExpression<Value>, as name: String, stored representation: Representation.Type
  ) where Representation.Value == Value {
    self.init(expression, name, Coding(representation))
  }

  private init<Value>(_ expression: SQLExpression<Value>, _ name: String, _ coding: Coding<Value>) {
    let text = coding.isDecimalText ? expression.decimalText : nil
    self.init(
      text ?? expression.selected(as: name, coding), name: name, isNamed: true, coding: coding)
    initial = expression.column?.initial
  }

  func renaming(_ renames: Renames) -> ResultColumn { with(sql: sql.renaming(renames)) }

  func with(sql: SQL, isNamed: Bool? = nil) -> ResultColumn {
    var column = self
    column.sql = sql
    column.isNamed = isNamed ?? self.isNamed
    return column
  }

  func with(name: String?) -> ResultColumn {
    var column = self
    column.name = name
    return column
  }

  func nullable() -> ResultColumn {
    var column = self
    column.isNullable = true
    return column
  }

  func named(_ index: Int) -> ResultColumn {
    with(name: name ?? Self.name(index))
  }

  static func name(_ index: Int) -> String { "column\(index + 1)" }

  func definition(isNamed: Bool) -> SQL {
    guard isNamed || self.isNamed, let name else { return sql }
    var definition = sql
    definition.append(" AS \(name.quotedIdentifier)")
    return definition
  }
}

extension SQLExpression: Projection {
  /// Returns the expression as a result column without a name.
  @_documentation(visibility: internal)
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    [ResultColumn(projection.sql, name: nil, coding: projection.coding)]
  }

  /// Reads the expression's value from a row.
  @_documentation(visibility: internal)
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Value
  {
    try projection.coding.decode(row[first])
  }
}

struct TupleProjection<each Part: Projection>: Projection {
  typealias Projected = (repeat (each Part).Projected)

  let parts: (repeat each Part)
  private let starts: [Int32]

  init(_ parts: repeat each Part) {
    self.parts = (repeat each parts)
    var starts: [Int32] = [0]
    repeat starts.append(
      (starts.last ?? 0) + Int32((each Part).resultColumns(each parts).count))
    self.starts = starts
  }

  static func resultColumns(_ projection: Self) -> [ResultColumn] {
    var columns: [ResultColumn] = []
    repeat columns += (each Part).resultColumns(each projection.parts)
    return columns
  }

  static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> (repeat (each Part).Projected)
  {
    var index = 0
    return
      (repeat try (each Part).read(
        each projection.parts, from: row, at: first + projection.start(&index)))
  }

  static func reader(_ projection: Self) -> RowReader<(repeat (each Part).Projected)> {
    .tuple(projection)
  }

  private func start(_ index: inout Int) -> Int32 {
    defer { index += 1 }
    return starts[index]
  }
}
