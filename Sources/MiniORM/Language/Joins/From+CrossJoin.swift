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

  /// Combines all rows with a fourth table.
  @_documentation(visibility: internal)
  public func crossJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>
  ) -> From<(C1, C2, C3, Other), (C1.Projected, C2.Projected, C3.Projected, Other.Projected)>
  where Columns == (C1, C2, C3) {
    let this = distinguished
    let (a, b, c) = this.columns
    let other = other.from.distinguished
    return this.joined(.cross, other, nil, a, b, c, other.columns)
  }

  /// Combines all rows with a fifth table.
  @_documentation(visibility: internal)
  public func crossJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>
  ) -> From<
    (C1, C2, C3, C4, Other),
    (C1.Projected, C2.Projected, C3.Projected, C4.Projected, Other.Projected)
  >
  where Columns == (C1, C2, C3, C4) {
    let this = distinguished
    let (a, b, c, d) = this.columns
    let other = other.from.distinguished
    return this.joined(.cross, other, nil, a, b, c, d, other.columns)
  }

  /// Combines all rows with a sixth table.
  @_documentation(visibility: internal)
  public func crossJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, C5: SourceColumns,
    Other: SourceColumns
  >(
    _ other: some Source<Other>
  ) -> From<
    (C1, C2, C3, C4, C5, Other),
    (C1.Projected, C2.Projected, C3.Projected, C4.Projected, C5.Projected, Other.Projected)
  >
  where Columns == (C1, C2, C3, C4, C5) {
    let this = distinguished
    let (a, b, c, d, e) = this.columns
    let other = other.from.distinguished
    return this.joined(.cross, other, nil, a, b, c, d, e, other.columns)
  }

  /// Combines all rows with a seventh table.
  @_documentation(visibility: internal)
  public func crossJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, C5: SourceColumns,
    C6: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>
  ) -> From<
    (C1, C2, C3, C4, C5, C6, Other),
    (
      C1.Projected, C2.Projected, C3.Projected, C4.Projected, C5.Projected, C6.Projected,
      Other.Projected
    )
  >
  where Columns == (C1, C2, C3, C4, C5, C6) {
    let this = distinguished
    let (a, b, c, d, e, f) = this.columns
    let other = other.from.distinguished
    return this.joined(.cross, other, nil, a, b, c, d, e, f, other.columns)
  }

  /// Combines all rows with an eighth table.
  @_documentation(visibility: internal)
  public func crossJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, C5: SourceColumns,
    C6: SourceColumns, C7: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>
  ) -> From<
    (C1, C2, C3, C4, C5, C6, C7, Other),
    (
      C1.Projected, C2.Projected, C3.Projected, C4.Projected, C5.Projected, C6.Projected,
      C7.Projected, Other.Projected
    )
  >
  where Columns == (C1, C2, C3, C4, C5, C6, C7) {
    let this = distinguished
    let (a, b, c, d, e, f, g) = this.columns
    let other = other.from.distinguished
    return this.joined(.cross, other, nil, a, b, c, d, e, f, g, other.columns)
  }
}
