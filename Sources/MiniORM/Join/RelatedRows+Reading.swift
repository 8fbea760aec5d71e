extension RelatedRows {
  /// The rows with what belongs to them.
  /// - Parameters:
  ///   - clauses: The clauses for the rows.
  ///   - key: A value to read beside each row.
  ///   - prepare: Makes a statement of SQL.
  func rows(
    of clauses: SelectClauses, key: SQL?, preparing prepare: Preparing
  ) throws(DatabaseError) -> [(key: DatabaseValue, row: Output)] {
    // No key paths below: in a context with a parameter pack the runtime (6.3) crashes making one.
    // The values by which rows are found that belong to a row: mostly its primary key alone.
    var references: [ParentKey] = []
    for child in repeat each children {
      let parent = try child.relation.get().parent
      if !references.contains(parent) { references.append(parent) }
    }
    var keys = key.map { [$0] } ?? []
    for reference in references { keys.append(reference.sql) }
    let projection = KeyedProjection(parents.columns, keys)
    let columns = KeyedProjection.resultColumns(projection)
    let select = Select(
      key.map { clauses.limitedForEach($0, columns) } ?? clauses, columns,
      KeyedProjection.reader(projection))
    let found = try select.reader.all(try prepare(select.clauses.sql))
    let first = keys.count - references.count
    let loaded =
      (repeat try (each children).load(
        for: found.map { $0.1 }, references, from: first, preparing: prepare))
    return found.map { row, values in
      (key == nil ? .null : values[0], (row, repeat (each loaded).rows(for: values)))
    }
  }
}

/// Makes a statement of SQL, so that what reads related rows runs nothing itself.
typealias Preparing = (SQL) throws(DatabaseError) -> Statement

/// What belongs to rows of one kind.
struct Children<Row: Sendable>: Sendable {
  let relation: Result<Relation, DatabaseError>
  /// The rows that belong to those with some keys, each with its key.
  private let read:
    @Sendable (_ keys: [DatabaseValue], _ relation: Relation, _ prepare: Preparing)
      throws(DatabaseError) -> [(key: DatabaseValue, row: Row)]

  init<Columns: SourceColumns>(
    _ from: From<Columns, Row>, _ tables: [JoinedTable],
    _ relation: Result<Relation, DatabaseError>
  ) where Columns.Projected == Row {
    self.relation = relation
    read = {
      (
        keys: [DatabaseValue], relation: Relation, prepare: Preparing
      ) throws(DatabaseError) -> [(key: DatabaseValue, row: Row)] in
      let projection = KeyedProjection(from.columns, [relation.child])
      let clauses = from.clauses.restricted(to: keys, relation.child)
      let select = Select(
        clauses.limitedForEach(relation.child, KeyedProjection.resultColumns(projection)),
        KeyedProjection.resultColumns(projection), KeyedProjection.reader(projection))
      return try select.reader.all(try prepare(select.clauses.sql)).map {
        (key: $0.1[0], row: $0.0)
      }
    }
  }

  init<Columns: SourceColumns, each Grandchild>(
    nested: RelatedRows<Columns, repeat each Grandchild>,
    _ relation: Result<Relation, DatabaseError>
  ) where Row == (Columns.Projected, repeat [each Grandchild]) {
    self.relation = relation
    read = {
      (
        keys: [DatabaseValue], relation: Relation, prepare: Preparing
      ) throws(DatabaseError) -> [(key: DatabaseValue, row: Row)] in
      let clauses = nested.parents.clauses.restricted(to: keys, relation.child)
      return try nested.rows(of: clauses, key: relation.child, preparing: prepare)
    }
  }

  /// Reads what belongs to rows.
  /// - Parameters:
  ///   - values: The keys of each row.
  ///   - keys: What they are.
  ///   - first: Where the first of them stands.
  ///   - prepare: Makes a statement of SQL.
  fileprivate func load(
    for values: [[DatabaseValue]], _ keys: [ParentKey], from first: Int,
    preparing prepare: Preparing
  ) throws(DatabaseError) -> LoadedChildren<Row> {
    let relation = try relation.get()
    let index = first + (keys.firstIndex(of: relation.parent) ?? 0)
    var loaded = LoadedChildren<Row>(index: index, relation: relation)
    for row in values where row[index] != .null { loaded.byKey[relation.key(row[index])] = [] }
    guard !loaded.byKey.isEmpty else { return loaded }
    for (key, row) in try read(Array(loaded.byKey.keys), relation, prepare) {
      loaded.byKey[relation.key(key), default: []].append(row)
    }
    return loaded
  }
}

private struct LoadedChildren<Row> {
  let index: Int
  let relation: Relation
  var byKey: [DatabaseValue: [Row]] = [:]

  func rows(for keys: [DatabaseValue]) -> [Row] { byKey[relation.key(keys[index])] ?? [] }
}

extension SelectClauses {
  /// Only the rows whose key is among others.
  fileprivate func restricted(to keys: [DatabaseValue], _ key: SQL) -> SelectClauses {
    var clauses = self
    let condition = SQLExpression<DatabaseValue>(key, Coding()).isIn(keys)
    clauses.filter(condition.sql)
    return clauses
  }

  /// A limit for the rows of each key, and not for all together.
  fileprivate func limitedForEach(_ key: SQL, _ columns: [ResultColumn]) -> SelectClauses {
    guard let limit else { return self }
    let (number, first) = (#""miniorm_number""#, offset ?? 0)
    var inner = self
    (inner.limit, inner.offset, inner.ordering) = (nil, nil, [])
    var window = SQL(raw: "row_number() OVER (PARTITION BY ").appending(key)
    if !ordering.isEmpty {
      window.append(" ORDER BY ")
      window.append(.joined(ordering, separator: ", "))
    }
    window.append(")")
    inner.columns = columns + [ResultColumn(window, name: "miniorm_number")]
    var outer = inner.nested(as: nil)
    outer.isWhole = true
    outer.filter(SQL(raw: "\(number) > ").appending(SQL(binding: first)))
    let (last, isBeyond) = first.addingReportingOverflow(limit)
    outer.filter(SQL(raw: "\(number) <= ").appending(SQL(binding: isBeyond ? .max : last)))
    outer.ordering = [SQL(raw: number)]
    if isDistinct {
      outer.record(.query("A limit for each row does not go with distinct"))
    }
    return outer
  }
}

/// What is projected, and values beside it.
private struct KeyedProjection<Base: Projection>: Projection {
  typealias Projected = (Base.Projected, [DatabaseValue])

  let base: Base
  let keys: [SQL]
  let first: Int32

  init(_ base: Base, _ keys: [SQL]) {
    (self.base, self.keys) = (base, keys)
    first = Int32(Base.resultColumns(base).count)
  }

  static func resultColumns(_ projection: Self) -> [ResultColumn] {
    Base.resultColumns(projection.base)
      + projection.keys.enumerated().map { ResultColumn($1, name: "miniorm_key\($0)") }
  }

  static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> (Base.Projected, [DatabaseValue])
  {
    let value = try Base.read(projection.base, from: row, at: first)
    var keys: [DatabaseValue] = []
    for index in projection.keys.indices {
      keys.append(try DatabaseValue(cell: row[first + projection.first + Int32(index)]))
    }
    return (value, keys)
  }
}
