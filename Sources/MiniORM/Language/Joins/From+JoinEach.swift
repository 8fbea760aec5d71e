// The closure is the first parameter, because its result is part of the FROM clause.

/// See [Table-valued functions in the FROM clause](https://www.sqlite.org/vtab.html#tabfunc2).
extension Source {
  /// Joins each row with the rows that a closure produces from the row, such as JSON elements.
  /// Drops rows without a result.
  ///
  /// ```swift
  /// companies.join { $0.tags.jsonEach() }
  /// ```
  /// - Parameter other: A closure that takes the columns and returns
  ///   ``SQLExpression/jsonEach(as:)`` of a JSON column.
  public func join<Other: SourceColumns>(_ other: (Columns) -> Alias<Other>)
    -> From<(Columns, Other), (Output, Other.Projected)>
  {
    let this = from.distinguished
    return this.joined(.inner, this.calling(other).from) { ($0, $1) }
  }

  /// Joins each row with the rows that a closure produces from the row, or with `nil` if there is
  /// no result.
  public func leftJoin<Other: SourceColumns>(_ other: (Columns) -> Alias<Other>)
    -> From<(Columns, Other.OptionalColumns), (Output, Other.OptionalColumns.Projected)>
  {
    let this = from.distinguished
    return this.joined(.left, this.calling(other).from) { ($0, Other.nullable($1)) }
  }
}

extension From {
  /// Joins each row of two joined tables with the rows that a closure produces. Drops rows without
  /// a result.
  public func join<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: (C1, C2) -> Alias<Other>
  ) -> From<(C1, C2, Other), (C1.Projected, C2.Projected, Other.Projected)>
  where Columns == (C1, C2) {
    let from = distinguished
    return from.join(from.calling { other($0.0, $0.1) })
  }

  /// Joins each row of two joined tables with the rows that a closure produces, or with `nil`.
  public func leftJoin<C1: SourceColumns, C2: SourceColumns, Other: SourceColumns>(
    _ other: (C1, C2) -> Alias<Other>
  ) -> From<
    (C1, C2, Other.OptionalColumns),
    (C1.Projected, C2.Projected, Other.OptionalColumns.Projected)
  >
  where Columns == (C1, C2) {
    let from = distinguished
    return from.leftJoin(from.calling { other($0.0, $0.1) })
  }

  /// Joins each row of three joined tables with the rows that a closure produces. Drops rows
  /// without a result.
  public func join<C1: SourceColumns, C2: SourceColumns, C3: SourceColumns, Other: SourceColumns>(
    _ other: (C1, C2, C3) -> Alias<Other>
  ) -> From<(C1, C2, C3, Other), (C1.Projected, C2.Projected, C3.Projected, Other.Projected)>
  where Columns == (C1, C2, C3) {
    let from = distinguished
    return from.join(from.calling { other($0.0, $0.1, $0.2) })
  }
}
