extension RelatedRows {
  /// Reads the parent rows, then the related rows of each kind.
  func rows(
    of clauses: SelectClauses, key: SQL?, preparing prepare: Preparing
  ) throws(DatabaseError) -> KeyedRows<Output> {
    // No key paths here: in a context with a parameter pack, the runtime (Swift 6.3) crashes. The
    // parent columns that related rows refer to, usually only the primary key:
    var references: [ParentKey] = []
    for child in repeat each children {
      let parent = try child.relation.get().parent
      if !references.contains(parent) { references.append(parent) }
    }
    var keys = key.map { [$0] } ?? []
    for reference in references { keys.append(reference.sql) }
    let columns = parents.columns
    let isWhole = key == nil && clauses.isWholeTable
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
    if key != nil { found.keys = values[0] }
    return found
  }
}

/// Compiles SQL into a statement, so that the reading code is independent of the connection.
typealias Preparing = (SQL) throws(DatabaseError) -> Statement

struct Children<Row: Sendable>: Sendable {
  let relation: Result<Relation, DatabaseError>
  private let read:
    @Sendable (_ keys: [DatabaseValue]?, _ relation: Relation, _ prepare: Preparing)
      throws(DatabaseError) -> KeyedRows<Row>

  init<Columns: SourceColumns>(
    _ from: From<Columns, Row>, _ tables: [JoinedTable],
    _ relation: Result<Relation, DatabaseError>
  ) where Columns.Projected == Row {
    self.relation = relation
    read = {
      (
        keys: [DatabaseValue]?, relation: Relation, prepare: Preparing
      ) throws(DatabaseError) -> KeyedRows<Row> in
      let clauses = from.clauses.restricted(to: keys, relation.child).selecting(
        Columns.resultColumns(from.columns), besides: [relation.child],
        limitedForEach: relation.child)
      var found = KeyedRows<Row>()
      found.keys = try prepare(clauses.sql).read(from.columns, into: &found.rows, besides: 1)[0]
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
        keys: [DatabaseValue]?, relation: Relation, prepare: Preparing
      ) throws(DatabaseError) -> KeyedRows<Row> in
      let clauses = nested.parents.clauses.restricted(to: keys, relation.child)
      return try nested.rows(of: clauses, key: relation.child, preparing: prepare)
    }
  }

  /// - Parameter isWhole: True if the parent rows are all rows of their table.
  fileprivate func load(
    for values: [[DatabaseValue]], _ keys: [ParentKey], from first: Int, isWhole: Bool,
    preparing prepare: Preparing
  ) throws(DatabaseError) -> LoadedChildren<Row> {
    let relation = try relation.get()
    var groups = KeyGroups(relation)
    let parents = values[first + (keys.firstIndex(of: relation.parent) ?? 0)].map {
      groups.add($0)
    }
    guard !groups.keys.isEmpty else { return LoadedChildren(groups: parents, rows: []) }
    // If every related row has a parent here, a filter by key would only cost time.
    let all = isWhole && relation.isTotal
    var found = try read(all ? nil : groups.keys, relation, prepare)
    groups.finish()
    return LoadedChildren(
      groups: parents,
      rows: found.rows.take(by: found.keys.map { groups[$0] }, count: groups.keys.count))
  }
}

private struct LoadedChildren<Row> {
  /// The group of each parent row, or nil for a row with a NULL key.
  let groups: [Int?]
  let rows: [[Row]]

  subscript(index: Int) -> [Row] { groups[index].map { rows[$0] } ?? [] }
}

private struct KeyGroups {
  private let relation: Relation
  private(set) var keys: [DatabaseValue] = []
  private var numbers: [DatabaseValue: Int] = [:]
  // Rowids are usually close together. An array then maps each key to its number.
  private var first: Int64 = 0
  private var dense: [Int32] = []

  init(_ relation: Relation) { self.relation = relation }

  /// Returns the number of a row's key, or nil for NULL, which equals no value.
  mutating func add(_ value: DatabaseValue) -> Int? {
    guard value != .null else { return nil }
    let key = relation.key(value)
    if let known = numbers[key] { return known }
    numbers[key] = keys.count
    keys.append(key)
    return keys.count - 1
  }

  /// Builds the array if the keys are dense integers, for many lookups.
  mutating func finish() {
    var (lowest, highest) = (Int64.max, Int64.min)
    for key in keys {
      guard case .integer(let integer) = key else { return }
      (lowest, highest) = (min(lowest, integer), max(highest, integer))
    }
    let (span, isTooLarge) = highest.subtractingReportingOverflow(lowest)
    guard !isTooLarge, span < Int64(keys.count) * 4, keys.count < Int32.max else { return }
    first = lowest
    dense = Array(repeating: -1, count: Int(span) + 1)
    for (number, key) in keys.enumerated() {
      if case .integer(let integer) = key { dense[Int(integer - lowest)] = Int32(number) }
    }
  }

  subscript(value: DatabaseValue) -> Int? {
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

  fileprivate func restricted(to keys: [DatabaseValue]?, _ key: SQL) -> SelectClauses {
    guard let keys else { return self }
    var clauses = self
    let condition = SQLExpression<DatabaseValue>(key, Coding()).isIn(keys)
    clauses.filter(condition.sql)
    return clauses
  }

  /// Applies the limit to the rows of each key instead of all rows together.
  fileprivate func limitedForEach(_ key: SQL, _ columns: [ResultColumn]) -> SelectClauses {
    guard let limit else { return self }
    let (number, first) = (#""miniorm_number""#, offset ?? 0)
    var inner = self
    inner.record(SQL(limit: limit).problem)
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
      outer.record(.query("A limit per row cannot be combined with distinct: remove distinct"))
    }
    return outer
  }
}

extension SelectClauses {
  /// Selects columns, followed by additional values.
  /// - Parameter key: The expression whose every value gets the limit separately.
  fileprivate func selecting(
    _ columns: [ResultColumn], besides values: [SQL], limitedForEach key: SQL?
  ) -> SelectClauses {
    let columns =
      columns + values.enumerated().map { ResultColumn($1, name: "miniorm_key\($0)") }
    var clauses = key.map { limitedForEach($0, columns) } ?? self
    clauses.columns = columns
    return clauses
  }
}

extension Statement {
  /// - Returns: An array for each additional value, with an element per row.
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
