/// `Bool`, or an optional one where SQLite may answer NULL: what a condition is.
public protocol SQLBoolean: ColumnValue {}
extension Bool: SQLBoolean {}
extension Optional: SQLBoolean where Wrapped == Bool {}

/// What SQLite compares by less and greater, so that a column of it can stand beside `<`, `between` and
/// `isIn`: every ``ColumnValue``.
///
/// A type that is stored through a ``ColumnRepresentation`` of yours, and is no ``ColumnValue`` itself,
/// conforms by saying so, where what is stored has the order of its values:
///
/// ```swift
/// extension Money: SQLComparable {}
/// ```
public protocol SQLComparable {
  /// What a comparison gives: `Bool`, or `Bool?` where a value can be NULL.
  // Not called `Truth`: it is a member of every application's type, and would hide one of that name.
  associatedtype SQLTruth: SQLBoolean = Bool
  /// The type itself, or what it wraps where it is an optional.
  associatedtype SQLUnwrapped = Self
}
extension Array: SQLComparable where Element == UInt8 {}
extension Optional: SQLComparable where Wrapped: SQLComparable {
  /// A comparison with NULL is NULL.
  public typealias SQLTruth = Bool?
  /// The type that is wrapped, however often.
  public typealias SQLUnwrapped = Wrapped.SQLUnwrapped
}

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
