import MiniORM

/// Fills a file with rows: every edge value of each column at least once, if the constraints allow
/// it, within unique and foreign keys and CHECK constraints.
struct RowFiller: Sendable {
  private let recorded: RecordedSchema
  private let given: [ExactText: [[String: DatabaseValue]]]
  /// The Swift types of formats, from the models of the schema.
  private let types: [ExactText: any ColumnValue.Type]
  private var state: UInt64
  private var number = 0
  /// Descriptions of tables without a valid row.
  private(set) var problems: [String] = []

  private static let attempts = 150
  private static let most = 16

  /// The positions of the columns, and the keys of the parent's rows.
  private typealias Reference = (columns: [Int], rows: [[DatabaseValue]])

  private struct Column {
    let declared: TableDefinition.Column
    let edges: EdgeValues
    let isChecked: Bool
    /// Literals of constraints come first.
    let choices: [DatabaseValue]
    let literalCount: Int
    /// The index in `choices` of the value for the first row.
    let offset: Int
  }

  init(_ recorded: RecordedSchema, _ snapshots: SchemaSnapshots, _ schema: DatabaseSchema) throws {
    self.recorded = recorded
    given = try snapshots.given.mapValues { try $0(recorded.version) }
    types = Dictionary(
      schema.models.flatMap { $0.schema.columns }
        .compactMap { $0.stored as? any ColumnValue.Type }
        .map { (ColumnFormat(of: $0).name, $0) }, uniquingKeysWith: { first, _ in first })
    state = snapshots.seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func fill(_ db: isolated Connection) throws {
    var waiting = recorded.tables
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.name.folded))
      // Parents first. In a circle of tables, the first table whose references can be NULL.
      func isFree(_ table: RecordedSchema.Object, _ allowsNull: Bool) -> Bool {
        (table.definition?.foreignKeys ?? []).allSatisfy { key in
          key.parent == table.name.folded || !names.contains(key.parent)
            || allowsNull
              && key.columns.contains { table.definition?.column($0)?.isNotNull == false }
        }
      }
      let next =
        waiting.firstIndex { isFree($0, false) } ?? waiting.firstIndex { isFree($0, true) }
      try fill(waiting.remove(at: next ?? 0), db)
    }
  }

  private mutating func fill(_ table: RecordedSchema.Object, _ db: isolated Connection) throws {
    guard let definition = table.definition else { return }
    let given = given[table.name.folded] ?? []
    let columns = columns(of: table, definition, db)
    let refersToItself = definition.foreignKeys.contains { $0.parent == table.name.folded }
    var references: [Reference] = []
    let edgeCount = min(max(columns.map(\.choices.count).max() ?? 1, 4), Self.most)
    let count = given.isEmpty ? edgeCount : given.count
    let names = columns.map(\.declared.name.quotedIdentifier).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let sql = "INSERT INTO \(table.name.quotedIdentifier) (\(names)) VALUES (\(marks))"
    var (inserted, failure): (Int, DatabaseError?) = (0, nil)
    for row in 0..<count {
      if row == 0 || refersToItself {
        references = try definition.foreignKeys.map { try reference($0, columns, db) }
      }
      var (isInserted, duplicates): (Bool, Set<ExactText>) = (false, [])
      for attempt in 0..<Self.attempts where !isInserted {
        var values = columns.map { value(of: $0, row, attempt, duplicates) }
        for reference in references where !reference.rows.isEmpty {
          let index = attempt == 0 ? row : random(below: reference.rows.count)
          let parent = reference.rows[index % reference.rows.count]
          for (column, value) in zip(reference.columns, parent) { values[column] = value }
        }
        for (index, column) in columns.enumerated() where !given.isEmpty {
          let value = given[row].first { $0.key.folded == column.declared.key }?.value
          values[index] = value ?? values[index]
        }
        do throws(DatabaseError) {
          isInserted = try db.execute(SQL(raw: sql), Arguments(values)) > 0
        } catch {
          failure = error
          if error.code != .constraintCheck { duplicates.insert((error.column ?? "").folded) }
        }
      }
      inserted += isInserted ? 1 : 0
    }
    guard let failure, inserted < (given.isEmpty ? 1 : count) else { return }
    let rows = given.isEmpty ? "no generated row is valid" : "a row of rows(for:) is not valid"
    let hint = columns.contains { $0.choices.isEmpty } ? "Make it CaseIterable, or pass" : "Pass"
    problems.append(
      "table \(table.name)\(failure.column.map { ", column \($0)" } ?? ""): \(rows): "
        + "\(failure.message). \(hint) valid values with rows(for: \"\(table.name)\")")
  }

  private mutating func value(
    of column: Column, _ row: Int, _ attempt: Int, _ duplicates: Set<ExactText>
  ) -> DatabaseValue {
    if duplicates.contains(column.declared.key), !column.isChecked {
      number += 1
      if let value = column.edges.distinct(number) { return value }
    }
    let isRandom = attempt > 10 || attempt > 0 && column.isChecked
    // Most values that satisfy a CHECK constraint are close to its literals.
    let isNear = isRandom && column.literalCount > 0 && random(below: 4) > 0
    let count = isNear ? column.literalCount : column.choices.count
    guard count > 0 else { return .null }
    return column.choices[isRandom ? random(below: count) : (row + column.offset) % count]
  }

  /// Returns a reproducible random number.
  ///
  /// See [xorshift](https://www.jstatsoft.org/article/view/v008i14).
  private mutating func random(below count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 1) % count
  }

  private mutating func columns(
    of table: RecordedSchema.Object, _ definition: TableDefinition, _ db: isolated Connection
  ) -> [Column] {
    definition.columns.filter { $0.generated == nil }.map { column in
      let format = table.formats[column.key] ?? .undescribed(column.type)
      let edges = EdgeValues(format: format, type: types[format.name])
      let literals = literals(for: column, definition, db).filter { edges.isReadable($0) }
      var choices = literals + edges.values + (column.isNotNull ? [] : [.null])
      let isRowID = definition.hasRowIDKey && definition.primaryKey == [column.key]
      if isRowID { choices = (1..<Int64(Self.most)).map { .integer($0) } + [.integer(1 << 40)] }
      return Column(
        declared: column, edges: edges,
        isChecked: definition.checks.contains { $0.names(column.key) }, choices: choices,
        literalCount: literals.count, offset: isRowID ? 0 : random(below: Self.most))
    }
  }

  /// Returns the keys of the parent's rows, and NULL for an optional reference.
  private func reference(
    _ key: TableDefinition.ForeignKey, _ columns: [Column], _ db: isolated Connection
  ) throws -> Reference {
    let own = key.columns.compactMap { name in columns.firstIndex { $0.declared.key == name } }
    let isOptional = own.allSatisfy { !columns[$0].declared.isNotNull }
    let null: [[DatabaseValue]] = isOptional ? [own.map { _ in .null }] : []
    guard let parent = recorded.tables.first(where: { $0.name.folded == key.parent }) else {
      return (own, null)
    }
    let others = key.parentColumns.isEmpty ? parent.definition?.primaryKey : key.parentColumns
    let list = (others ?? []).map(\.string.quotedIdentifier).joined(separator: ", ")
    let sql = SQL(raw: "SELECT \(list) FROM \(parent.name.quotedIdentifier)")
    return (own, try null + db.query(sql).map(\.values))
  }

  /// Returns values from the column's default, and from the literals of its CHECK constraints.
  private func literals(
    for column: TableDefinition.Column, _ definition: TableDefinition, _ db: isolated Connection
  ) -> [DatabaseValue] {
    let value = "SELECT \(column.defaultValue?.text ?? "NULL")"
    var values = (try? db.query(DatabaseValue.self, SQL(raw: value))) ?? []
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
      case (_, .null), ("INTEGER", .real), ("INTEGER", .text), ("REAL", .integer),
        ("REAL", .text), ("TEXT", .integer), ("TEXT", .real):
        false
      default: true
      }
    }
  }
}
