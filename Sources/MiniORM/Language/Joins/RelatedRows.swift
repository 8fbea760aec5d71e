/// Rows with their related rows, read by one statement for the rows and one for each kind of
/// related row.
///
/// ```swift
/// let list: [(City, [Company])] = try await cities
///   .order { $0.name }
///   .including(companies.where { $0.employeeCount > 10 }.order { $0.name })
///   .fetchAll(in: database)
/// ```
/// A row without related rows has an empty array. The related rows keep their conditions and order.
/// A limit applies to each row separately: `.including(companies.limit(3))` gives at most three
/// companies to each city.
public struct RelatedRows<Columns: Projection, each Child: Sendable>: Sendable
where Columns.Projected: Sendable {
  /// A row, and an array for each kind of related row.
  public typealias Output = (Columns.Projected, repeat [each Child])

  let parents: From<Columns, Columns.Projected>
  let children: (repeat Children<each Child>)

  init(_ parents: From<Columns, Columns.Projected>, _ children: repeat Children<each Child>) {
    self.parents = parents
    self.children = (repeat each children)
  }

  func adding<New>(_ new: Children<New>) -> RelatedRows<Columns, repeat each Child, New> {
    RelatedRows<Columns, repeat each Child, New>(parents, repeat each children, new)
  }

  /// Adds the rows related by the only foreign key between the tables.
  public func including<Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    let children = children.from
    return adding(Children(children, children.tables, link(to: children.tables)))
  }

  /// Adds the rows related by a column, which can be NULL.
  public func including<Other: SourceColumns, Key: SQLComparable>(
    _ children: some Source<Other>, on column: (Other) -> SQLExpression<Key>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where
    Columns.Projected: PrimaryKeyedModel, Columns.Projected.PrimaryKey == Key.SQLUnwrapped
  {
    matching(children.from) { [KeyExpression(column($0))] }
  }

  /// Adds the rows related by several columns, which contain the composite primary key in the key's
  /// order.
  ///
  /// ```swift
  /// shops.including(albums, on: { ($0.country, $0.shop) })
  /// ```
  public func including<
    Other: SourceColumns, First: SQLComparable, Second: SQLComparable, each Rest: SQLComparable
  >(
    _ children: some Source<Other>,
    on columns: (Other) -> (
      SQLExpression<First>, SQLExpression<Second>, repeat SQLExpression<each Rest>
    )
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where
    Columns.Projected: PrimaryKeyedModel,
    Columns.Projected.PrimaryKey == (
      First.SQLUnwrapped, Second.SQLUnwrapped, repeat (each Rest).SQLUnwrapped
    )
  {
    matching(children.from) { KeyExpression.all($0, columns) }
  }

  /// Adds the related rows of a table, together with their own related rows.
  public func including<Other: SourceColumns, each Grandchild>(
    _ children: RelatedRows<Other, repeat each Grandchild>
  ) -> RelatedRows<
    Columns, repeat each Child, (Other.Projected, repeat [each Grandchild])
  > {
    adding(Children(nested: children, link(to: children.parents.tables)))
  }

  /// Adds the rows related through a linking table: many to many.
  public func including<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    let assignments = assignments.from
    let advice = "through: links, from: { $0.ownID }, to: { $0.otherID }"
    return assigned(
      others.from, assignments, nil, link(to: assignments.tables, orElse: advice))
  }

  /// Adds the rows related through two columns of a linking table: many to many. The columns can be
  /// NULL.
  public func including<
    Other: SourceColumns, Link: SourceColumns, OwnKey: SQLComparable, OtherKey: SQLComparable
  >(
    _ others: some Source<Other>, through assignments: some Source<Link>,
    from own: (Link) -> SQLExpression<OwnKey>, to other: (Link) -> SQLExpression<OtherKey>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where
    Columns.Projected: PrimaryKeyedModel, Columns.Projected.PrimaryKey == OwnKey.SQLUnwrapped,
    Other.Projected: PrimaryKeyedModel, Other.Projected.PrimaryKey == OtherKey.SQLUnwrapped
  {
    let (others, assignments) = (others.from, assignments.from)
    let key = KeyExpression(assignments.calling(own))
    let condition = others.hasKey(KeyExpression(assignments.calling(other)))
    return assigned(others, assignments, condition, link(by: [key]))
  }

  private func matching<Other: SourceColumns>(
    _ children: From<Other, Other.Projected>, by columns: (Other) -> [KeyExpression]
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    adding(Children(children, children.tables, link(by: children.calling(columns))))
  }

  private func assigned<Other: SourceColumns, Link: SourceColumns>(
    _ others: From<Other, Other.Projected>, _ assignments: From<Link, Link.Projected>,
    _ condition: SQLExpression<Bool>?, _ relation: Result<Relation, DatabaseError>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    var others = others
    let (limit, offset) = (others.clauses.limit, others.clauses.offset)
    (others.clauses.limit, others.clauses.offset) = (nil, nil)
    var joined = others.joined(.inner, assignments) {
      ($0, $1)
    } on: { _, _ in
      condition
    }
    (joined.clauses.limit, joined.clauses.offset) = (limit, offset)
    if assignments.clauses.isLimited {
      joined.clauses.record(
        .query(
          "limit(_:) of the linking table would count the links of all rows together: limit the "
            + "related rows of each row, as in including(others.limit(1), through: links)"))
    }
    others.clauses = joined.clauses
    return adding(Children(others, joined.tables, relation))
  }

  private func link(
    to others: [JoinedTable], orElse advice: String = "on: { $0.otherID }"
  ) -> Result<Relation, DatabaseError> {
    let keys = others.flatMap { other in parents.tables.flatMap { other.references(to: $0) } }
    guard let key = keys.first, keys.count == 1 else {
      let names = others.map { $0.name }.joined(separator: ", ")
      let parent = parents.tables.map { $0.name }.joined(separator: ", ")
      let remedy =
        parents.tables.count > 1
        ? "include the rows in a query of one table"
        : "name the column, as in including(others, \(advice))"
      return .failure(
        .query(
          "There \(keys.isEmpty ? "is no foreign key" : "are \(keys.count) foreign keys") from "
            + "\(names) to \(parent): \(remedy)"))
    }
    return Relation.matching(
      key.map { (KeyExpression($0.child.sql, $0.column), $0.parent, $0.parentColumn) }
    ).map { relation in
      var relation = relation
      relation.isTotal = key.allSatisfy { !$0.column.isNullable }
      return relation
    }
  }

  private func link(by columns: [KeyExpression]) -> Result<Relation, DatabaseError> {
    guard let table = parents.tables.first, let key = table.schema?.primaryKey,
      key.count == columns.count
    else {
      return .failure(
        .query(
          "These rows have no primary key to relate other rows to: declare a primary key, or join the tables"
        ))
    }
    return Relation.matching(
      zip(columns, key).map { ($0, ColumnReference(table: table.name, name: $1.name), $1) })
  }
}

extension From {
  fileprivate func hasKey(_ key: KeyExpression) -> SQLExpression<Bool> {
    guard let table = tables.first, let column = table.schema?.primaryKey.first else {
      var condition = SQL(raw: "FALSE")
      condition.record(
        .query(
          "These rows have no primary key to relate other rows to: declare a primary key, or join the tables"
        ))
      return SQLExpression(condition, Coding())
    }
    let parent = ColumnReference(table: table.name, name: column.name)
    return SQLExpression(
      .matching(key.sql, key.column, key.format, parent.sql, column), Coding())
  }
}

extension From {
  /// Adds the rows related to each row of the join, by the only foreign key to the joined tables.
  ///
  /// ```swift
  /// for ((company, city), orders) in try await companies.join(cities).including(orders)
  ///   .fetchAll(in: database) { … }
  /// ```
  public func including<each Part: SourceColumns, Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<JoinProjection<Output>, Other.Projected>
  where Columns == (repeat each Part), Output == (repeat (each Part).Projected) {
    let projection = JoinProjection(TupleProjection(repeat each columns))
    // Nothing renames the tables of related rows' parents.
    let parents = From<JoinProjection<Output>, Output>(projection, clauses, tables) { columns, _ in
      columns
    } whole: { columns in
      (JoinProjection.resultColumns(columns), JoinProjection.reader(columns))
    }
    return RelatedRows<JoinProjection<Output>>(parents).including(children)
  }
}

// Not the parameter pack itself: Swift 6.3 crashes on a tuple of such a tuple and another pack.

/// The tables of a join as a single projection, whose value is the tuple of the rows.
@_documentation(visibility: internal)
public struct JoinProjection<Output: Sendable>: Projection {
  private let columns: [ResultColumn]
  private let value: @Sendable (borrowing Row, Int32) throws(DatabaseError) -> Output

  init<Parts: Projection>(_ parts: Parts) where Parts.Projected == Output {
    columns = Parts.resultColumns(parts)
    value = { (row: borrowing Row, first: Int32) throws(DatabaseError) -> Output in
      try Parts.read(parts, from: row, at: first)
    }
  }

  /// Returns the columns of all tables.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] { projection.columns }

  /// Reads the tuple from a row.
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Output
  { try projection.value(row, first) }
}
