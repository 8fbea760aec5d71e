/// A source of a FROM clause: a ``Table``, a ``NamedSource`` such as a view, or a ``Select`` whose
/// rows are a model or a ``Selection``.
public protocol Source<Columns>: FromStatement
where Columns: SourceColumns, Columns.Projected == Output {}

extension Source {
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
