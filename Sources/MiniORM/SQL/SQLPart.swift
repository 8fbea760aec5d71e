/// SQL that others hold without copying it: an operator with its operands, or the segments of one.
///
/// An operator makes one object and copies no segments. They are put in their order once, when the
/// whole becomes text.
@usableFromInline
class SQLPart: @unchecked Sendable {
  // All is declared by `let`, and so it is in the one class that inherits from this.

  /// The segments, where it is no operator.
  final let segments: [SQL.Segment]
  /// The left operand, where it is an operator.
  final let left: SQLPart?
  /// The name of the operator.
  final let name: String
  /// The right operand; nil where that is a value.
  final let right: SQLPart?
  /// The value, where the right operand is one.
  final let value: any ColumnValue
  /// As in ``SQL``.
  final let isSpecial: Bool
  /// Whether it is a column of a model.
  final let isColumn: Bool
  /// How many operators stand within each other.
  private final let depth: Int
  /// Whether there is an operator among the segments.
  final let hasParts: Bool

  /// The name of the operator for a collation, which is no part of what a column is.
  static let collate = "COLLATE"

  /// What goes from operand to operand needs the stack, so longer chains are put in order in between.
  private static let deepest = 64

  init(_ sql: SQL, isColumn: Bool = false) {
    (segments, isSpecial, self.isColumn) = (sql.parts, sql.isSpecial, isColumn)
    (left, name, right, value) = (nil, "", nil, DatabaseValue.null)
    hasParts = sql.hasParts
    var deepest = 0
    if sql.hasParts {
      for case .operation(let part) in sql.parts { deepest = max(deepest, part.depth) }
    }
    depth = deepest
  }

  /// `(left name right)`.
  init(_ left: consuming SQLPart, _ name: consuming String, _ right: consuming SQLPart) {
    if left.depth >= Self.deepest { left = left.inOrder }
    if right.depth >= Self.deepest { right = right.inOrder }
    (segments, value) = ([], DatabaseValue.null)
    (isColumn, hasParts) = (false, true)
    isSpecial = left.isSpecial ? true : right.isSpecial
    depth = max(left.depth, right.depth) + 1
    // Given away, so that nothing is counted.
    self.name = consume name
    self.left = consume left
    self.right = consume right
  }

  /// `(left name ?)`.
  init(_ left: consuming SQLPart, _ name: consuming String, _ value: consuming any ColumnValue) {
    if left.depth >= Self.deepest { left = left.inOrder }
    (segments, right) = ([], nil)
    (isColumn, hasParts) = (false, true)
    isSpecial = left.isSpecial
    depth = left.depth + 1
    self.name = consume name
    self.value = consume value
    self.left = consume left
  }

  /// The same without operators, for where too many stand within each other.
  private final var inOrder: SQLPart {
    var ordered: [SQL.Segment] = []
    append(to: &ordered)
    return SQLPart(SQL(segments: ordered))
  }

  /// Appends the segments in their order.
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
