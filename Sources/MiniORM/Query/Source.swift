/// What can stand in a FROM clause: a ``Table``, a ``NamedSource`` such as a view, or a ``Select`` whose rows are
/// a model or a ``Selection``.
public protocol Source<Columns>: SelectStatement {
  /// Its columns.
  associatedtype Columns: SourceColumns where Columns.Projected == Output
  /// The FROM clause of nothing but this.
  var from: From<Columns, Output> { get }
}

// The methods of ``From`` where there is one table.
extension Source {
  /// Chooses what a row of the result is: a value, a ``Selection`` or a model, or a tuple of these.
  ///
  /// A `@Selection` is faster to read than a tuple: its initializer knows the types of its values, and
  /// those of a tuple are asked for with each row.
  /// - Parameter projection: A closure from the columns to an expression, to the columns as they are, to
  ///   `Columns` of a `@Selection`, or to a tuple of some.
  public func select<Selected: Sendable>(
    @SelectBuilder _ projection: (Columns) -> SelectedColumns<Selected>
  ) -> Select<Selected> { from.select(projection) }

  /// Chooses what a row of the result is: a ``Selection`` or a model.
  /// - Parameter projection: A closure from the columns to `Columns` of a `@Selection`, or to the
  ///   columns as they are.
  @_disfavoredOverload
  public func select<Part: Projection>(_ projection: (Columns) -> Part) -> Select<Part.Projected>
  where Part.Projected: Sendable {
    from.select(projection)
  }

  /// Chooses what a row of the result is: a tuple of values, models and the like.
  ///
  /// A `@Selection` is faster to read: its initializer knows the types of its values, and those of
  /// a tuple are asked for with each row.
  /// - Parameter projection: A closure from the columns to a tuple of expressions and columns.
  @_disfavoredOverload
  public func select<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Columns) -> (First, Second, repeat each Rest)
  ) -> Select<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    from.select(projection)
  }

  /// One row for each group of rows that are equal in some expressions.
  /// - Parameter terms: A closure from the columns to an expression, or to a tuple of some.
  public func group(@GroupBuilder _ terms: (Columns) -> [SQL]) -> From<Columns, Output> {
    from.group(terms)
  }

  /// One row for each group of rows that are equal in an expression.
  /// - Parameter term: A closure from the columns to an expression.
  @_disfavoredOverload
  public func group<Term>(_ term: (Columns) -> SQLExpression<Term>) -> From<Columns, Output> {
    from.group(term)
  }

  /// One row for each group of rows that are equal in several expressions.
  /// - Parameter terms: A closure from the columns to a tuple of expressions.
  @_disfavoredOverload
  public func group<First, Second, each Rest>(
    _ terms: (Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> From<Columns, Output> {
    from.group(terms)
  }

  /// Adds the rows of another table that meet a condition: those without a partner fall out.
  /// - Parameters:
  ///   - other: The other table. Its own conditions hold before the join.
  ///   - condition: A closure from the columns of both tables to the condition. Without one, they
  ///     are joined by the one foreign key that there is between them.
  public func join<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<(Columns, Other), (Output, Other.Projected)> {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(
      .inner, other, condition?(this.columns, other.columns), this.columns, other.columns)
  }

  /// Adds the rows of another table that meet a condition, or `nil` where there is none.
  /// - Parameters:
  ///   - other: The other table. Its own conditions hold before the join.
  ///   - condition: A closure from the columns of both tables to the condition. Without one, they
  ///     are joined by the one foreign key that there is between them.
  public func leftJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<
    (Columns, Other.OptionalColumns), (Output, Other.OptionalColumns.Projected)
  > {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(
      .left, other, condition?(this.columns, other.columns), this.columns,
      Other.nullable(other.columns))
  }

  /// Adds all the rows of another table, with `nil` for this one where no row meets a condition.
  /// - Parameters:
  ///   - other: The other table. Its own conditions hold before the join.
  ///   - condition: A closure from the columns of both tables to the condition. Without one, they
  ///     are joined by the one foreign key that there is between them.
  public func rightJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<
    (Columns.OptionalColumns, Other), (Columns.OptionalColumns.Projected, Other.Projected)
  > {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(
      .right, other, condition?(this.columns, other.columns), Columns.nullable(this.columns),
      other.columns)
  }

  /// Adds all the rows of another table: `nil` stands for what has no partner on either side.
  /// - Parameters:
  ///   - other: The other table. Its own conditions hold before the join.
  ///   - condition: A closure from the columns of both tables to the condition. Without one, they
  ///     are joined by the one foreign key that there is between them.
  public func fullJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<
    (Columns.OptionalColumns, Other.OptionalColumns),
    (Columns.OptionalColumns.Projected, Other.OptionalColumns.Projected)
  > {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(
      .full, other, condition?(this.columns, other.columns), Columns.nullable(this.columns),
      Other.nullable(other.columns))
  }

  /// Adds every row of another table to every row.
  /// - Parameter other: The other table. Its own conditions hold before the join.
  public func crossJoin<Other: SourceColumns>(
    _ other: some Source<Other>
  ) -> From<(Columns, Other), (Output, Other.Projected)> {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(.cross, other, nil, this.columns, other.columns)
  }
}
