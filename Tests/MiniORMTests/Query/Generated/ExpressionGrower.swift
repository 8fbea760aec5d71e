@testable import MiniORM

typealias TypedExpression<Value> = MiniORM.SQLExpression<Value>

/// An expression as MiniORM builds it, and the same expression as SQL text with literals.
struct TwinExpression<Value: Sendable>: Sendable {
  let expression: TypedExpression<Value>
  let text: String

  init(_ expression: TypedExpression<Value>, _ text: String) {
    (self.expression, self.text) = (expression, text)
  }

  /// Accepts nullable and non-nullable conditions.
  @_disfavoredOverload
  init(_ condition: any SQLCondition, _ text: String) where Value == Bool? {
    self.init(condition.condition, text)
  }
}

/// Grows random expression trees. Each method returns a value of one type.
struct ExpressionGrower {
  /// The leaves of the trees, besides constants.
  struct Leaves {
    var integers: [TwinExpression<Int>] = []
    var nullables: [TwinExpression<Int?>] = []
    var texts: [TwinExpression<String>] = []
    var nullableTexts: [TwinExpression<String?>] = []
    var conditions: [TwinExpression<Bool?>] = []
  }

  var random: SeededRandom
  var leaves: Leaves

  init(seed: UInt64, _ leaves: Leaves = Leaves()) {
    (random, self.leaves) = (SeededRandom(seed), leaves)
  }

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[pick(elements.count)] }
  mutating func number() -> Int { Int.random(in: -3...6, using: &random) }
  mutating func word() -> String {
    ["", "a", "A", "ab", "b'c", "%a", "_", "é", "日本"][pick(9)]
  }
  func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  // MARK: Integers

  mutating func integer(_ depth: Int) -> TwinExpression<Int> {
    guard depth > 0 else {
      let n = number()
      return pick(leaves.integers + [TwinExpression(SQL.value(n), "(\(n))")])
    }
    switch pick(14) {
    case 0: return infix(depth, "+") { $0 + $1 }
    case 1: return infix(depth, "-") { $0 - $1 }
    case 2:
      // Nested products overflow 64 bits, where SQLite and Swift differ.
      let (left, n) = (integer(depth - 1), number())
      return TwinExpression(left.expression * n, "(\(left.text) * (\(n)))")
    case 3: return infix(depth, "&") { $0 & $1 }
    case 4: return infix(depth, "|") { $0 | $1 }
    case 5:
      let operand = integer(depth - 1)
      return TwinExpression(-operand.expression, "(- \(operand.text))")
    case 6:
      let operand = integer(depth - 1)
      return TwinExpression(~operand.expression, "(~ \(operand.text))")
    case 7:
      let operand = integer(depth - 1)
      return TwinExpression(operand.expression.abs(), "abs(\(operand.text))")
    case 8:
      let (left, right) = (nullable(depth - 1), integer(depth - 1))
      return TwinExpression(
        left.expression ?? right.expression,
        "CASE WHEN \(left.text) IS NULL THEN \(right.text) ELSE \(left.text) END")
    case 9:
      let (when, then, other) = (condition(depth - 1), integer(depth - 1), integer(depth - 1))
      return TwinExpression(
        when.expression.iif(then.expression, else: other.expression),
        "CASE WHEN \(when.text) THEN \(then.text) ELSE \(other.text) END")
    case 10:
      let (one, two) = (condition(depth - 1), condition(depth - 1))
      let (first, second) = (integer(depth - 1), integer(depth - 1))
      let n = number()
      return TwinExpression(
        Case.when(one.expression, then: first.expression)
          .when(two.expression, then: second.expression).else(n),
        "(CASE WHEN \(one.text) THEN \(first.text) WHEN \(two.text) THEN \(second.text) ELSE \(n) END)"
      )
    case 11:
      let (left, right) = (integer(depth - 1), integer(depth - 1))
      return TwinExpression(
        left.expression.max(right.expression),
        "(CASE WHEN \(left.text) >= \(right.text) THEN \(left.text) ELSE \(right.text) END)")
    case 12:
      let n = number()
      let operand = integer(depth - 1)
      return TwinExpression(n - operand.expression, "(\(n) - \(operand.text))")
    default:
      let operand = text(depth - 1)
      return TwinExpression(operand.expression.length(), "length(\(operand.text))")
    }
  }

  private mutating func infix(
    _ depth: Int, _ name: String,
    _ make: (TypedExpression<Int>, TypedExpression<Int>) -> TypedExpression<Int>
  ) -> TwinExpression<Int> {
    let (left, right) = (integer(depth - 1), integer(depth - 1))
    return TwinExpression(
      make(left.expression, right.expression), "(\(left.text) \(name) \(right.text))")
  }

  mutating func nullable(_ depth: Int) -> TwinExpression<Int?> {
    guard depth > 0 else {
      return pick(leaves.nullables + [TwinExpression(SQL.value(nil), "NULL")])
    }
    switch pick(9) {
    case 0:
      let (left, right) = (nullable(depth - 1), nullable(depth - 1))
      return TwinExpression(left.expression + right.expression, "(\(left.text) + \(right.text))")
    case 1:
      let (left, right) = (nullable(depth - 1), integer(depth - 1))
      return TwinExpression(
        left.expression / right.expression.optional, "(\(left.text) / \(right.text))")
    case 2:
      let (left, right) = (nullable(depth - 1), integer(depth - 1))
      return TwinExpression(
        left.expression % right.expression.optional, "(\(left.text) % \(right.text))")
    case 3:
      let (when, then) = (condition(depth - 1), nullable(depth - 1))
      return TwinExpression(
        Case.when(when.expression, then: then.expression).end(),
        "(CASE WHEN \(when.text) THEN \(then.text) END)")
    case 4:
      let (subject, then, n) = (nullable(depth - 1), integer(depth - 1), number())
      return TwinExpression(
        Case(subject.expression).when(n, then: then.expression).when(nil, then: 7).end(),
        "(CASE WHEN \(subject.text) = (\(n)) THEN \(then.text) WHEN \(subject.text) IS NULL THEN 7 END)"
      )
    case 5:
      let (operand, n) = (nullable(depth - 1), number())
      return TwinExpression(
        operand.expression.nullif(n),
        "(CASE WHEN \(operand.text) = (\(n)) THEN NULL ELSE \(operand.text) END)")
    case 6:
      let (one, two, three) = (nullable(depth - 1), nullable(depth - 1), nullable(depth - 1))
      return TwinExpression(
        one.expression.coalesce(two.expression, three.expression),
        "ifnull(\(one.text), ifnull(\(two.text), \(three.text)))")
    case 7:
      let operand = nullableText(depth - 1)
      return TwinExpression(operand.expression.length(), "length(\(operand.text))")
    default:
      let operand = nullable(depth - 1)
      return TwinExpression(-operand.expression, "(- \(operand.text))")
    }
  }

  // MARK: Texts

  mutating func text(_ depth: Int) -> TwinExpression<String> {
    guard depth > 0 else {
      let word = word()
      return pick(2) == 0 && !leaves.texts.isEmpty
        ? pick(leaves.texts) : TwinExpression(SQL.value(word), quoted(word))
    }
    let operand = text(depth - 1)
    switch pick(8) {
    case 0: return TwinExpression(operand.expression.upper(), "upper(\(operand.text))")
    case 1:
      return TwinExpression(operand.expression.trim("a"), "ltrim(rtrim(\(operand.text), 'a'), 'a')")
    case 2:
      let other = text(depth - 1)
      return TwinExpression(
        operand.expression.appending(other.expression), "(\(operand.text) || \(other.text))")
    case 3:
      let (start, count) = (number(), pick(4))
      return TwinExpression(
        operand.expression.substr(start, count), "substr(\(operand.text), \(start), \(count))")
    case 4:
      let word = word()
      return TwinExpression(
        operand.expression.replace("a", with: word),
        "replace(\(operand.text), 'a', \(quoted(word)))")
    case 5:
      let other = nullableText(depth - 1)
      return TwinExpression(
        other.expression ?? operand.expression, "coalesce(\(other.text), \(operand.text))")
    case 6:
      let number = integer(depth - 1)
      return TwinExpression(number.expression.cast(to: String.self), "CAST(\(number.text) AS TEXT)")
    default:
      let when = condition(depth - 1)
      return TwinExpression(
        Case.when(when.expression, then: operand.expression).else("-"),
        "(CASE WHEN \(when.text) THEN \(operand.text) ELSE '-' END)")
    }
  }

  mutating func nullableText(_ depth: Int) -> TwinExpression<String?> {
    guard depth > 0 else { return pick(leaves.nullableTexts) }
    switch pick(3) {
    case 0:
      let operand = text(depth - 1)
      let word = word()
      return TwinExpression(
        operand.expression.nullif(word), "nullif(\(operand.text), \(quoted(word)))")
    case 1:
      let (left, right) = (nullableText(depth - 1), text(depth - 1))
      return TwinExpression(
        left.expression.appending(right.expression.optional), "(\(left.text) || \(right.text))")
    default:
      let operand = nullableText(depth - 1)
      return TwinExpression(operand.expression.lower(), "lower(\(operand.text))")
    }
  }

  // MARK: Conditions

  mutating func condition(_ depth: Int) -> TwinExpression<Bool?> {
    guard depth > 0 else { return pick(leaves.conditions) }
    switch pick(16) {
    case 0:
      let operand = condition(depth - 1)
      return TwinExpression(!operand.expression, "(NOT \(operand.text))")
    case 1:
      let (left, right) = (condition(depth - 1), condition(depth - 1))
      return TwinExpression(left.expression && right.expression, "(\(left.text) AND \(right.text))")
    case 2:
      let (left, right) = (condition(depth - 1), condition(depth - 1))
      return TwinExpression(left.expression || right.expression, "(\(left.text) OR \(right.text))")
    case 3:
      let (left, right) = (nullable(depth - 1), nullable(depth - 1))
      return TwinExpression(left.expression == right.expression, "(\(left.text) IS \(right.text))")
    case 4:
      let (left, right) = (nullable(depth - 1), integer(depth - 1))
      return TwinExpression(
        left.expression != right.expression, "(\(left.text) IS NOT \(right.text))")
    case 5:
      let (left, right) = (integer(depth - 1), nullable(depth - 1))
      return TwinExpression(left.expression == right.expression, "(\(left.text) IS \(right.text))")
    case 6:
      let (left, right) = (integer(depth - 1), integer(depth - 1))
      return TwinExpression(left.expression == right.expression, "(\(left.text) = \(right.text))")
    case 7:
      let (left, right) = (nullable(depth - 1), integer(depth - 1))
      return TwinExpression(left.expression < right.expression, "(\(left.text) < \(right.text))")
    case 8:
      let (left, right) = (text(depth - 1), text(depth - 1))
      return TwinExpression(left.expression <= right.expression, "(\(left.text) <= \(right.text))")
    case 9:
      let (one, low, high) = (nullable(depth - 1), nullable(depth - 1), nullable(depth - 1))
      return TwinExpression(
        one.expression.between(low.expression, and: high.expression),
        "(\(one.text) >= \(low.text) AND \(one.text) <= \(high.text))")
    case 10:
      let (one, n, m) = (nullable(depth - 1), number(), number())
      return TwinExpression(
        one.expression.isIn([n, m, nil]), "(\(one.text) IN (\(n), \(m), NULL))")
    case 11:
      let (one, two, three) = (integer(depth - 1), integer(depth - 1), integer(depth - 1))
      return TwinExpression(
        one.expression.isIn(two.expression, three.expression),
        "(\(one.text) = \(two.text) OR \(one.text) = \(three.text))")
    case 12:
      let (one, word) = (nullableText(depth - 1), word())
      return TwinExpression(
        one.expression.like("%\(word)%"), "(\(one.text) LIKE \(quoted("%\(word)%")))")
    case 13:
      let (one, two) = (text(depth - 1), text(depth - 1))
      return TwinExpression(
        one.expression.contains(two.expression), "(instr(\(one.text), \(two.text)) > 0)")
    case 14:
      let (one, two, n, word) = (integer(depth - 1), text(depth - 1), number(), word())
      return TwinExpression(
        RowValue(one.expression, two.expression) > (n, word),
        "(\(one.text) > (\(n)) OR (\(one.text) = (\(n)) AND \(two.text) > \(quoted(word))))")
    default:
      let operand = nullable(depth - 1)
      return TwinExpression(operand.expression.isNil, "(\(operand.text) ISNULL)")
    }
  }
}
