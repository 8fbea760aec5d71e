// Written by scripts/generate-joins, which says why there is a method for each number of tables.

/// See [The FROM clause](https://www.sqlite.org/lang_select.html#fromclause).
extension From {
  /// Joins every row of a third table, with `nil` for the first tables if no row matches.
  /// - Parameters:
  ///   - other: The table to join. Its own conditions apply before the join.
  ///   - condition: The condition. By default, the only foreign key between the tables joins them.
  public func rightJoin<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((C1, C2, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1.OptionalColumns, C2.OptionalColumns, Other),
    (C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, Other.Projected)
  >
  where Columns == (C1, C2) {
    let this = distinguished
    let (a, b) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .right, other, condition?(a, b, other.columns), C1.nullable(a), C2.nullable(b), other.columns)
  }

  /// Joins every row of a fourth table.
  @_documentation(visibility: internal)
  public func rightJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1.OptionalColumns, C2.OptionalColumns, C3.OptionalColumns, Other),
    (
      C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, C3.OptionalColumns.Projected,
      Other.Projected
    )
  >
  where Columns == (C1, C2, C3) {
    let this = distinguished
    let (a, b, c) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .right, other, condition?(a, b, c, other.columns), C1.nullable(a), C2.nullable(b),
      C3.nullable(c), other.columns)
  }

  /// Joins every row of a fifth table.
  @_documentation(visibility: internal)
  public func rightJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, C4, Other) -> any SQLCondition)? = nil
  ) -> From<
    (C1.OptionalColumns, C2.OptionalColumns, C3.OptionalColumns, C4.OptionalColumns, Other),
    (
      C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, C3.OptionalColumns.Projected,
      C4.OptionalColumns.Projected, Other.Projected
    )
  >
  where Columns == (C1, C2, C3, C4) {
    let this = distinguished
    let (a, b, c, d) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .right, other, condition?(a, b, c, d, other.columns), C1.nullable(a), C2.nullable(b),
      C3.nullable(c), C4.nullable(d), other.columns)
  }

  /// Joins every row of a sixth table.
  @_documentation(visibility: internal)
  public func rightJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, C5: SourceColumns,
    Other: SourceColumns
  >(
    _ other: some Source<Other>,
    on condition: ((C1, C2, C3, C4, C5, Other) -> any SQLCondition)? = nil
  ) -> From<
    (
      C1.OptionalColumns, C2.OptionalColumns, C3.OptionalColumns, C4.OptionalColumns,
      C5.OptionalColumns, Other
    ),
    (
      C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, C3.OptionalColumns.Projected,
      C4.OptionalColumns.Projected, C5.OptionalColumns.Projected, Other.Projected
    )
  >
  where Columns == (C1, C2, C3, C4, C5) {
    let this = distinguished
    let (a, b, c, d, e) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .right, other, condition?(a, b, c, d, e, other.columns), C1.nullable(a), C2.nullable(b),
      C3.nullable(c), C4.nullable(d), C5.nullable(e), other.columns)
  }

  /// Joins every row of a seventh table.
  @_documentation(visibility: internal)
  public func rightJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, C5: SourceColumns,
    C6: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>,
    on condition: ((C1, C2, C3, C4, C5, C6, Other) -> any SQLCondition)? = nil
  ) -> From<
    (
      C1.OptionalColumns, C2.OptionalColumns, C3.OptionalColumns, C4.OptionalColumns,
      C5.OptionalColumns, C6.OptionalColumns, Other
    ),
    (
      C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, C3.OptionalColumns.Projected,
      C4.OptionalColumns.Projected, C5.OptionalColumns.Projected, C6.OptionalColumns.Projected,
      Other.Projected
    )
  >
  where Columns == (C1, C2, C3, C4, C5, C6) {
    let this = distinguished
    let (a, b, c, d, e, f) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .right, other, condition?(a, b, c, d, e, f, other.columns), C1.nullable(a), C2.nullable(b),
      C3.nullable(c), C4.nullable(d), C5.nullable(e), C6.nullable(f), other.columns)
  }

  /// Joins every row of an eighth table.
  @_documentation(visibility: internal)
  public func rightJoin<
    C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, C4: SourceColumns, C5: SourceColumns,
    C6: SourceColumns, C7: SourceColumns, Other: SourceColumns
  >(
    _ other: some Source<Other>,
    on condition: ((C1, C2, C3, C4, C5, C6, C7, Other) -> any SQLCondition)? = nil
  ) -> From<
    (
      C1.OptionalColumns, C2.OptionalColumns, C3.OptionalColumns, C4.OptionalColumns,
      C5.OptionalColumns, C6.OptionalColumns, C7.OptionalColumns, Other
    ),
    (
      C1.OptionalColumns.Projected, C2.OptionalColumns.Projected, C3.OptionalColumns.Projected,
      C4.OptionalColumns.Projected, C5.OptionalColumns.Projected, C6.OptionalColumns.Projected,
      C7.OptionalColumns.Projected, Other.Projected
    )
  >
  where Columns == (C1, C2, C3, C4, C5, C6, C7) {
    let this = distinguished
    let (a, b, c, d, e, f, g) = this.columns
    let other = other.from.distinguished
    return this.joined(
      .right, other, condition?(a, b, c, d, e, f, g, other.columns), C1.nullable(a), C2.nullable(b),
      C3.nullable(c), C4.nullable(d), C5.nullable(e), C6.nullable(f), C7.nullable(g), other.columns)
  }
}
