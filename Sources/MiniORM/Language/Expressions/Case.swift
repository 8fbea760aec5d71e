/// A CASE expression, which chooses a value by conditions or by the value of an expression.
///
/// ```swift
/// Case.when($0.age < 18, then: "minor").when($0.age < 65, then: "adult").else("senior")
/// Case($0.level).when(1, then: "low").when(2, then: "middle").end()
/// ```
///
/// The first matching branch gives the value. See [The CASE
/// expression](https://www.sqlite.org/lang_expr.html#case).
public struct Case<Subject>: Sendable {
  let subject: SQLExpression<Subject>

  /// Creates a CASE that compares an expression with values. NULL equals `nil`, as with `==`.
  /// - Parameter subject: The expression. A nullable expression or a date is evaluated for each
  ///   branch.
  public init(_ subject: SQLExpression<Subject>) { self.subject = subject }

  /// Adds the first branch: a value to compare with, and a result.
  public func when<Value: ColumnValue>(_ value: Subject, then result: Value) -> Branches<Value> {
    Branches(subject, Coding()).when(value, then: result)
  }
  /// Adds the first branch: a value to compare with, and an expression for the result.
  public func when<Value>(_ value: Subject, then result: SQLExpression<Value>) -> Branches<Value> {
    Branches(subject, result.coding).when(value, then: result)
  }
  /// Adds the first branch: an expression to compare with, and an expression for the result.
  public func when<Value>(_ value: SQLExpression<Subject>, then result: SQLExpression<Value>)
    -> Branches<Value>
  { Branches(subject, result.coding).when(value, then: result) }

  /// A CASE with at least one branch.
  public struct Branches<Value>: Sendable {
    let subject: SQLExpression<Subject>?
    let coding: Coding<Value>
    private var sql: SQL

    init(_ subject: SQLExpression<Subject>?, _ coding: Coding<Value>) {
      (self.subject, self.coding) = (subject, coding)
      sql = SQL(raw: "CASE")
      guard let subject, !subject.isSearched else { return }
      sql.append(" ")
      sql.append(subject.compared)
    }

    fileprivate func adding(_ value: SQL, _ result: SQL) -> Branches {
      var branches = self
      branches.sql.append(" WHEN ")
      branches.sql.append(value)
      branches.sql.append(" THEN ")
      branches.sql.append(result)
      return branches
    }

    private func ending(_ result: SQL?) -> SQL {
      var sql = sql
      if let result {
        sql.append(" ELSE ")
        sql.append(result)
      }
      sql.append(" END")
      return sql
    }

    private func comparand(_ value: SQLExpression<Subject>) -> SQL {
      guard let subject else { return value.sql }
      guard subject.isSearched else { return value.unified(with: subject.coding, subject.sql) }
      return SQLExpression.infix(subject, subject.equal, value, Coding<Bool>()).sql
    }

    fileprivate func binding(_ value: Value) -> SQL { SQL(binding: coding.encode(value)) }

    private func binding(_ value: Subject) -> SQL {
      // Without a subject, the values are conditions.
      guard let subject else {
        return (value as? Bool).map { SQL(binding: $0) } ?? SQL(raw: "NULL")
      }
      guard subject.isSearched else { return subject.binding(value) }
      return subject.infix(subject.equal, value: value, Coding<Bool>()).sql
    }

    /// Adds a branch with a value to compare with, and a result.
    public func when(_ value: Subject, then result: Value) -> Branches {
      adding(binding(value), binding(result))
    }
    /// Adds a branch with a value to compare with, and an expression for the result.
    public func when(_ value: Subject, then result: SQLExpression<Value>) -> Branches {
      adding(binding(value), result.unified(with: coding, sql))
    }
    /// Adds a branch with a condition or an expression to compare with, and a result.
    public func when(_ condition: SQLExpression<Subject>, then result: Value) -> Branches {
      adding(comparand(condition), binding(result))
    }
    /// Adds a branch with a condition or an expression to compare with, and an expression for the
    /// result.
    public func when(_ condition: SQLExpression<Subject>, then result: SQLExpression<Value>)
      -> Branches
    {
      adding(comparand(condition), result.unified(with: coding, sql))
    }

    /// Ends the CASE with a value for ELSE, the result if no branch matches.
    public func `else`(_ value: Value) -> SQLExpression<Value> {
      SQLExpression(ending(binding(value)), coding)
    }
    /// Ends the CASE with an expression for ELSE, the result if no branch matches.
    public func `else`(_ expression: SQLExpression<Value>) -> SQLExpression<Value> {
      SQLExpression(ending(expression.unified(with: coding, sql)), coding)
    }
    /// Ends the CASE without ELSE: the result is NULL if no branch matches.
    public func end() -> SQLExpression<Value?> {
      SQLExpression<Value?>(ending(nil), coding.optional)
    }
    /// Ends the CASE without ELSE: the result is NULL if no branch matches.
    public func end<Wrapped>() -> SQLExpression<Value> where Value == Wrapped? {
      SQLExpression(ending(nil), coding)
    }
  }
}

extension SQLExpression {
  /// True if each branch compares the subject itself: in `CASE x WHEN y`, NULL would match nothing,
  /// and dates would not be converted.
  fileprivate var isSearched: Bool { coding.isNullable || coding.dates != nil }
}

extension Case where Subject == Bool {
  /// Adds the first branch: a condition, and a result.
  public static func when<Value: ColumnValue>(_ condition: any SQLCondition, then result: Value)
    -> Branches<Value>
  { Branches(nil, Coding()).when(condition, then: result) }
  /// Adds the first branch: a condition, and an expression for the result.
  public static func when<Value>(_ condition: any SQLCondition, then result: SQLExpression<Value>)
    -> Branches<Value>
  { Branches(nil, result.coding).when(condition, then: result) }
}

extension Case.Branches where Subject == Bool {
  /// Adds a branch with a condition and a result.
  @_disfavoredOverload  // For a `Bool` condition, the other overload is preferred
  public func when(_ condition: any SQLCondition, then result: Value) -> Self {
    adding(condition.sql, binding(result))
  }
  /// Adds a branch with a condition and an expression for the result.
  @_disfavoredOverload  // For a `Bool` condition, the other overload is preferred
  public func when(_ condition: any SQLCondition, then result: SQLExpression<Value>) -> Self {
    adding(condition.sql, result.unified(with: coding, sql))
  }
}
