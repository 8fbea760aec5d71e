// Written by scripts/generate-joins, which says why there is a method for each number of tables.

/// See [The FROM clause](https://www.sqlite.org/lang_select.html#fromclause).
extension From {
  /// Joins every row of a third table, with `nil` on either side for a row without a match.
  /// - Parameters:
  ///   - other: The table to join. Its own conditions apply before the join.
  ///   - condition: The condition. By default, the only foreign key between the tables joins them.
  public func fullJoin<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((C1, C2, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1.OptionalColumns, C2.OptionalColumns, Other.OptionalColumns),
    (C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, Other.OptionalColumns.Projected)
  >
  where Columns == (C1, C2) {
    let this = distinguished
    let (a, b) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .full, other, condition?(a, b, other.columns), C1.nullable(a), C2.nullable(b),
      Other.nullable(other.columns))
  }
}
