import Synchronization

/// SQL that yields a value: a column, or the result of operators and functions applied to columns.
///
/// A model's columns are expressions: in `table.where { $0.employeeCount >= 100 }`,
/// `$0.employeeCount` is an expression.
///
/// See [SQL Language Expressions](https://www.sqlite.org/lang_expr.html).
public struct SQLExpression<Value>: Sendable {
  // An expression has at most 24 bytes, so that `any SQLCondition` stores it without an allocation.
  let part: SQLPart
  let coding: Coding<Value>
  var isAggregate = false

  var sql: SQL { SQL(part) }

  var column: ColumnSchema? { ColumnPart.of(part)?.column }

  init(_ sql: SQL, _ coding: Coding<Value>, _ column: ColumnSchema? = nil) {
    part = column.map { ColumnPart(sql, $0) } ?? SQLPart(sql)
    self.coding = coding
  }

  init(_ part: consuming SQLPart, _ coding: consuming Coding<Value>) {
    self.part = part
    self.coding = coding
  }

  /// Creates an expression from raw SQL. Interpolated values are bound.
  ///
  /// ```swift
  /// companies.where { _ in SQLExpression("length(name) > \(limit)") }
  /// ```
  /// The SQL of a `Date`, a `UUID` or a `Decimal` needs a format: ``init(_:as:)``.
  public init(_ sql: SQL) where Value: ColumnValue, Value._StoredFormats == _OneStoredFormat {
    self.init(wrapping: sql)
  }

  /// Creates an expression from raw SQL that yields a value in a storage format.
  ///
  /// ```swift
  /// SQLExpression<Date?>("max(arrived)", as: .unixSecondsReal)
  /// ```
  /// The statement throws ``DatabaseError`` with the operation `bind` if the type does not have the
  /// format.
  public init(_ sql: SQL, as format: ColumnStorage) where Value: ColumnValue {
    var wrapped = SQLExpression(wrapping: sql)
    do throws(DatabaseError) {
      wrapped = SQLExpression(wrapped.part, try format.coding(of: Value.self))
    } catch {
      var sql = wrapped.sql
      sql.record(error)
      wrapped = SQLExpression(SQLPart(sql), wrapped.coding)
    }
    self = wrapped
  }

  init(wrapping sql: SQL) where Value: ColumnValue {
    var wrapped = SQL(raw: "(")
    wrapped.append(written: sql)
    wrapped.append(")")
    self.init(wrapped, Coding().ofUnknownStorage)
  }

  init(
    _ name: String, of table: String, _ coding: Coding<Value>,
    _ constraints: [ColumnConstraint] = []
  ) {
    part = ColumnPart(
      SQL(column: name, of: TableName.current ?? table),
      ColumnSchema(
        name, table: table, type: coding.type, isNullable: coding.isNullable, constraints,
        stored: coding.stored))
    self.coding = coding
  }

  /// Creates a column, for the code of `@Table`.
  @_documentation(visibility: internal)
  public init(column name: String, of table: String, _ constraints: ColumnConstraint...)
  where Value: ColumnValue {
    self.init(name, of: table, Coding(), constraints)
  }

  /// Creates a column with a storage format, for the code of `@Table` and `@Column(as:)`.
  @_documentation(visibility: internal)
  public init<Representation: ColumnRepresentation>(
    column name: String, of table: String, as representation: Representation.Type,
    _ constraints: ColumnConstraint...
  ) where Representation.Value == Value {
    self.init(name, of: table, Coding(representation), constraints)
  }

  /// Creates a column with a default, for the code of `@Selection`. An `@Embedded` property that is
  /// not optional passes the default on to the table's column.
  @_documentation(visibility: internal)
  public init(
    column name: String, of table: String,
    default value: @autoclosure @escaping @Sendable () -> Value,
    isConstant: Bool
  ) where Value: ColumnValue {
    let initial = InitialValue(value: value, isConstant: isConstant)
    self.init(name, of: table, Coding(), [.init(kind: .initial(initial))])
  }

