extension RelatedRows {
  func rows(
    of clauses: SelectClauses, key: [SQL], preparing prepare: Preparing
  ) throws(DatabaseError) -> KeyedRows<Output> {
    // No key paths here: in a context with a parameter pack, the runtime (Swift 6.3) crashes. The
    // parent columns that related rows refer to, usually only the primary key:
    var references: [ParentKey] = []
    for child in repeat each children {
      for pair in try child.relation.get().pairs where !references.contains(pair.parent) {
        references.append(pair.parent)
      }
    }
    var keys = key
    for reference in references { keys.append(reference.sql) }
    let columns = parents.columns
    let isWhole = key.isEmpty && clauses.isWholeTable
    let clauses = clauses.selecting(
      Columns.resultColumns(columns), besides: keys, limitedForEach: key)
    var rows = RowBuffer<Columns.Projected>()
    let values = try prepare(clauses.sql).read(columns, into: &rows, besides: keys.count)
    let first = keys.count - references.count
    let loaded =
      (repeat try (each children).load(
        for: values, references, from: first, isWhole: isWhole, preparing: prepare))
    var found = KeyedRows<Output>()
    for (index, row) in rows.take().enumerated() {
      try found.rows.append { (memory) throws(DatabaseError) in
        memory.assumingMemoryBound(to: Output.self).initialize(
          to: (row, repeat (each loaded)[index]))
      }
    }
    found.keys = Array(values[..<key.count])
    return found
  }
}

typealias Preparing = (SQL) throws(DatabaseError) -> Statement

struct Children<Row: Sendable>: Sendable {
  let relation: Result<Relation, DatabaseError>
  private let read:
    @Sendable (_ keys: [[DatabaseValue]]?, _ relation: Relation, _ prepare: Preparing)
      throws(DatabaseError) -> KeyedRows<Row>

  init<Columns: SourceColumns>(
    _ from: From<Columns, Row>, _ tables: [JoinedTable],
    _ relation: Result<Relation, DatabaseError>
  ) where Columns.Projected == Row {
    self.relation = relation
    read = {
      (
        keys: [[DatabaseValue]]?, relation: Relation, prepare: Preparing
      ) throws(DatabaseError) -> KeyedRows<Row> in
      // No key path here either.
      let key = relation.pairs.map { $0.child }
      let clauses = from.clauses.restricted(to: keys, key).selecting(
        Columns.resultColumns(from.columns), besides: key, limitedForEach: key)
      var found = KeyedRows<Row>()
      found.keys = try prepare(clauses.sql).read(
        from.columns, into: &found.rows, besides: key.count)
      return found
    }
  }

  init<Columns: SourceColumns, each Grandchild>(
    nested: RelatedRows<Columns, repeat each Grandchild>,
    _ relation: Result<Relation, DatabaseError>
  ) where Row == (Columns.Projected, repeat [each Grandchild]) {
    self.relation = relation
    read = {
      (
        keys: [[DatabaseValue]]?, relation: Relation, prepare: Preparing
      ) throws(DatabaseError) -> KeyedRows<Row> in
      let key = relation.pairs.map { $0.child }
      let clauses = nested.parents.clauses.restricted(to: keys, key)
      return try nested.rows(of: clauses, key: key, preparing: prepare)
    }
  }

  fileprivate func load(
    for values: [[DatabaseValue]], _ keys: [ParentKey], from first: Int, isWhole: Bool,
    preparing prepare: Preparing
  ) throws(DatabaseError) -> LoadedChildren<Row> {
    let relation = try relation.get()
    var groups = KeyGroups(relation)
    let parents = groups.add(
      relation.pairs.map { values[first + (keys.firstIndex(of: $0.parent) ?? 0)] })
    guard groups.count > 0 else { return LoadedChildren(groups: parents, rows: []) }
    // If every related row has a parent here, filtering by key would only cost time.
    let all = isWhole && relation.isTotal
    var found = try read(all ? nil : groups.keys, relation, prepare)
    groups.finish()
    return LoadedChildren(
      groups: parents,
      rows: found.rows.take(by: groups.numbers(of: found.keys), count: groups.count))
  }
}

private struct LoadedChildren<Row> {
  let groups: [Int?]
  let rows: [[Row]]

  subscript(index: Int) -> [Row] { groups[index].map { rows[$0] } ?? [] }
}

private struct KeyGroups {
  private let relation: Relation
  private let pairs: [Relation]
  private(set) var keys: [[DatabaseValue]]
  private var numbers: [DatabaseValue: Int] = [:]
  private var composites: [[DatabaseValue]: Int] = [:]
  // Rowids are usually close together. An array then maps each key to its number.
  private var first: Int64 = 0
  private var dense: [Int32] = []

  init(_ relation: Relation) {
    (self.relation, pairs) = (relation, relation.pairs)
    keys = Array(repeating: [], count: pairs.count)
  }

  var count: Int { keys[0].count }

