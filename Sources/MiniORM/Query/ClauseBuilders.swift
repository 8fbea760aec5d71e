// What stands in the closures of `select`, `order` and `group` is an expression, or a tuple of some. Were
// these overloads of the method, the compiler would check the whole closure against each, and arithmetic
// that does not fit takes it seconds to refuse. A builder lets it find the types within the closure first.
// A closure with `return` is no builder's: for these the methods have overloads, which are disfavoured so
// that nothing else waits for them.

/// What a closure of `select` has chosen.
public struct SelectedColumns<Output: Sendable>: Sendable {
  let columns: [ResultColumn]
  let reader: RowReader<Output>

  init<Part: Projection>(_ part: Part) where Part.Projected == Output {
    (columns, reader) = (Part.resultColumns(part), Part.reader(part))
  }
}

/// Takes what a closure of `select` names: an expression, columns, or a tuple of these.
@resultBuilder
public enum SelectBuilder {
  /// An expression.
  public static func buildExpression<Value: Sendable>(_ expression: SQLExpression<Value>)
    -> SelectedColumns<Value>
  { SelectedColumns(expression) }

  /// The columns of a table, or `Columns` of a `@Selection`.
  @_disfavoredOverload
  public static func buildExpression<Part: Projection>(_ part: Part)
    -> SelectedColumns<Part.Projected>
  where Part.Projected: Sendable { SelectedColumns(part) }

  /// A tuple of expressions and of columns of tables.
  @_disfavoredOverload
  public static func buildExpression<each Part: Projection>(_ parts: (repeat each Part))
    -> SelectedColumns<(repeat (each Part).Projected)>
  where repeat (each Part).Projected: Sendable {
    SelectedColumns(TupleProjection(repeat each parts))
  }

  /// The one thing that is chosen.
  public static func buildBlock<Output>(_ selected: SelectedColumns<Output>)
    -> SelectedColumns<Output>
  { selected }
}

/// Takes what a closure of `order` names: a term, or a tuple of terms.
@resultBuilder
public enum OrderBuilder {
  /// An expression.
  public static func buildExpression<Value>(_ expression: SQLExpression<Value>) -> [Ordering] {
    [expression.ordering]
  }

  /// An expression with a direction.
  public static func buildExpression(_ ordering: Ordering) -> [Ordering] { [ordering] }

  /// A tuple of terms.
  @_disfavoredOverload
  public static func buildExpression<each Term: OrderingTerm>(_ terms: (repeat each Term))
    -> [Ordering]
  { Ordering.all(repeat each terms) }

  /// Not there: a term is an expression, with or without a direction.
  @available(
    *, unavailable,
    message: "order by an expression, or by a tuple of some: { ($0.name, $0.age.descending) }"
  )
  public static func buildExpression<Other>(_ other: Other) -> [Ordering] { [] }

  /// The terms.
  public static func buildBlock(_ terms: [Ordering]) -> [Ordering] { terms }
}

/// Takes what a closure of `group` names: an expression, or a tuple of some.
@resultBuilder
public enum GroupBuilder {
  /// An expression.
  public static func buildExpression<Value>(_ expression: SQLExpression<Value>) -> [SQL] {
    [expression.compared]
  }

  /// A tuple of expressions.
  @_disfavoredOverload
  public static func buildExpression<each Value>(_ terms: (repeat SQLExpression<each Value>))
    -> [SQL]
  {
    SQL.parts(repeat each terms)
  }

  /// Not there: a group is made by expressions.
  @available(
    *, unavailable,
    message: "group by an expression, or by a tuple of some: { ($0.cityID, $0.name) }"
  )
  public static func buildExpression<Other>(_ other: Other) -> [SQL] { [] }

  /// The expressions.
  public static func buildBlock(_ terms: [SQL]) -> [SQL] { terms }
}
