/// Rows with those that belong to each, in one statement for the rows and one for each kind of what
/// belongs to them, however many rows there are.
///
/// ```swift
/// let list: [(City, [Company])] = try await cities
///   .order { $0.name }
///   .with(companies.where { $0.employeeCount > 10 }.order { $0.name })
///   .fetchAll(in: database)
/// ```
/// A row to which nothing belongs has an empty array. What belongs to it keeps its own conditions
/// and its order; a limit is one for each row: `.with(companies.limit(3))` gives three at most to
/// each city.
public struct RelatedRows<Columns: SourceColumns, each Child: Sendable>: Sendable {
  /// A row, and an array for each kind of what belongs to it.
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

  /// Adds rows of another table that belong to each row, by the one foreign key between them.
  /// - Parameter children: The other rows.
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    let children = children.from
    return adding(Children(children, children.tables, link(to: children.tables)))
  }

  /// Adds rows of another table that belong to each row.
  /// - Parameters:
  ///   - children: The other rows.
  ///   - column: A closure from their columns to the one that holds the row's primary key.
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>, on column: (Other) -> Expression<Columns.Projected.PrimaryKey>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where Columns.Projected: KeyedModel {
    let children = children.from
    let key = children.calling { column($0).sql }
    return adding(Children(children, children.tables, link(by: key)))
  }

  /// Adds rows of another table that belong to each row, if they belong to one.
  /// - Parameters:
  ///   - children: The other rows.
  ///   - column: A closure from their columns to the one that holds the row's primary key.
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>, on column: (Other) -> Expression<Columns.Projected.PrimaryKey?>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where Columns.Projected: KeyedModel {
    let children = children.from
    let key = children.calling { column($0).sql }
    return adding(Children(children, children.tables, link(by: key)))
  }

  /// Adds rows of another table that belong to each row, with what belongs to them.
  /// - Parameter children: The other rows.
  public func with<Other: SourceColumns, each Grandchild>(
    _ children: RelatedRows<Other, repeat each Grandchild>
  ) -> RelatedRows<
    Columns, repeat each Child, (Other.Projected, repeat [each Grandchild])
  > {
    adding(Children(nested: children, link(to: children.parents.tables)))
  }

  /// Adds rows of another table that a third one assigns to each row: many to many.
  /// - Parameters:
  ///   - others: The other rows.
  ///   - assignments: What assigns them: a table with a foreign key to this one and a foreign key
  ///     to the other. A row comes as often as it is assigned.
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    var others = others.from
    let (limit, offset) = (others.clauses.limit, others.clauses.offset)
    (others.clauses.limit, others.clauses.offset) = (nil, nil)
    let assignments = assignments.from
    var joined = others.joined(
      .inner, assignments, nil, others.columns, assignments.columns)
    (joined.clauses.limit, joined.clauses.offset) = (limit, offset)
    let part = others.with(joined.clauses, joined.tables)
    return adding(Children(part, joined.tables, link(to: assignments.tables)))
  }

  /// How others refer to these rows: by their one foreign key.
  private func link(to others: [JoinedTable]) -> Result<Relation, DatabaseError> {
    let keys = others.flatMap { other in parents.tables.flatMap { other.references(to: $0) } }
    guard let key = keys.first, keys.count == 1 else {
      let names = others.map { $0.name }.joined(separator: ", ")
      let parent = parents.tables.map { $0.name }.joined(separator: ", ")
      return .failure(
        .query(
          "There \(keys.isEmpty ? "is no foreign key" : "are \(keys.count) foreign keys") from "
            + "\(names) to \(parent): say which column, as in with(others, on: { $0.otherID })"))
    }
    return Relation.matching(key.child.sql, key.parent, key.collation)
  }

  /// How others refer to these rows: by a column with their primary key.
  private func link(by column: SQL) -> Result<Relation, DatabaseError> {
    guard let table = parents.tables.first, let key = table.schema?.primaryKey.first else {
      return .failure(.query("These rows have no primary key"))
    }
    let parent = ColumnReference(table: table.name, name: key.name)
    return Relation.matching(column, parent, key.collation)
  }
}

/// The two columns that are equal in a row and in what belongs to it.
struct Relation: Sendable {
  let child: SQL
  let parent: ColumnReference
  /// Makes one of all the values that the rows' column takes for equal.
  let key: @Sendable (DatabaseValue) -> DatabaseValue

  /// A foreign key's values are compared as its parent's column compares them.
  ///
  /// See [Foreign Key Support](https://www.sqlite.org/foreignkeys.html#fk_basics).
  static func matching(
    _ child: SQL, _ parent: ColumnReference, _ collation: Collation?
  ) -> Result<Relation, DatabaseError> {
    guard let collation, collation != .binary else {
      return .success(Relation(child: child, parent: parent) { $0 })
    }
    let fold: @Sendable (String) -> String
    switch collation {
    case .nocase: fold = { $0.folded.string }
    case .rtrim:
      fold = { text in
        let spaces = text.utf8.reversed().prefix { $0 == UInt8(ascii: " ") }.count
        return String(decoding: text.utf8.dropLast(spaces), as: UTF8.self)
      }
    default:
      return .failure(
        .query(
          "\(parent.sql.text) is compared by a collation of your own, so that rows cannot be matched "
            + "with those that belong to them: join the tables"))
    }
    let collated = SQL(raw: "(").appending(child, SQL(raw: " COLLATE \(collation.name))"))
    return .success(
      Relation(child: collated, parent: parent) { value in
        if case .text(let text) = value { .text(fold(text)) } else { value }
      })
  }
}

extension Source {
  /// Adds rows of another table that belong to each row, by the one foreign key between them.
  /// - Parameter children: The other rows.
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<Columns, Other.Projected> {
    RelatedRows<Columns>(from).with(children)
  }

  /// Adds rows of another table that belong to each row.
  /// - Parameters:
  ///   - children: The other rows.
  ///   - column: A closure from their columns to the one that holds the row's primary key.
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>, on column: (Other) -> Expression<Output.PrimaryKey>
  ) -> RelatedRows<Columns, Other.Projected> where Output: KeyedModel {
    RelatedRows<Columns>(from).with(children, on: column)
  }

  /// Adds rows of another table that belong to each row, if they belong to one.
  /// - Parameters:
  ///   - children: The other rows.
  ///   - column: A closure from their columns to the one that holds the row's primary key.
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>, on column: (Other) -> Expression<Output.PrimaryKey?>
  ) -> RelatedRows<Columns, Other.Projected> where Output: KeyedModel {
    RelatedRows<Columns>(from).with(children, on: column)
  }

  /// Adds rows of another table that belong to each row, with what belongs to them.
  /// - Parameter children: The other rows.
  public func with<Other: SourceColumns, each Grandchild>(
    _ children: RelatedRows<Other, repeat each Grandchild>
  ) -> RelatedRows<Columns, (Other.Projected, repeat [each Grandchild])> {
    RelatedRows<Columns>(from).with(children)
  }

  /// Adds rows of another table that a third one assigns to each row: many to many.
  /// - Parameters:
  ///   - others: The other rows.
  ///   - assignments: What assigns them: a table with a foreign key to this one and a foreign key
  ///     to the other. A row comes as often as it is assigned.
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>
  ) -> RelatedRows<Columns, Other.Projected> {
    RelatedRows<Columns>(from).with(others, through: assignments)
  }
}
