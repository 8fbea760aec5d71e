/// What a row of a query is made of: an expression, the columns of a model, or those of a
/// ``Selection``.
///
/// `select` takes one of them or a tuple of some. Nobody but MiniORM and its macros conforms to it.
public protocol Projection: Sendable {
  /// The type that is read from a row.
  // Not called `Value` or `Output`: in what the macros write, it would hide a type of that name.
  associatedtype Projected

  /// The columns of the result.
  /// - Parameter projection: The expression, or the columns.
  static func resultColumns(_ projection: Self) -> [ResultColumn]

  /// Reads what is projected from a row.
  /// - Parameters:
  ///   - projection: The expression, or the columns.
  ///   - row: The row.
  ///   - first: Where the first of its columns stands in the row.
  /// - Throws: ``DatabaseError`` with the operation `read` when a value is not of its type.
  static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Projected

  /// What reads all the rows of a result.
  /// - Parameter projection: The expression, or the columns.
  static func reader(_ projection: Self) -> RowReader<Projected>
}

extension Projection {
  /// What reads all the rows of a result, one call a row.
  /// - Parameter projection: The expression, or the columns.
  public static func reader(_ projection: Self) -> RowReader<Projected> { RowReader(projection) }
}

/// A column of a query's result: an expression, with a name where it has one.
///
/// See [Result columns](https://www.sqlite.org/syntax/result-column.html).
public struct ResultColumn: Sendable {
  let sql: SQL
  let name: String?
  /// Whether the name stands in the SELECT, and not only in one that is a subquery.
  let isNamed: Bool
  /// How the values are read, a ``Coding``; nil for a model's column.
  let coding: (any StoredCoding)?

  init(_ sql: SQL, name: String?, isNamed: Bool = false, coding: (any StoredCoding)? = nil) {
    (self.sql, self.name, self.isNamed, self.coding) = (sql, name, isNamed, coding)
  }

  /// A column of a table.
  init(_ column: String, of table: String) {
    self.init(SQL(column: column, of: table), name: column)
  }

  /// Names an expression. `@Selection` lists its properties so.
  /// - Parameters:
  ///   - expression: The expression.
  ///   - name: The name of the column in the result.
  public init<Value: ColumnValue>(_ expression: SQLExpression<Value>, as name: String) {
    self.init(expression, name, Coding())
  }

  /// Names an expression whose values are read through a representation. `@Selection` lists its
  /// properties with `@Column(as:)` so.
  /// - Parameters:
  ///   - expression: The expression.
  ///   - name: The name of the column in the result.
  ///   - representation: How the property's values are stored.
  public init<Value, Representation: ColumnRepresentation>(
    _ expression: SQLExpression<Value>, as name: String, stored representation: Representation.Type
  ) where Representation.Value == Value {
    self.init(expression, name, Coding(representation))
  }

  /// The property decides how it is read, and what is selected for it may be stored another way.
  private init<Value>(_ expression: SQLExpression<Value>, _ name: String, _ coding: Coding<Value>) {
    self.init(expression.stored(like: coding), name: name, isNamed: true, coding: coding)
  }

  func renaming(_ renames: Renames) -> ResultColumn {
    ResultColumn(sql.renaming(renames), name: name, isNamed: isNamed, coding: coding)
  }

  /// The same column with a name: its own, or one by its number.
  func named(_ index: Int) -> ResultColumn {
    ResultColumn(sql, name: name ?? Self.name(index), isNamed: isNamed, coding: coding)
  }

  /// What a column without a name is called in a subquery.
  /// - Parameter index: Its place, from 0.
  static func name(_ index: Int) -> String { "column\(index + 1)" }

  /// `expression AS "name"`.
  func definition(isNamed: Bool) -> SQL {
    guard isNamed || self.isNamed, let name else { return sql }
    var definition = sql
    definition.append(" AS \(name.quotedIdentifier)")
    return definition
  }
}

extension SQLExpression: Projection {
  /// The expression itself, without a name.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] {
    [ResultColumn(projection.sql, name: nil, coding: projection.coding)]
  }

  /// Reads a value.
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Value
  {
    try projection.coding.decode(row[first])
  }
}

/// Several projections side by side, read as a tuple.
struct TupleProjection<each Part: Projection>: Projection {
  typealias Projected = (repeat (each Part).Projected)

  let parts: (repeat each Part)
  /// Where each part begins.
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

  private func start(_ index: inout Int) -> Int32 {
    defer { index += 1 }
    return starts[index]
  }
}