  /// Numbers the keys, from an array for each column. A key with NULL has no number, because NULL
  /// equals no key.
  mutating func add(_ columns: [[DatabaseValue]]) -> [Int?] {
    guard pairs.count > 1 else { return columns[0].map { add($0) } }
    return columns[0].indices.map { row in
      guard let key = composite(columns, row) else { return nil }
      if let known = composites[key] { return known }
      composites[key] = count
      for column in keys.indices { keys[column].append(key[column]) }
      return count - 1
    }
  }

  func numbers(of columns: [[DatabaseValue]]) -> [Int?] {
    guard pairs.count > 1 else { return columns[0].map { self[$0] } }
    return columns[0].indices.map { row in composite(columns, row).flatMap { composites[$0] } }
  }

  private func composite(_ columns: [[DatabaseValue]], _ row: Int) -> [DatabaseValue]? {
    var key: [DatabaseValue] = []
    for (pair, column) in zip(pairs, columns) {
      guard column[row] != .null else { return nil }
      key.append(pair.key(column[row]))
    }
    return key
  }

  private mutating func add(_ value: DatabaseValue) -> Int? {
    guard value != .null else { return nil }
    let key = relation.key(value)
    if let known = numbers[key] { return known }
    numbers[key] = count
    keys[0].append(key)
    return count - 1
  }

  /// Speeds up lookups of dense integer keys.
  mutating func finish() {
    guard pairs.count == 1 else { return }
    var (lowest, highest) = (Int64.max, Int64.min)
    for key in keys[0] {
      guard case .integer(let integer) = key else { return }
      (lowest, highest) = (min(lowest, integer), max(highest, integer))
    }
    let (span, isTooLarge) = highest.subtractingReportingOverflow(lowest)
    guard !isTooLarge, span < Int64(count) * 4, count < Int32.max else { return }
    first = lowest
    dense = Array(repeating: -1, count: Int(span) + 1)
    for (number, key) in keys[0].enumerated() {
      if case .integer(let integer) = key { dense[Int(integer - lowest)] = Int32(number) }
    }
  }

  private subscript(value: DatabaseValue) -> Int? {
    if !dense.isEmpty, case .integer(let integer) = value {
      let (place, isTooLarge) = integer.subtractingReportingOverflow(first)
      guard !isTooLarge, place >= 0, place < dense.count else { return nil }
      let number = dense[Int(place)]
      return number < 0 ? nil : Int(number)
    }
    return numbers[relation.key(value)]
  }
}

extension SelectClauses {
  fileprivate var isWholeTable: Bool {
    guard isFilter, condition == nil, from.segments.count == 1 else { return false }
    return if case .name(.table) = from.segments[0] { true } else { false }
  }

  /// Keeps the rows with one of the keys.
  fileprivate func restricted(to keys: [[DatabaseValue]]?, _ key: [SQL]) -> SelectClauses {
    guard let keys else { return self }
    var clauses = self
    guard key.count > 1 else {
      clauses.filter(SQLExpression<DatabaseValue>(key[0], Coding()).isIn(keys[0]).sql)
      return clauses
    }
    let rows = keys[0].indices.flatMap { row in keys.map { $0[row] } }
    let list = SQL(segments: [.parameter(.list(ValueList(rows, width: key.count)))])
    clauses.filter(SQL(raw: "(").appending(.list(key), SQL(raw: " IN "), list, SQL(raw: ")")))
    return clauses
  }

  /// Applies the limit to the rows of each key separately, if there is a key.
  fileprivate func limitedForEach(_ key: [SQL], _ columns: [ResultColumn]) -> SelectClauses {
    guard let limit, !key.isEmpty else { return self }
    let (number, first) = (#""miniorm_number""#, offset ?? 0)
    var inner = self
    inner.record(SQL(limit: limit).problem)
    (inner.limit, inner.offset, inner.ordering) = (nil, nil, [])
    var window = SQL(raw: "row_number() OVER (PARTITION BY ").appending(
      .joined(key, separator: ", "))
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
      outer.record(.query("A limit per row cannot be combined with distinct: remove distinct"))
    }
    return outer
  }
}

extension SelectClauses {
  /// Selects columns, followed by values. A limit applies to the rows of each key separately.
  fileprivate func selecting(
    _ columns: [ResultColumn], besides values: [SQL], limitedForEach key: [SQL]
  ) -> SelectClauses {
    let columns =
      columns + values.enumerated().map { ResultColumn($1, name: "miniorm_key\($0)") }
    var clauses = limitedForEach(key, columns)
    clauses.columns = columns
    return clauses
  }
}

extension Statement {
  fileprivate consuming func read<Part: Projection>(
    _ part: Part, into rows: inout RowBuffer<Part.Projected>, besides count: Int
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    var values: [[DatabaseValue]] = Array(repeating: [], count: count)
    guard try step() else { return values }
    let fields = TupleFields(single: part)
    let first = fields.columnCount
    repeat {
      let row = Row(pointer)
      do throws(DatabaseError) {
        try rows.append { (memory) throws(DatabaseError) in
          try fields.read(row, into: memory)
        }
        for index in 0..<count {
          values[index].append(try DatabaseValue(cell: row[first + Int32(index)]))
        }
      } catch {
        throw error.adding(rowType: String(describing: Part.Projected.self))
      }
    } while try step()
    return values
  }
}
