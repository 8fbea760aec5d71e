// Written by scripts/generate-joins, which says why there is a method for each number of tables.

/// See [The FROM clause](https://www.sqlite.org/lang_select.html#fromclause).
extension From {
  /// Combines every row with every row of a third table.
  /// - Parameter other: The table to join. Its own conditions apply before the join.
  public func crossJoin<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>
  ) -> From<(C1, C2, Other), (C1.Projected, C2.Projected, Other.Projected)>
  where Columns == (C1, C2) {
    let this = distinguished
    let (a, b) = this.columns
    let other = other.from.distinguished
    return this.joined(.cross, other, nil, a, b, other.columns)
  }
}
