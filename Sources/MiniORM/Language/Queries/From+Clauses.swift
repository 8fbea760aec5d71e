enum JoinKind: String {
  case inner = "JOIN"
  case left = "LEFT JOIN"
  case right = "RIGHT JOIN"
  case full = "FULL JOIN"
  case cross = "CROSS JOIN"
}

extension From {
  /// Joins a source. The closures take the columns of both sides.
  /// - Parameters:
  ///   - parts: The columns of each table of the join.
  ///   - condition: The condition; `nil` takes the only foreign key between the tables.
  func joined<OtherColumns, Other, each Part: SourceColumns>(
    _ kind: JoinKind, _ other: From<OtherColumns, Other>,
    _ parts: (Columns, OtherColumns) -> (repeat each Part),
    on condition: (Columns, OtherColumns) -> (any SQLCondition)? = { _, _ in nil }
  ) -> From<(repeat each Part), (repeat (each Part).Projected)> {
    let this = distinguished
    let names = this.clauses.names + other.clauses.names
    let on = EnclosingQueries.calling(with: names) { condition(this.columns, other.columns)?.sql }
    return From<(repeat each Part), (repeat (each Part).Projected)>(
      parts(this.columns, other.columns), this.joining(kind, other, on),
      this.tables + other.tables.map { $0.joined(kind) }
    ) { columns, names in
      var names = names.makeIterator()
      return (repeat (each Part).renamed(each columns, as: names.next() ?? ""))
    } whole: { columns in
      let projection = TupleProjection(repeat each columns)
      return (TupleProjection.resultColumns(projection), TupleProjection.reader(projection))
    }
  }

  private var nested: SelectClauses? {
    guard let table = tables.first, tables.count == 1 else { return nil }
    var inner = clauses
    inner.columns = resultColumns
    return inner.nested(as: table.name)
  }

  /// Joins two sources, after the conditions of either side. If SQL does not allow that order, the
  /// side becomes a subquery.
  private func joining<OtherColumns, Other>(
    _ kind: JoinKind, _ other: From<OtherColumns, Other>, _ condition: SQL?
  ) -> SelectClauses {
    var left = clauses
    if !left.isFilter || kind == .full && left.condition != nil {
      if var nested {
        nested.ordering = left.ordering
        left = nested
      } else {
        left.record(
          .query(
            "Call join before group, having, limit and distinct, and fullJoin also before where"))
      }
    }
    var right = other.clauses
    if !right.isFilter || kind == .full && right.condition != nil {
      right = other.nested ?? right
    }
    left.record(right.problem)
    // The left side's order comes first. The order of a limited table chooses its rows.
    if !other.clauses.isLimited { left.ordering += other.clauses.ordering }
    var on = condition
    if kind == .right || kind == .full, (tables + other.tables).contains(where: \.isSearch) {
      left.record(
        .query(
          "FTS5 cannot search a table of a right or full join: begin with the other table, and join the search with leftJoin(_:on:)"
        ))
    }
    let isFunction = other.tables.allSatisfy(\.isFunction)
    if isFunction, !other.clauses.isFilter {
      left.record(
        .query(
          "The rows of a table-valued function cannot be grouped or limited inside a join: call group, limit or distinct after the join"
        ))
    }
    if on == nil, kind != .cross, !isFunction {
      do throws(DatabaseError) {
        on = try foreignKey(to: other.tables)
      } catch {
        left.record(error)
      }
    }
    switch kind {
    case .inner, .left: on = SQL.and(on, right.condition)
    case .right:
      // A right join keeps all rows of the right side, so the left side's condition moves to ON.
      on = SQL.and(on, left.condition)
      left.condition = right.condition
    case .cross, .full: left.condition = SQL.and(left.condition, right.condition)
    }
    // A subquery contains its own search.
    let search = other.clauses.isFilter ? other.tables.first?.search : nil
    if kind == .left, let search { on = SQL.and(on, search.condition) }
    left.from.append(" \(kind.rawValue) ")
    left.from.append(search?.table ?? right.from)
    if let on {
      left.from.append(" ON ")
      left.from.append(on)
    }
    if let search { left.from.append(search.join(kind == .left ? .left : .inner)) }
    for table in other.tables where tables.contains(where: { $0.hasName(table.name) }) {
      left.record(
        .query("\(table.name) is joined twice: give it another name with alias(_:) the second time")
      )
    }
    return left
  }

  /// Returns the tables of UPDATE … FROM, and the condition that joins the updated table.
  func joined(to table: JoinedTable, _ condition: SQL?) throws(DatabaseError) -> (SQL, SQL?) {
    var clauses = clauses
    if !clauses.ordering.isEmpty, !clauses.isLimited {
      throw .query(
        "order(_:) has no effect in update(from:), where any matching row updates a row: "
          + "call limit(_:) after it, or remove it")
    }
    if !clauses.isFilter {
      guard let nested else {
        throw .query(
          "An update cannot use a join with group, having, limit or distinct: remove these calls")
      }
      clauses = nested
    }
    if let problem = clauses.problem { throw problem }
    if tables.contains(where: { $0.hasName(table.name) }) {
      throw .query(
        "\(table.name) is updated from itself: give it another name with alias(_:) in from:")
    }
    var on = condition
    if on == nil { on = try foreignKey(to: [table]) }
    return (clauses.from, SQL.and(on, clauses.condition))
  }

