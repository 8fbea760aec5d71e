import MiniORM

/// Fills a file with rows: every edge value of each column at least once, if the constraints allow
/// it, within unique and foreign keys and CHECK constraints.
struct RowFiller: Sendable {
  private let recorded: RecordedSchema
  private let given: [ExactText: [[String: DatabaseValue]]]
  /// The Swift types of formats, from the models of the schema.
  private let types: [ExactText: any ColumnValue.Type]
  private var random: EdgeValues.Random
  private var number = 0
  /// Descriptions of tables without a valid row.
  private(set) var problems: [String] = []

  private static let attempts = 150
  private static let most = 16

  private struct Column {
    let declared: TableDefinition.Column
    let edges: EdgeValues
    let isUnique: Bool
    let isChecked: Bool
    /// Literals of constraints come first.
    let choices: [DatabaseValue]
    let literalCount: Int
  }

  init(_ recorded: RecordedSchema, _ snapshots: SchemaSnapshots, _ schema: DatabaseSchema) throws {
    self.recorded = recorded
    given = try snapshots.given.mapValues { try $0(recorded.version) }
    types = Dictionary(
      schema.models.flatMap { $0.schema.columns }
        .compactMap { $0.stored as? any ColumnValue.Type }
        .map { (ColumnFormat(of: $0).name, $0) }, uniquingKeysWith: { first, _ in first })
    random = EdgeValues.Random(seed: snapshots.seed)
  }

