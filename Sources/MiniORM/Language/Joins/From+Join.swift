// Written by scripts/generate-joins, which says why there is a method for each number of tables.

/// See [The FROM clause](https://www.sqlite.org/lang_select.html#fromclause).
extension From {
  /// Joins the rows of a third table that meet a condition. Rows without a match are dropped.
  /// - Parameters:
  ///   - other: The table to join. Its own conditions apply before the join.
  ///   - condition: The condition. By default, the only foreign key between the tables joins them.
  public func join<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((C1, C2, Other) -> any SQLCondition)? = nil
  ) -> From<(C1, C2, Other), (C1.Projected, C2.Projected, Other.Projected)>
  where Columns == (C1, C2) {
    let this = distinguished
    let (a, b) = this.columns
    let other = other.from.distinguished
    return this.joined(.inner, other, condition?(a, b, other.columns), a, b, other.columns)
  }

  /// Joins a fourth table.
  @_documentation(visibility: internal)
  public func join<C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, Other) -> any SQLCondition)? = nil
  ) -> From<(C1, C2, C3, Other), (C1.Projected, C2.Projected, C3.Projected, Other.Projected)>
  where Columns == (C1, C2, C3) {
    let this = distinguished
    let (a, b, c) = this.columns
    let other = other.from.distinguished
    return this.joined(.inner, other, condition?(a, b, c, other.columns), a, b, c, other.columns)
  }

  /// Joins a fifth table.
  @_documentation(visibility: internal)
  public func join<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, C4, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1, C2, C3, C4, Other),
    (C1.Projected, C2.Projected, C3.Projected, C4.Projected, Other.Projected)
  >
  where Columns == (C1, C2, C3, C4) {
    let this = distinguished
    let (a, b, c, d) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .inner, other, condition?(a, b, c, d, other.columns), a, b, c, d, other.columns)
  }
}