  private func foreignKey(to others: [JoinedTable]) throws(DatabaseError) -> SQL {
    let keys = others.flatMap { other in
      tables.flatMap { $0.keys(to: other) + (other.hasName($0.name) ? [] : other.keys(to: $0)) }
    }
    guard let key = keys.first, keys.count == 1 else {
      let names = tables.map(\.name).joined(separator: ", ")
      let other = others.map(\.name).joined(separator: ", ")
      throw .query(
        "There \(keys.isEmpty ? "is no foreign key" : "are \(keys.count) foreign keys") between "
          + "\(names) and \(other): give the condition, as in join(other) { $0.otherID == $1.id }")
    }
    return key
  }
}

struct ColumnReference: Hashable, Sendable {
  let table: String
  let name: String

  var sql: SQL { SQL(column: name, of: table) }

  static func == (left: ColumnReference, right: ColumnReference) -> Bool {
    left.table.folded == right.table.folded && left.name.folded == right.name.folded
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(table.folded)
    hasher.combine(name.folded)
  }
}

struct JoinedTable: Sendable {
  var name: String
  let model: (any Model.Type)?
  let schema: TableSchema?
  let isFunction: Bool
  var isSearch = false
  var search: SearchJoin?

  init(name: String, model: (any Model.Type)?, isFunction: Bool = false) {
    (self.name, self.model, self.isFunction) = (name, model, isFunction)
    schema = model?.schema
  }

  func renaming(_ renames: Renames) -> JoinedTable {
    var table = self
    table.name = renames[name]
    table.search = search?.renaming(renames)
    return table
  }

  /// Returns the table as a part of a join. After a left join, it no longer counts as a search, so
  /// that further joins are allowed.
  fileprivate func joined(_ kind: JoinKind) -> JoinedTable {
    var table = self
    if kind == .left { table.isSearch = false }
    table.search = nil
    return table
  }

  func hasName(_ other: String) -> Bool { name.folded == other.folded }

  func references(to other: JoinedTable) -> [[KeyPair]] {
    guard let model, let schema, let parent = other.schema else { return [] }
    let ofColumns = schema.columns.compactMap { column -> [KeyPair]? in
      guard let key = column.foreignKey, let target = key.column(in: parent) else { return nil }
      return [pair(column, other, target)]
    }
    let ofConstraints = model.constraintForeignKeys.compactMap { key -> [KeyPair]? in
      guard key.parent == parent.name.folded else { return nil }
      let targets =
        key.parentColumns.isEmpty ? parent.primaryKey.map(\.name.folded) : key.parentColumns
      guard targets.count == key.columns.count else { return nil }
      let pairs = zip(key.columns, targets).compactMap { name, target in
        schema.columns.first { $0.name.folded == name }.map { pair($0, other, target.string) }
      }
      return pairs.count == targets.count ? pairs : nil
    }
    return ofColumns + ofConstraints
  }

  private func pair(_ column: ColumnSchema, _ other: JoinedTable, _ target: String) -> KeyPair {
    let parent = other.schema?.columns.first { $0.name.folded == target.folded }
    return KeyPair(
      child: ColumnReference(table: name, name: column.name), column: column,
      parent: ColumnReference(table: other.name, name: parent?.name ?? target),
      parentColumn: parent)
  }

  fileprivate func keys(to other: JoinedTable) -> [SQL] {
    references(to: other).compactMap { pairs in
      pairs.reduce(SQL?.none) { condition, pair in
        SQL.and(
          condition,
          .matching(
            pair.child.sql, pair.column, StoredFormat(of: pair.column.stored), pair.parent.sql,
            pair.parentColumn))
      }
    }
  }
}

struct KeyPair {
  let child: ColumnReference
  let column: ColumnSchema
  let parent: ColumnReference
  let parentColumn: ColumnSchema?
}

extension Model {
  /// The foreign keys of the table constraints. `migrate` reports constraints that are invalid.
  fileprivate static var constraintForeignKeys: [TableDefinition.ForeignKey] {
    TableDefinition.foreignKeys(
      in: constraints.compactMap { try? $0.sql.literalText(columnsOf: schema.name) })
  }
}

extension SQL {
  /// Returns the join condition of a foreign key, with the parent column's collation.
  static func matching(
    _ child: SQL, _ column: ColumnSchema?, _ format: StoredFormat,
    _ parent: SQL, _ parentColumn: ColumnSchema?
  ) -> SQL {
    let collation = parentColumn?.collation ?? .binary
    var condition = SQL(raw: "(").appending(child, SQL(raw: " = "), parent)
    // SQLite uses the left column's collation, unless the right side has a COLLATE.
    if column?.collation ?? .binary != collation {
      condition.append(" COLLATE \(collation.name)")
    }
    condition.append(")")
    let parentFormat = StoredFormat(of: parentColumn?.stored)
    if format.meeting(parentFormat) != .equal {
      condition.record(format.refusal(child.text, parentFormat, parent.text))
    }
    return condition
  }
}

extension ForeignKey {
  fileprivate func column(in schema: TableSchema) -> String? {
    let key = schema.primaryKey.count == 1 ? schema.primaryKey.first?.name : nil
    switch parent {
    case .schema(let parent): return parent() === schema ? key : nil
    case .table(let name, let column):
      return name.folded == schema.name.folded ? column ?? key : nil
    }
  }
}