  /// Creates a column with a storage format and a default, for the code of `@Selection`.
  @_documentation(visibility: internal)
  public init<Representation: ColumnRepresentation, Default: ColumnValue>(
    column name: String, of table: String, as representation: Representation.Type,
    default value: @autoclosure @escaping @Sendable () -> Default, isConstant: Bool
  ) where Representation.Value == Value {
    let initial = InitialValue(value: value, isConstant: isConstant)
    self.init(name, of: table, Coding(representation), [.init(kind: .initial(initial))])
  }

  /// The column's schema, which `@Table` adds to the table's schema.
  @_documentation(visibility: internal)
  public var schema: ColumnSchema {
    column
      ?? ColumnSchema(sql.text, table: "", type: coding.type, isNullable: coding.isNullable, [])
  }

  func qualified(by table: String, prefix: String = "") -> SQLExpression {
    guard let part = ColumnPart.of(part) else { return self }
    guard !prefix.isEmpty else { return SQLExpression(part.qualified(by: table), coding) }
    let name = prefix + part.column.name
    return SQLExpression(
      SQL(column: name, of: table), coding,
      ColumnSchema(name, table: table, type: coding.type, isNullable: coding.isNullable, []))
  }

  var columnName: String { column?.quotedName ?? sql.text }

  func binding(_ value: Value) -> SQL { SQL(binding: coding.encode(value)) }

  func comparing(_ value: Value) -> SQL { SQL(binding: coding.encodeCompared(value)) }
}

extension SQLExpression {
  // Operators consume their operands: a retain and a release would cost as much as the rest.

  static func infix<Other, Result>(
    _ left: consuming SQLExpression<Value>, _ name: consuming String,
    _ right: consuming SQLExpression<Other>, _ coding: consuming Coding<Result>
  ) -> SQLExpression<Result> {
    if left.coding.isSame(as: right.coding) {
      let right = right.part
      return SQLExpression<Result>(SQLPart(left.comparedPart(), name, right), coding)
    }
    let operands = left.operands(with: right)
    return SQLExpression<Result>(SQLPart(operands.left, name, operands.right), coding)
  }

  consuming func infix<Result>(
    _ name: consuming String, value: Value, _ coding: consuming Coding<Result>
  ) -> SQLExpression<Result> {
    let encoded = self.coding.encodeCompared(value)
    return SQLExpression<Result>(SQLPart(comparedPart(), name, encoded), coding)
  }

  func infix<Result>(_ name: String, _ right: SQL, _ coding: Coding<Result>) -> SQLExpression<
    Result
  > {
    SQLExpression<Result>(SQLPart(comparedPart(), name, SQLPart(right)), coding)
  }

  func function<Result>(_ name: String, _ others: [SQL], _ coding: Coding<Result>) -> SQLExpression<
    Result
  > {
    var text = SQL(raw: "\(name)(")
    text.append(SQL.joined([compared] + others, separator: ", "))
    text.append(")")
    return SQLExpression<Result>(text, coding)
  }

  /// The expression with an optional type: `$0.bonus + $0.salary.optional`.
  public var optional: SQLExpression<Value?> {
    SQLExpression<Value?>(part.isColumn ? SQLPart(sql) : part, coding.optional)
  }
}

final class ColumnPart: SQLPart, @unchecked Sendable {
  let column: ColumnSchema
  /// Caches the column under the last requested alias, usually `excluded`.
  private let qualified = Mutex<(table: String, part: ColumnPart)?>(nil)

  init(_ sql: SQL, _ column: ColumnSchema) {
    self.column = column
    super.init(sql, isColumn: true)
  }

  static func of(_ part: SQLPart) -> ColumnPart? {
    part.isColumn ? unsafeDowncast(part, to: ColumnPart.self) : nil  // checked by isColumn
  }

  func qualified(by table: String) -> ColumnPart {
    qualified.withLock { qualified in
      // Compares in place, without copying the cached value.
      if qualified?.table.hasSameBytes(as: table) ?? false, let part = qualified?.part {
        return part
      }
      let part = ColumnPart(SQL(column: column.name, of: table), column)
      qualified = (table, part)
      return part
    }
  }
}
