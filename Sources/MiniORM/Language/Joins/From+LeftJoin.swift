// Written by scripts/generate-joins, which says why there is a method for each number of tables.

/// See [The FROM clause](https://www.sqlite.org/lang_select.html#fromclause).
extension From {
  /// Joins the rows of a third table that meet a condition, with `nil` for a row without a match.
  /// - Parameters:
  ///   - other: The table to join. Its own conditions apply before the join.
  ///   - condition: The condition. By default, the only foreign key between the tables joins them.
  public func leftJoin<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((C1, C2, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1, C2, Other.OptionalColumns), (C1.Projected, C2.Projected, Other.OptionalColumns.Projected)
  >
  where Columns == (C1, C2) {
    let this = distinguished
    let (a, b) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .left, other, condition?(a, b, other.columns), a, b, Other.nullable(other.columns))
  }

  /// Joins a fourth table, with `nil` without a match.
  @_documentation(visibility: internal)
  public func leftJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1, C2, C3, Other.OptionalColumns),
    (C1.Projected, C2.Projected, C3.Projected, Other.OptionalColumns.Projected)
  >
  where Columns == (C1, C2, C3) {
    let this = distinguished
    let (a, b, c) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .left, other, condition?(a, b, c, other.columns), a, b, c, Other.nullable(other.columns))
  }

  /// Joins a fifth table, with `nil` without a match.
  @_documentation(visibility: internal)
  public func leftJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, C4, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1, C2, C3, C4, Other.OptionalColumns),
    (C1.Projected, C2.Projected, C3.Projected, C4.Projected, Other.OptionalColumns.Projected)
  >
  where Columns == (C1, C2, C3, C4) {
    let this = distinguished
    let (a, b, c, d) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .left, other, condition?(a, b, c, d, other.columns), a, b, c, d, Other.nullable(other.columns)
    )
  }
}
