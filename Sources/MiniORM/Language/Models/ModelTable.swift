import Synchronization

/// A model's table, as a migration compares and creates it.
struct ModelTable: Sendable {
  let create: CreateTable
  let sql: String
  let indexes: [IndexDefinition]
  let formerNames: [String]
  let formerColumns: [ExactText: [String]]
  /// The foreign keys of an existing table that a new table does not get.
  let keptKeys: [(key: TableDefinition.ForeignKey, sql: String)]
  private let parsed = ParsedTables()

  init(
    create: CreateTable, indexes: [IndexDefinition], formerNames: [String],
    formerColumns: [ExactText: [String]],
    keptKeys: [(key: TableDefinition.ForeignKey, sql: String)] = []
  ) {
    (self.create, sql, self.indexes, self.keptKeys) = (create, create.sql(), indexes, keptKeys)
    (self.formerNames, self.formerColumns) = (formerNames, formerColumns)
  }

  var name: String { create.name }

  func column(_ key: ExactText) -> ColumnSchema? {
    create.columns.first { $0.name.folded == key }
      ?? create.columns.first { column in
        formerColumns[column.name.folded]?.contains { $0.folded == key } ?? false
      }
  }

  /// The parsed CREATE TABLE statement, or an empty definition if the statement cannot be parsed:
  /// see ``check()``. Parsed on first use, because an unchanged table needs no parsing.
  var definition: TableDefinition { (try? parsed.definition(sql)) ?? TableDefinition() }

  func check() throws(DatabaseError) {
    do throws(DatabaseError) {
      let key = try parsed.definition(sql).primaryKey
      guard create.primaryKey.isEmpty || key == create.primaryKey.map(\.folded) else {
        throw DatabaseError(
          .migrate, code: .misuse,
          "A constraint declares the key (\(key.map(\.string).joined(separator: ", "))), and the "
            + "model has the key (\(create.primaryKey.joined(separator: ", "))): name the same "
            + "columns in the same order")
      }
    } catch {
      throw error.adding(operation: .migrate, table: name)
    }
  }
}

/// The parsed CREATE TABLE statements, by their text.
final class ParsedTables: Sendable {
  private let known = Mutex<[ExactText: TableDefinition]>([:])

  func definition(_ sql: String) throws(DatabaseError) -> TableDefinition {
    if let known = known.withLock({ $0[ExactText(sql)] }) { return known }
    let definition = try TableDefinition(parsing: sql)
    known.withLock { $0[ExactText(sql)] = definition }
    return definition
  }
}

extension Model {
  /// Returns the model's table for a migration.
  /// - Throws: ``DatabaseError`` if a default or a value of a constraint or index cannot be stored,
  ///   if the model's SQL cannot be parsed, or if two indexes have the same name.
  static func table() throws(DatabaseError) -> ModelTable {
    let table = try uncheckedTable()
    try table.check()
    return table
  }

  static func uncheckedTable() throws(DatabaseError) -> ModelTable {
    let schema = schema
    if let problem = schema.columns.lazy.compactMap(\.problem).first { throw problem }
    if let problem = schema.columns.lazy.compactMap(\.affinityProblem).first { throw problem }
    do throws(DatabaseError) {
      var create = CreateTable(
        name: schema.name, columns: schema.columns, primaryKey: schema.primaryKey.map(\.name),
        options: schema.options)
      var keptKeys: [(TableDefinition.ForeignKey, String)] = []
      for constraint in constraints {
        let sql = try constraint.sql.literalText(columnsOf: schema.name)
        guard constraint.isKept else {
          create.constraints.append(sql)
          continue
        }
        guard let key = TableDefinition.foreignKeys(in: [sql]).first else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "A kept constraint must be a FOREIGN KEY: declare other constraints with init(sql:)",
            sql: sql)
        }
        keptKeys.append((key, sql))
      }
      var indexes: [IndexDefinition] = []
      for index in self.indexes {
        guard !indexes.contains(where: { $0.name.folded == index.name.folded }) else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "Two indexes are named \(index.name): rename one of them")
        }
        indexes.append(
          IndexDefinition(name: index.name, table: schema.name, sql: try index.createSQL()))
      }
      return ModelTable(
        create: create, indexes: indexes, formerNames: schema.formerNames,
        formerColumns: Dictionary(
          schema.columns.map { ($0.name.folded, $0.formerNames) },
          uniquingKeysWith: { first, _ in first }), keptKeys: keptKeys)
    } catch {
      throw error.adding(operation: .migrate, table: schema.name)
    }
  }

  static func createSQL() throws(DatabaseError) -> [String] {
    let table = try table()
    return [table.sql] + table.indexes.map(\.sql)
  }
}
