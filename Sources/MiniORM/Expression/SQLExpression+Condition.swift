/// A condition, as `where`, `join`, CASE and the like take it: an ``SQLExpression`` of `Bool` or of `Bool?`.
///
/// NULL counts as false there. Nothing but an expression conforms to it.
public protocol SQLCondition: Sendable {
  /// The condition as one that may be NULL.
  var condition: SQLExpression<Bool?> { get }
}
extension SQLExpression: SQLCondition where Value: SQLBoolean {
  /// The condition as one that may be NULL.
  public var condition: SQLExpression<Bool?> { SQLExpression<Bool?>(sql, Coding()) }
}
extension SQLCondition {
  var sql: SQL { condition.sql }
}

// The right side's type is that of the whole where the left one is no optional; else it is the left one's.
extension SQLExpression<Bool> {
  /// AND: NULL where one side is and the other is not false.
  public static func && <Other: SQLBoolean>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Other>
  { infix(left, "AND", right, Coding()) }
  /// OR: NULL where one side is and the other is not true.
  public static func || <Other: SQLBoolean>(left: Self, right: SQLExpression<Other>)
    -> SQLExpression<Other>
  { infix(left, "OR", right, Coding()) }
}
extension SQLExpression<Bool?> {
  /// AND: NULL where one side is and the other is not false.
  public static func && <Other: SQLBoolean>(left: Self, right: SQLExpression<Other>) -> Self {
    infix(left, "AND", right, Coding())
  }
  /// OR: NULL where one side is and the other is not true.
  public static func || <Other: SQLBoolean>(left: Self, right: SQLExpression<Other>) -> Self {
    infix(left, "OR", right, Coding())
  }

  /// A raw condition. Interpolated values are bound.
  ///
  /// It is the one that is meant where nothing else says what the SQL yields:
  /// `companies.where { _ in SQLExpression("length(name) > 3") }`.
  /// - Parameter sql: The SQL.
  public init(_ sql: SQL) { self.init(wrapping: sql) }
}
extension SQLExpression where Value: SQLBoolean {
  /// NOT: NULL where the operand is.
  public static prefix func ! (operand: Self) -> Self {
    var sql = SQL(raw: "(NOT ")
    sql.append(operand.sql)
    sql.append(")")
    return SQLExpression(sql, Coding())
  }
}
