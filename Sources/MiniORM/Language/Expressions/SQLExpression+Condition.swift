/// A condition for `where`, `join`, CASE and similar clauses: an ``SQLExpression`` of `Bool` or
/// `Bool?`.
///
/// NULL counts as false. Only expressions conform.
public protocol SQLCondition: Sendable {
  /// The condition as an expression that can be NULL.
  var condition: SQLExpression<Bool?> { get }
}
extension SQLExpression: SQLCondition where Value: SQLBoolean {
  /// The condition as an expression that can be NULL.
  @_documentation(visibility: internal)
  public var condition: SQLExpression<Bool?> {
    if part.isColumn {
      // A representation may store other values than 0 and 1.
      guard coding.isSame(as: Coding<Value>()) else {
        return SQLExpression<Bool?>(SQLPart(sql), Coding())
      }
      return SQLExpression<Bool?>(SQLPart(part, "=", .one), Coding())
    }
    if let column = part.negated {
      return SQLExpression<Bool?>(SQLPart(column, "=", .zero), Coding())
    }
    return SQLExpression<Bool?>(part, Coding())
  }
}
// SQLite answers a comparison by an index, but not a column alone or NOT.
extension SQLPart {
  fileprivate static let one = SQLPart(SQL(raw: "1"))
  fileprivate static let zero = SQLPart(SQL(raw: "0"))
}
extension SQLCondition {
  var sql: SQL { condition.sql }
  var part: SQLPart { condition.part }
}

// The result is nullable if either side is nullable.
extension SQLExpression<Bool> {
  /// Returns whether both conditions are true: `AND`. The result is NULL if a condition is NULL and
  /// neither is false.
  public static func && <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> SQLExpression<Other>
  { infix(left, "AND", right, Coding()) }
  /// Returns whether at least one condition is true: `OR`. The result is NULL if a condition is
  /// NULL and neither is true.
  public static func || <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> SQLExpression<Other>
  { infix(left, "OR", right, Coding()) }
}
extension SQLExpression<Bool?> {
  /// Returns whether both conditions are true: `AND`. The result can be NULL.
  public static func && <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> Self
  {
    infix(left, "AND", right, Coding())
  }
  /// Returns whether at least one condition is true: `OR`. The result can be NULL.
  public static func || <Other: SQLBoolean>(
    left: consuming Self, right: consuming SQLExpression<Other>
  )
    -> Self
  {
    infix(left, "OR", right, Coding())
  }

  // Disfavored, so that the type that an operator determines takes precedence.
  /// Creates a condition from raw SQL. Interpolated values are bound.
  ///
  /// If nothing else determines the type, the compiler chooses this initializer: `companies.where {
  /// _ in SQLExpression("length(name) > 3") }`.
  @_disfavoredOverload
  public init(_ sql: SQL) { self.init(wrapping: sql) }
}
extension SQLExpression where Value: SQLBoolean {
  /// Returns whether the condition is false, or NULL if the condition is NULL: `NOT`.
  public static prefix func ! (operand: Self) -> Self {
    var sql = SQL(raw: "(NOT ")
    sql.append(operand.sql)
    sql.append(")")
    let isColumn = operand.part.isColumn && operand.coding.isSame(as: Coding<Value>())
    return SQLExpression(SQLPart(sql, negating: isColumn ? operand.part : nil), Coding())
  }
}
