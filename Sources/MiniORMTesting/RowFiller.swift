import Foundation
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

  private static let attempts = 80
  private static let most = 16

  init(_ recorded: RecordedSchema, _ snapshots: SchemaSnapshots, _ schema: DatabaseSchema) throws {
    self.recorded = recorded
    given = try snapshots.given.mapValues { try $0(recorded.version) }
    var types: [ExactText: any ColumnValue.Type] = [:]
    for column in schema.models.flatMap({ $0.schema.columns }) {
      guard let type = column.stored as? any ColumnValue.Type else { continue }
      types[ColumnFormat(of: type).name] = type
    }
    self.types = types
    random = EdgeValues.Random(state: snapshots.seed)
  }

  mutating func fill(_ db: isolated Connection) throws {
    var waiting = recorded.tables
    while !waiting.isEmpty {
      let names = Set(waiting.map(\.name.folded))
      // Parents first. In a circle of tables, the first table whose references can be NULL.
      func isFree(_ table: RecordedSchema.Object, _ allowsNull: Bool) -> Bool {
        table.definition?.foreignKeys.allSatisfy { key in
          key.parent == table.name.folded || !names.contains(key.parent)
            || allowsNull
              && key.columns.contains { !(table.definition?.column($0)?.isNotNull ?? true) }
        } ?? true
      }
      let next =
        waiting.firstIndex { isFree($0, false) } ?? waiting.firstIndex { isFree($0, true) } ?? 0
      try fill(waiting.remove(at: next), db)
    }
  }

  private mutating func fill(_ table: RecordedSchema.Object, _ db: isolated Connection) throws {
    guard let definition = table.definition else { return }
    let columns = definition.columns.filter { $0.generated == nil }
    let positions = Dictionary(
      columns.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    let edges = columns.map { column in
      let format = table.formats[column.key] ?? .undescribed(column.type)
      return EdgeValues(format: format, type: types[format.name])
    }
    let unique = uniqueColumns(of: table, definition).compactMap { positions[$0] }
    let checked = columns.indices.filter { column in
      definition.checks.contains { $0.names(columns[column].key) }
    }
    let references = try definition.foreignKeys.map { key in
      (columns: key.columns.compactMap { positions[$0] }, rows: try keys(for: key, db))
    }
    let referring = Set(references.flatMap(\.columns))
    var choices = zip(columns, edges).map { column, edges in
      edges.values(&random)
        + literals(for: column, definition, db).filter { edges.isReadable($0) }
    }
    let rows = given[table.name.folded] ?? []
    for (index, column) in columns.enumerated() {
      if definition.hasRowIDKey, definition.primaryKey == [column.key] {
        choices[index] = (1..<Int64(Self.most)).map { .integer($0) } + [.integer(1 << 40)]
      } else if !column.isNotNull {
        choices[index].append(.null)
      }
      let isGiven = !rows.isEmpty && rows.allSatisfy { $0.value(of: column.key) != nil }
      guard choices[index].isEmpty, !referring.contains(index), !isGiven else { continue }
      return problems.append(
        "table \(table.name), column \(column.name): no value of the format \(edges[index].format) is known. "
          + advice(table.name) + ", or make its type CaseIterable")
    }
    let count =
      rows.isEmpty ? min(max(choices.map(\.count).max() ?? 1, 4), Self.most) : rows.count
    let sql = SQL(
      raw: "INSERT INTO \(table.name.quotedIdentifier) "
        + "(\(columns.map(\.name.quotedIdentifier).joined(separator: ", "))) "
        + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))")
    var (inserted, failure): (Int, DatabaseError?) = (0, nil)
    rows: for row in 0..<count {
      for attempt in 0..<Self.attempts {
        var values = columns.indices.map { column in
          let isRandom = attempt > 10 || attempt > 1 && checked.contains(column)
          let all = choices[column]
          guard !all.isEmpty else { return DatabaseValue.null }
          return all[(isRandom ? Int(random.next() % UInt64(all.count)) : row) % all.count]
        }
        for column in unique where attempt > 0 && !checked.contains(column) {
          number += 1
          let value = edges[column].distinct(number, &random)
          if edges[column].isReadable(value) { values[column] = value }
        }
        for reference in references {
          guard !reference.rows.isEmpty else {
            for column in reference.columns { values[column] = .null }
            continue
          }
          // The first row of an optional reference refers to nothing.
          let isOptional = reference.columns.contains { !columns[$0].isNotNull }
          guard !(isOptional && row == 0 && attempt == 0) else {
            for column in reference.columns where !columns[column].isNotNull {
              values[column] = .null
            }
            continue
          }
          let index = attempt == 0 ? row : Int(random.next() % UInt64(reference.rows.count))
          let key = reference.rows[index % reference.rows.count]
          for (column, value) in zip(reference.columns, key) { values[column] = value }
        }
        if !rows.isEmpty {
          for (index, column) in columns.enumerated() {
            values[index] = rows[row].value(of: column.key) ?? values[index]
          }
        }
        do throws(DatabaseError) {
          try db.execute(sql, Arguments(values))
          inserted += 1
          continue rows
        } catch {
          failure = error
        }
      }
      if !rows.isEmpty { break }
    }
    guard let failure, inserted < (rows.isEmpty ? 1 : count) else { return }
    let place = rows.isEmpty ? "no generated row" : "row \(inserted + 1) of rows(for:) is not"
    problems.append(
      "table \(table.name)\(failure.column.map { ", column \($0)" } ?? ""): \(place) valid: "
        + "\(failure.message). \(advice(table.name))")
  }

  private func advice(_ table: String) -> String {
    "Pass valid values with rows(for: \"\(table)\")"
  }

  private func uniqueColumns(of table: RecordedSchema.Object, _ definition: TableDefinition)
    -> Set<ExactText>
  {
    var columns = Set(definition.primaryKey).union(definition.uniques.joined())
    for object in recorded.objects where object.type == "index" {
      let index = IndexDefinition(name: object.name, table: "", sql: object.sql)
      guard index.isUnique, index.tableInSQL == table.name.folded else { continue }
      columns.formUnion(definition.columns.map(\.key).filter { index.clause.names($0) })
    }
    return columns
  }

  /// Returns the keys of the parent's rows.
  private func keys(
    for key: TableDefinition.ForeignKey, _ db: isolated Connection
  ) throws -> [[DatabaseValue]] {
    guard let parent = recorded.tables.first(where: { $0.name.folded == key.parent }) else {
      return []
    }
    let columns = key.parentColumns.isEmpty ? parent.definition?.primaryKey : key.parentColumns
    let list = (columns ?? []).map(\.string.quotedIdentifier).joined(separator: ", ")
    return try db.query(
      SQL(raw: "SELECT \(list) FROM \(parent.name.quotedIdentifier)")
    ).map(\.values)
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
      let measures = check.tokens.contains { $0.text == "length" }
      for (index, token) in check.tokens.enumerated() {
        if token.kind == .string {
          // A pattern of LIKE or GLOB becomes a text that matches it.
          let text = token.written.map { "%*".contains($0) ? "1" : "_?".contains($0) ? "x" : $0 }
          values += [.text(token.written), .text(String(text))]
        } else if token.kind == .number, let number = Double(token.written) {
          let isNegative = index > 0 && check.tokens[index - 1].isSymbol("-")
          let near = [-1, 0, 1].map { (isNegative ? -number : number) + $0 }
          if measures {
            values += near.filter { (0...10_000).contains($0) }.map {
              .text(String(repeating: "é", count: Int($0)))
            }
          }
          values += near.map { number in
            column.type == "REAL" ? .real(number) : .integer(Int64(exactly: number.rounded()) ?? 0)
          }
        }
      }
    }
    // SQLite would convert a value of another class, or refuse it in a STRICT table.
    return values.filter { value in
      switch (column.type, value) {
      case ("INTEGER", .integer), ("REAL", .real), ("TEXT", .text), ("BLOB", .blob): true
      case ("INTEGER", _), ("REAL", _), ("TEXT", _), ("BLOB", _): false
      default: value != .null
      }
    }
  }
}

extension [String: DatabaseValue] {
  fileprivate func value(of column: ExactText) -> DatabaseValue? {
    first { $0.key.folded == column }?.value
  }
}
