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
    joined(
      .inner, other.from.distinguished, { ($0.0, $0.1, $1) }, on: { condition?($0.0, $0.1, $1) })
  }

  /// Joins a fourth table.
  @_documentation(visibility: internal)
  public func join<C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((C1, C2, C3, Other) -> any SQLCondition)? = nil
  ) -> From<(C1, C2, C3, Other), (C1.Projected, C2.Projected, C3.Projected, Other.Projected)>
  where Columns == (C1, C2, C3) {
    joined(
      .inner, other.from.distinguished, { ($0.0, $0.1, $0.2, $1) },
      on: { condition?($0.0, $0.1, $0.2, $1) })
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
    joined(
      .inner, other.from.distinguished, { ($0.0, $0.1, $0.2, $0.3, $1) },
      on: { condition?($0.0, $0.1, $0.2, $0.3, $1) })
  }

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
    joined(
      .left, other.from.distinguished, { ($0.0, $0.1, Other.nullable($1)) },
      on: { condition?($0.0, $0.1, $1) })
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
    joined(
      .left, other.from.distinguished, { ($0.0, $0.1, $0.2, Other.nullable($1)) },
      on: { condition?($0.0, $0.1, $0.2, $1) })
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
    joined(
      .left, other.from.distinguished, { ($0.0, $0.1, $0.2, $0.3, Other.nullable($1)) },
      on: { condition?($0.0, $0.1, $0.2, $0.3, $1) })
  }

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
    joined(
      .right, other.from.distinguished, { (C1.nullable($0.0), C2.nullable($0.1), $1) },
      on: { condition?($0.0, $0.1, $1) })
  }

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
    joined(
      .full, other.from.distinguished,
      { (C1.nullable($0.0), C2.nullable($0.1), Other.nullable($1)) },
      on: { condition?($0.0, $0.1, $1) })
  }

  /// Combines every row with every row of a third table.
  /// - Parameter other: The table to join. Its own conditions apply before the join.
  public func crossJoin<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: some Source<Other>
  ) -> From<(C1, C2, Other), (C1.Projected, C2.Projected, Other.Projected)>
  where Columns == (C1, C2) {
    joined(.cross, other.from.distinguished, { ($0.0, $0.1, $1) })
  }
}
