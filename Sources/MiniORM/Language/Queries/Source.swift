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
    from.joined(.inner, other.from.distinguished, { ($0, $1) }, on: { condition?($0, $1) })
  }

  /// Adds the matching rows of the other table, or `nil` for a row without a match.
  ///
  /// The parameters are the same as for ``Source/join(_:on:)``.
  public func leftJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<
    (Columns, Other.OptionalColumns), (Output, Other.OptionalColumns.Projected)
  > {
    from.joined(
      .left, other.from.distinguished, { ($0, Other.nullable($1)) }, on: { condition?($0, $1) })
  }

  /// Adds all rows of the other table, with `nil` on this side for a row without a match.
  ///
  /// The parameters are the same as for ``Source/join(_:on:)``.
  public func rightJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Columns, Other) -> any SQLCondition)? = nil
  ) -> From<
    (Columns.OptionalColumns, Other), (Columns.OptionalColumns.Projected, Other.Projected)
  > {
    from.joined(
      .right, other.from.distinguished, { (Columns.nullable($0), $1) }, on: { condition?($0, $1) })
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
    from.joined(
      .full, other.from.distinguished, { (Columns.nullable($0), Other.nullable($1)) },
      on: { condition?($0, $1) })
  }

  /// Combines every row with every row of the other table, whose conditions apply first.
  public func crossJoin<Other: SourceColumns>(
    _ other: some Source<Other>
  ) -> From<(Columns, Other), (Output, Other.Projected)> {
    from.joined(.cross, other.from.distinguished, { ($0, $1) })
  }
}
