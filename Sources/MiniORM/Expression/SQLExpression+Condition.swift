/// A condition, as `where`, `join`, CASE and the like take it: an ``SQLExpression`` of `Bool` or of `Bool?`.
///
/// NULL counts as false. Only expressions conform.
public protocol SQLCondition: Sendable {
  /// The condition as one that may be NULL.
  var condition: SQLExpression<Bool?> { get }
}
extension SQLExpression: SQLCondition where Value: SQLBoolean {
  /// The condition as one that may be NULL.
  public var condition: SQLExpression<Bool?> {
    SQLExpression<Bool?>(part.isColumn ? SQLPart(sql) : part, Coding())
  }
}
extension SQLCondition {
  var sql: SQL { condition.sql }
  var part: SQLPart { condition.part }
}

// The right side's type is that of the whole if the left one is not optional; otherwise it is the
// left one's.
extension SQLExpression<Bool> {
  /// Returns whether both conditions are true, or NULL if one is NULL and the other is not false:
  /// `AND`.
  public static func && <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> SQLExpression<Other>
  { infix(left, "AND", right, Coding()) }
  /// Returns whether at least one condition is true, or NULL if one is NULL and the other is not
  /// true: `OR`.
  public static func || <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> SQLExpression<Other>
  { infix(left, "OR", right, Coding()) }
}
extension SQLExpression<Bool?> {
  /// Returns whether both conditions are true, or NULL if one is NULL and the other is not false:
  /// `AND`.
  public static func && <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> Self
  {
    infix(left, "AND", right, Coding())
  }
  /// Returns whether at least one condition is true, or NULL if one is NULL and the other is not
  /// true: `OR`.
  public static func || <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> Self
  {
    infix(left, "OR", right, Coding())
  }

  // Disfavored, so that another type is chosen where an operator determines it.
  /// Creates a condition from raw SQL. Interpolated values are bound.
  ///
  /// The compiler chooses this initializer if nothing else determines the type: `companies.where {
  /// _ in SQLExpression("length(name) > 3") }`.
  /// - Parameter sql: The SQL.
  @_disfavoredOverload
  public init(_ sql: SQL) { self.init(wrapping: sql) }
}
extension SQLExpression where Value: SQLBoolean {
  /// Returns whether the condition is false, or NULL if it is NULL: `NOT`.
  public static prefix func ! (operand: Self) -> Self {
    var sql = SQL(raw: "(NOT ")
    sql.append(operand.sql)
    sql.append(")")
    return SQLExpression(sql, Coding())
  }
}
