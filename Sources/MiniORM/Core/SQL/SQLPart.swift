/// An operator with its operands, or plain segments. Building an operator copies no segments;
/// rendering puts them in order once.
@usableFromInline
class SQLPart: @unchecked Sendable {
  // A class with a subclass cannot be Sendable, but all properties are `let`, also in the subclass.

  final let segments: [SQL.Segment]
  final let left: SQLPart?
  final let name: String
  final let right: SQLPart?
  final let value: any ColumnValue
  final let isSpecial: Bool
  final let isColumn: Bool
  /// The column that `NOT` negates.
  final let negated: SQLPart?
  private final let depth: Int
  final let hasParts: Bool

  /// The name of the operator COLLATE: a column with a collation is recognized as the same column.
  static let collate = "COLLATE"

  /// The nesting limit: recursion through operands uses the stack, so deeper chains are flattened.
  private static let deepest = 64

  init(_ sql: SQL, isColumn: Bool = false, negating negated: SQLPart? = nil) {
    (segments, isSpecial, self.isColumn) = (sql.parts, sql.isSpecial, isColumn)
    self.negated = negated
    (left, name, right, value) = (nil, "", nil, DatabaseValue.null)
    hasParts = sql.hasParts
    var deepest = 0
    if sql.hasParts {
      for case .operation(let part) in sql.parts { deepest = max(deepest, part.depth) }
    }
    depth = deepest
  }

  init(_ left: consuming SQLPart, _ name: consuming String, _ right: consuming SQLPart) {
    if left.depth >= Self.deepest { left = left.inOrder }
    if right.depth >= Self.deepest { right = right.inOrder }
    (segments, value, negated) = ([], DatabaseValue.null, nil)
    (isColumn, hasParts) = (false, true)
    isSpecial = left.isSpecial ? true : right.isSpecial
    depth = max(left.depth, right.depth) + 1
    // Consumed, so that no reference is retained.
    self.name = consume name
    self.left = consume left
    self.right = consume right
  }

  init(_ left: consuming SQLPart, _ name: consuming String, _ value: consuming any ColumnValue) {
    if left.depth >= Self.deepest { left = left.inOrder }
    (segments, right, negated) = ([], nil, nil)
    (isColumn, hasParts) = (false, true)
    isSpecial = left.isSpecial
    depth = left.depth + 1
    self.name = consume name
    self.value = consume value
    self.left = consume left
  }

  private final var inOrder: SQLPart {
    var ordered: [SQL.Segment] = []
    append(to: &ordered)
    return SQLPart(SQL(segments: ordered))
  }

  final func append(to ordered: inout [SQL.Segment]) {
    guard let left else {
      for segment in segments { segment.append(to: &ordered) }
      return
    }
    ordered.append(.text("("))
    left.append(to: &ordered)
    ordered.append(.text(" " + name + " "))
    if let right { right.append(to: &ordered) } else { ordered.append(.parameter(.value(value))) }
    ordered.append(.text(")"))
  }
}

extension SQL.Segment {
  func append(to ordered: inout [SQL.Segment]) {
    if case .operation(let part) = self { part.append(to: &ordered) } else { ordered.append(self) }
  }
}