  mutating func fill(_ db: isolated Connection) throws {
    var waiting = recorded.tables
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.name.folded))
      // Parents first. In a circle of tables, the first table whose references can be NULL.
      func isFree(_ table: RecordedSchema.Object, allowingNull: Bool) -> Bool {
        guard let definition = table.definition else { return true }
        return definition.foreignKeys.allSatisfy { key in
          key.parent == table.name.folded || !names.contains(key.parent)
            || allowingNull && key.columns.contains { definition.column($0)?.isNotNull == false }
        }
      }
      let next =
        waiting.firstIndex { isFree($0, allowingNull: false) }
        ?? waiting.firstIndex { isFree($0, allowingNull: true) }
      try fill(waiting.remove(at: next ?? 0), db)
    }
  }

  private mutating func fill(_ table: RecordedSchema.Object, _ db: isolated Connection) throws {
    guard let definition = table.definition else { return }
    let rows = given[table.name.folded] ?? []
    let columns = columns(of: table, definition, db)
    func references() throws -> [(columns: [Int], rows: [[DatabaseValue]])] {
      try definition.foreignKeys.map { key in
        let columns = key.columns.compactMap { name in
          columns.firstIndex { $0.declared.key == name }
        }
        return (columns, try parents(for: key, definition, db))
      }
    }
    var keys = try references()
    let refersToItself = definition.foreignKeys.contains { $0.parent == table.name.folded }
    let count =
      rows.isEmpty ? min(max(columns.map(\.choices.count).max() ?? 1, 4), Self.most) : rows.count
    let sql = SQL(
      raw: "INSERT INTO \(table.name.quotedIdentifier) "
        + "(\(columns.map(\.declared.name.quotedIdentifier).joined(separator: ", "))) "
        + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))")
    var (inserted, failure): (Int, DatabaseError?) = (0, nil)
    for row in 0..<count {
      var (isInserted, isDuplicate) = (false, false)
      if refersToItself { keys = try references() }
      for attempt in 0..<Self.attempts where !isInserted {
        var values = columns.map { value(of: $0, row, attempt, isDuplicate) }
        for reference in keys where !reference.rows.isEmpty {
          let index = attempt == 0 ? row : Int(random.next() >> 1)
          let parent = reference.rows[index % reference.rows.count]
          for (column, value) in zip(reference.columns, parent) { values[column] = value }
        }
        for (index, column) in columns.enumerated() where !rows.isEmpty {
          values[index] = rows[row].value(of: column.declared) ?? values[index]
        }
        do throws(DatabaseError) {
          isInserted = try db.execute(sql, Arguments(values)) > 0
        } catch {
          failure = error
          isDuplicate = error.code != .constraintCheck
        }
      }
      inserted += isInserted ? 1 : 0
    }
    guard let failure, inserted < (rows.isEmpty ? 1 : count) else { return }
    problems.append(
      "table \(table.name)\(failure.column.map { ", column \($0)" } ?? ""): "
        + "\(rows.isEmpty ? "no generated row is valid" : "a row of rows(for:) is not valid"): "
        + "\(failure.message). Pass valid values with rows(for: \"\(table.name)\")")
  }

  private mutating func value(
    of column: Column, _ row: Int, _ attempt: Int, _ isDuplicate: Bool
  ) -> DatabaseValue {
    if column.isUnique, !column.isChecked, isDuplicate {
      number += 1
      if let value = column.edges.distinct(number) { return value }
    }
    let isRandom = attempt > 10 || attempt > 0 && column.isChecked
    let index = isRandom ? Int(random.next() >> 1) : row
    // Most values that satisfy a CHECK constraint are close to its literals.
    let isNear = isRandom && column.literalCount > 0 && random.next() % 4 > 0
    let count = isNear ? column.literalCount : column.choices.count
    return count == 0 ? .null : column.choices[index % count]
  }

  private mutating func columns(
    of table: RecordedSchema.Object, _ definition: TableDefinition, _ db: isolated Connection
  ) -> [Column] {
    var unique = Set(definition.primaryKey).union(definition.uniques.joined())
    for object in recorded.objects where object.type == "index" {
      let index = IndexDefinition(name: object.name, table: "", sql: object.sql)
      guard index.isUnique, index.tableInSQL == table.name.folded else { continue }
      unique.formUnion(definition.columns.map(\.key).filter { index.clause.names($0) })
    }
    return definition.columns.filter { $0.generated == nil }.map { column in
      let format = table.formats[column.key] ?? .undescribed(column.type)
      let edges = EdgeValues(format: format, type: types[format.name])
      let literals = literals(for: column, definition, db).filter { edges.isReadable($0) }
      var choices = literals + edges.values(&random)
      if definition.hasRowIDKey, definition.primaryKey == [column.key] {
        choices = (1..<Int64(Self.most)).map { .integer($0) } + [.integer(1 << 40)]
      } else if !column.isNotNull {
        choices.append(.null)
      }
      return Column(
        declared: column, edges: edges, isUnique: unique.contains(column.key),
        isChecked: definition.checks.contains { $0.names(column.key) },
        choices: choices, literalCount: literals.count)
    }
  }

  /// Returns the keys of the parent's rows, and NULL for an optional reference.
  private func parents(
    for key: TableDefinition.ForeignKey, _ child: TableDefinition, _ db: isolated Connection
  ) throws -> [[DatabaseValue]] {
    let isOptional = key.columns.allSatisfy { child.column($0)?.isNotNull == false }
    let null: [[DatabaseValue]] = isOptional ? [key.columns.map { _ in .null }] : []
    guard let parent = recorded.tables.first(where: { $0.name.folded == key.parent }) else {
      return null
    }
    let columns = key.parentColumns.isEmpty ? parent.definition?.primaryKey : key.parentColumns
    let list = (columns ?? []).map(\.string.quotedIdentifier).joined(separator: ", ")
    return try null
      + db.query(SQL(raw: "SELECT \(list) FROM \(parent.name.quotedIdentifier)")).map(\.values)
  }

  /// Returns values from the column's default, and from the literals of its CHECK constraints.
  private func literals(
    for column: TableDefinition.Column, _ definition: TableDefinition, _ db: isolated Connection
  ) -> [DatabaseValue] {
    var values: [DatabaseValue] = []
    if let text = column.defaultValue?.text,
      let value = try? db.value(DatabaseValue.self, SQL(raw: "SELECT \(text)"))
    {
      values.append(value)
    }
    for check in definition.checks where check.names(column.key) {
      for (index, token) in check.tokens.enumerated() {
        if token.kind == .string {
          // A pattern of LIKE or GLOB becomes texts that match it.
          values.append(.text(token.written))
          for any in "12345" where token.written.contains(where: { "%*_?".contains($0) }) {
            values.append(.text(String(token.written.map { "%*_?".contains($0) ? any : $0 })))
          }
        } else if token.kind == .number, let number = Double(token.written) {
          let isNegative = index > 0 && check.tokens[index - 1].isSymbol("-")
          for near in [-1, -0.1, 0, 0.1, 1].map({ (isNegative ? -number : number) + $0 }) {
            values += [.real(near), .integer(Int64(exactly: near.rounded()) ?? 0)]
            // The number may be a length.
            guard (0...10_000).contains(near) else { continue }
            values.append(.text(String(repeating: "é", count: Int(near))))
          }
        }
      }
    }
    // SQLite would convert a value of another class, or refuse it in a STRICT table.
    return values.filter { value in
      switch (column.type, value) {
      case (_, .null): false
      case ("INTEGER", .integer), ("REAL", .real), ("TEXT", .text), ("BLOB", .blob): true
      default: !["INTEGER", "REAL", "TEXT", "BLOB"].contains(column.type)
      }
    }
  }
}

extension [String: DatabaseValue] {
  fileprivate func value(of column: TableDefinition.Column) -> DatabaseValue? {
    first { $0.key.folded == column.key }?.value
  }
}
