/// A source of a FROM clause: a ``Table``, a ``NamedSource`` such as a view, or a ``Select`` whose
/// rows are a model or a ``Selection``.
public protocol Source<Columns>: SelectStatement {
  /// The columns of the source.
  associatedtype Columns: SourceColumns where Columns.Projected == Output
  /// The source as the FROM clause of a query.
  var from: From<Columns, Output> { get }
}

// The methods of ``From`` for a single table.
extension Source {
  /// Selects the result of each row: an expression, the columns themselves, the `Columns` of a
  /// `@Selection`, or a tuple of these.
  ///
  /// ```swift
  /// let names = try await companies.select { ($0.name, $0.employeeCount) }.fetchAll(in: database)
  /// ```
  /// A `@Selection` is faster to read than a tuple.
  public func select<Selected: Sendable>(
    @SelectBuilder _ projection: (Columns) -> SelectedColumns<Selected>
  ) -> Select<Selected> { from.select(projection) }

  /// Selects a ``Selection`` or a model.
  @_disfavoredOverload
  public func select<Part: Projection>(_ projection: (Columns) -> Part) -> Select<Part.Projected>
  where Part.Projected: Sendable {
    from.select(projection)
  }

  /// Selects a tuple of values, models or selections.
  @_disfavoredOverload
  public func select<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Columns) -> (First, Second, repeat each Rest)
  ) -> Select<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    from.select(projection)
  }

  /// Groups rows with equal values of an expression or a tuple of expressions, with a result for
  /// each group.
  ///
  /// ```swift
  /// companies.group { $0.cityID }.select { ($0.cityID, $0.employeeCount.sum()) }
  /// ```
  public func group(@GroupBuilder _ terms: (Columns) -> [SQL]) -> From<Columns, Output> {
    from.group(terms)
  }

  /// Groups rows with equal values of an expression.
  @_disfavoredOverload
  public func group<Term>(_ term: (Columns) -> SQLExpression<Term>) -> From<Columns, Output> {
    from.group(term)
  }

  /// Groups rows with equal values of several expressions.
  @_disfavoredOverload
  public func group<First, Second, each Rest>(
    _ terms: (Columns) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> From<Columns, Output> {
    from.group(terms)
  }

  /// Adds the matching rows of the other table, and drops rows without a match.
  ///
  /// ```swift
  /// companies.join(cities) { company, city in company.cityID == city.id }
  /// ```
  /// - Parameters:
  ///   - other: The other table. Its conditions and limit apply before the join. Its order sorts
  ///     rows that are equal in this table's order.
  ///   - condition: The join condition; by default, the only foreign key between the tables.
  public func join<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<(Columns, Other), (Output, Other.Projected)> {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(
      .inner, other, condition?(this.columns, other.columns), this.columns, other.columns)
  }

  /// Adds the matching rows of the other table, or `nil` for a row without a match.
  ///
  /// The parameters are the same as for ``Source/join(_:on:)``.
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

  /// Adds all rows of the other table, with `nil` on this side for a row without a match.
  ///
  /// The parameters are the same as for ``Source/join(_:on:)``.
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

  /// Adds all rows of the other table, with `nil` on either side for a row without a match.
  ///
  /// The parameters are the same as for ``Source/join(_:on:)``.
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

  /// Combines every row with every row of the other table, whose conditions apply first.
  public func crossJoin<Other: SourceColumns>(
    _ other: some Source<Other>
  ) -> From<(Columns, Other), (Output, Other.Projected)> {
    let (this, other) = (from.distinguished, other.from.distinguished)
    return this.joined(.cross, other, nil, this.columns, other.columns)
  }
}
