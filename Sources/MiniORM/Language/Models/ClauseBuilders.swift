// Result builders, because the compiler checks a whole closure against each overload of a method,
// and takes seconds to reject a type error. For a builder, the compiler first infers the types
// within the closure. A closure with `return` uses the methods' disfavored overloads.

/// The result of a `select` closure.
@_documentation(visibility: internal)
public struct SelectedColumns<Output: Sendable>: Sendable {
  let columns: [ResultColumn]
  let reader: RowReader<Output>

  init<Part: Projection>(_ part: Part) where Part.Projected == Output {
    (columns, reader) = (Part.resultColumns(part), Part.reader(part))
  }

  static func tuple<Columns, each Part: Projection>(
    _ columns: Columns, _ projection: (Columns) -> (repeat each Part)
  ) -> SelectedColumns where Output == (repeat (each Part).Projected) {
    let parts = projection(columns)
    return SelectedColumns(TupleProjection(repeat each parts))
  }
}

/// Builds the result of a `select` closure: an expression, columns, or a tuple of these.
@_documentation(visibility: internal)
@resultBuilder
public enum SelectBuilder {
  /// Builds the result from an expression.
  public static func buildExpression<Value: Sendable>(_ expression: SQLExpression<Value>)
    -> SelectedColumns<Value>
  { SelectedColumns(expression) }

  /// Builds the result from the columns of a table, or the `Columns` of a `@Selection`.
  @_disfavoredOverload
  public static func buildExpression<Part: Projection>(_ part: Part)
    -> SelectedColumns<Part.Projected>
  where Part.Projected: Sendable { SelectedColumns(part) }

  /// Builds the result from a tuple of expressions and tables' columns.
  @_disfavoredOverload
  public static func buildExpression<each Part: Projection>(_ parts: (repeat each Part))
    -> SelectedColumns<(repeat (each Part).Projected)>
  where repeat (each Part).Projected: Sendable {
    SelectedColumns(TupleProjection(repeat each parts))
  }

  /// Builds the result from its only component.
  public static func buildBlock<Output>(_ selected: SelectedColumns<Output>)
    -> SelectedColumns<Output>
  { selected }
}

/// Builds the result of an `order` closure: a term, or a tuple of terms.
@_documentation(visibility: internal)
@resultBuilder
public enum OrderBuilder {
  /// Builds a term from an expression.
  public static func buildExpression<Value>(_ expression: SQLExpression<Value>) -> [Ordering] {
    [expression.ordering]
  }

  /// Builds a term from an expression with a direction.
  public static func buildExpression(_ ordering: Ordering) -> [Ordering] { [ordering] }

  /// Builds the terms from a tuple.
  @_disfavoredOverload
  public static func buildExpression<each Term: OrderingTerm>(_ terms: (repeat each Term))
    -> [Ordering]
  { Ordering.all(repeat each terms) }

  /// Builds the terms from a list, such as the result of a function that chooses the order.
  public static func buildExpression(_ orderings: [Ordering]) -> [Ordering] { orderings }

  /// Builds the terms of a branch of `if` or `switch`.
  public static func buildEither(first: [Ordering]) -> [Ordering] { first }

  /// Builds the terms of the other branches.
  public static func buildEither(second: [Ordering]) -> [Ordering] { second }

  /// Unavailable: an ordering term is an expression, with or without a direction.
  @available(
    *, unavailable,
    message:
      "order by an expression, a tuple of expressions or an [Ordering]: { ($0.name, $0.age.descending) }"
  )
  public static func buildExpression<Other>(_ other: Other) -> [Ordering] { [] }

  /// Builds the result from the terms.
  public static func buildBlock(_ terms: [Ordering]) -> [Ordering] { terms }
}

/// Builds a list of expressions, such as the result of a `group` closure, from an expression or a
/// tuple of expressions.
@_documentation(visibility: internal)
@resultBuilder
public enum ExpressionBuilder {
  /// Builds the list from an expression.
  public static func buildExpression<Value>(_ expression: SQLExpression<Value>) -> [Ordering] {
    [expression.ordering]
  }

  /// Builds the list from a tuple of expressions.
  @_disfavoredOverload
  public static func buildExpression<each Value>(_ terms: (repeat SQLExpression<each Value>))
    -> [Ordering]
  { Ordering.all(repeat each terms) }

  /// Unavailable: the list has only expressions, without directions.
  @available(
    *, unavailable,
    message: "write an expression or a tuple of expressions: { ($0.cityID, $0.name) }"
  )
  public static func buildExpression<Other>(_ other: Other) -> [Ordering] { [] }

  /// Builds the result from the expressions.
  public static func buildBlock(_ terms: [Ordering]) -> [Ordering] { terms }
}
