extension Source {
  /// Adds to each row its related rows, by the only foreign key between the tables.
  public func including<Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<Columns, Other.Projected> {
    RelatedRows<Columns>(from).including(children)
  }

  /// Adds to each row its related rows, by a column.
  /// - Parameters:
  ///   - children: The related rows.
  ///   - column: A closure that takes the related rows' columns and returns the column with the
  ///     row's primary key. The column can be NULL.
  public func including<Other: SourceColumns, Key: SQLComparable>(
    _ children: some Source<Other>, on column: (Other) -> SQLExpression<Key>
  ) -> RelatedRows<Columns, Other.Projected>
  where Output: PrimaryKeyedModel, Output.PrimaryKey == Key.SQLUnwrapped {
    RelatedRows<Columns>(from).including(children, on: column)
  }

  /// Adds to each row its related rows, by several columns.
  ///
  /// ```swift
  /// shops.including(albums, on: { ($0.country, $0.shop) })
  /// ```
  /// - Parameters:
  ///   - children: The related rows.
  ///   - columns: A closure that takes the related rows' columns and returns the columns with the
  ///     row's composite primary key, in the key's order. Each column can be NULL.
  public func including<
    Other: SourceColumns, First: SQLComparable, Second: SQLComparable, each Rest: SQLComparable
  >(
    _ children: some Source<Other>,
    on columns: (Other) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> RelatedRows<Columns, Other.Projected>
  where
    Output: PrimaryKeyedModel,
    Output.PrimaryKey == (
      First.SQLUnwrapped, Second.SQLUnwrapped, repeat (each Rest).SQLUnwrapped
    )
  {
    RelatedRows<Columns>(from).including(children, on: columns)
  }

  /// Adds to each row its related rows, together with their own related rows.
  public func including<Other: SourceColumns, each Grandchild>(
    _ children: RelatedRows<Other, repeat each Grandchild>
  ) -> RelatedRows<Columns, (Other.Projected, repeat [each Grandchild])> {
    RelatedRows<Columns>(from).including(children)
  }

  /// Adds to each row its related rows, through a linking table: many to many.
  /// - Parameters:
  ///   - others: The related rows.
  ///   - assignments: The linking table, with a foreign key to each of the two tables. A related
  ///     row appears once per link. An order of the links sorts related rows that are equal in
  ///     their own order. A limit of the links throws: limit the related rows.
  public func including<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>
  ) -> RelatedRows<Columns, Other.Projected> {
    RelatedRows<Columns>(from).including(others, through: assignments)
  }

  /// Adds to each row its related rows, through two columns of a linking table: many to many, even
  /// within a single table.
  ///
  /// ```swift
  /// people.including(people, through: parenthoods, from: { $0.parentID }, to: { $0.childID })
  /// ```
  /// - Parameters:
  ///   - others: The related rows.
  ///   - assignments: The linking table, as for ``Source/including(_:through:)``.
  ///   - own: A closure that takes the linking table's columns and returns the column with the
  ///     row's primary key. The column can be NULL.
  ///   - other: A closure that takes the linking table's columns and returns the column with the
  ///     related row's primary key. The column can be NULL.
  public func including<
    Other: SourceColumns, Link: SourceColumns, OwnKey: SQLComparable, OtherKey: SQLComparable
  >(
    _ others: some Source<Other>, through assignments: some Source<Link>,
    from own: (Link) -> SQLExpression<OwnKey>, to other: (Link) -> SQLExpression<OtherKey>
  ) -> RelatedRows<Columns, Other.Projected>
  where
    Output: PrimaryKeyedModel, Output.PrimaryKey == OwnKey.SQLUnwrapped,
    Other.Projected: PrimaryKeyedModel, Other.Projected.PrimaryKey == OtherKey.SQLUnwrapped
  {
    RelatedRows<Columns>(from).including(others, through: assignments, from: own, to: other)
  }
}
