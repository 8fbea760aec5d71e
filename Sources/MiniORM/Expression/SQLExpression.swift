/// SQL that yields a value: a column, or the result of operators and functions applied to columns.
///
/// A model's columns are expressions: in `table.where { $0.employeeCount >= 100 }`, `$0` has one
/// for each property.
///
/// See [SQL Language Expressions](https://www.sqlite.org/lang_expr.html).
public struct SQLExpression<Value>: Sendable {
  let sql: SQL
  let coding: Coding<Value>
  /// The column, if the expression is just a column.
  let column: ColumnSchema?
  /// Whether OVER can follow.
  var isAggregate = false

  init(_ sql: SQL, _ coding: Coding<Value>, _ column: ColumnSchema? = nil) {
    self.sql = sql
    self.coding = coding
    self.column = column
  }

  /// Creates an expression from raw SQL. Interpolated values are bound.
  ///
  /// ```swift
  /// companies.where { _ in SQLExpression("length(name) > \(limit)") }
  /// ```
  /// - Parameter sql: The SQL.
  public init(_ sql: SQL) where Value: ColumnValue { self.init(wrapping: sql) }

  init(wrapping sql: SQL) where Value: ColumnValue {
    var wrapped = SQL(raw: "(")
    wrapped.append(sql)
    wrapped.append(")")
    self.init(wrapped, Coding().ofUnknownStorage)
  }

  init(
    _ name: String, of table: String, _ coding: Coding<Value>,
    _ constraints: [ColumnConstraint] = []
  ) {
    sql = SQL(column: name, of: TableName.current ?? table)
    self.coding = coding
    column = ColumnSchema(
      name, table: table, type: coding.type, isNullable: coding.isNullable, constraints)
  }

  /// Creates a column. `@Table` calls this for each property.
  /// - Parameters:
  ///   - name: The column's name.
  ///   - table: The table's name.
  ///   - constraints: The column's constraints.
  public init(column name: String, of table: String, _ constraints: ColumnConstraint...)
  where Value: ColumnValue {
    self.init(name, of: table, Coding(), constraints)
  }

  /// Creates a column that stores its values in another way. `@Table` calls this for a property
  /// with `@Column(as:)`.
  /// - Parameters:
  ///   - name: The column's name.
  ///   - table: The table's name.
  ///   - representation: How values are stored.
  ///   - constraints: The column's constraints.
  public init<Representation: ColumnRepresentation>(
    column name: String, of table: String, as representation: Representation.Type,
    _ constraints: ColumnConstraint...
  ) where Representation.Value == Value {
    self.init(name, of: table, Coding(representation), constraints)
  }

  /// The schema of this column. `@Table` lists them in the table's schema.
  public var schema: ColumnSchema {
    column
      ?? ColumnSchema(sql.text, table: "", type: coding.type, isNullable: coding.isNullable, [])
  }

  /// Returns the same column of a table that has another name in the query.
  /// - Parameter prefix: A prefix for the column's name.
  func qualified(by table: String, prefix: String = "") -> SQLExpression {
    guard let column else { return self }
    guard !prefix.isEmpty else {
      return SQLExpression(SQL(column: column.name, of: table), coding, column)
    }
    let name = prefix + column.name
    return SQLExpression(
      SQL(column: name, of: table), coding,
      ColumnSchema(name, table: table, type: coding.type, isNullable: coding.isNullable, []))
  }

  /// The quoted name of the column, or the SQL of an expression that is not a column.
  var columnName: String { column?.name.quotedIdentifier ?? sql.text }

  /// Returns a value as SQL, stored the way this expression's values are.
  func binding(_ value: Value) -> SQL { SQL(binding: coding.encode(value)) }
}

extension SQLExpression {
  /// Returns `left operator right`, in parentheses.
  static func infix<Other, Result>(
    _ left: SQLExpression<Value>, _ name: String, _ right: SQLExpression<Other>,
    _ coding: Coding<Result>
  ) -> SQLExpression<Result> {
    left.infix(name, right.unified(with: left.coding), coding)
  }

  func infix<Result>(_ name: String, _ right: SQL, _ coding: Coding<Result>) -> SQLExpression<
    Result
  > {
    let left = compared
    var text = SQL(capacity: left.segments.count + right.segments.count + 3)
    text.append("(")
    text.append(left)
    text.append(" " + name + " ")
    text.append(right)
    text.append(")")
    return SQLExpression<Result>(text, coding)
  }

  func function<Result>(_ name: String, _ others: [SQL], _ coding: Coding<Result>) -> SQLExpression<
    Result
  > {
    var text = SQL(raw: "\(name)(")
    text.append(SQL.joined([compared] + others, separator: ", "))
    text.append(")")
    return SQLExpression<Result>(text, coding)
  }

  /// The same expression as one that can be NULL: `$0.bonus + $0.salary.optional`.
  public var optional: SQLExpression<Value?> { SQLExpression<Value?>(sql, coding.optional) }
}
