import MiniORM

struct TableModel {
  let object: FileContents.Object
  let definition: TableDefinition
  let typeName: String
  var columns: [ModelColumn] = []
  private var positions: [ExactText: Int] = [:]
  /// The key of the model; empty if the table has no primary key that a model can express.
  var key: [ModelColumn] = []
  var constraints: [(swift: String, sql: String)] = []
  var indexes: [ModelIndex] = []
  var notes: [String] = []
  /// The reasons to leave the model out of the schema: MiniORM would change the table.
  var obstacles: [String] = []

  var name: String { object.name }
  var isListed: Bool { obstacles.isEmpty }

  private var options: TableOptions {
    (definition.isStrict ? TableOptions.strict : []).union(
      definition.isWithoutRowID ? .withoutRowID : [])
  }

  init(
    _ object: FileContents.Object, _ definition: TableDefinition, type: String,
    types: [ExactText: String], definitions: [ExactText: TableDefinition]
  ) {
    (self.object, self.definition, typeName) = (object, definition, type)
    addColumns()
    addKey()
    addUniques()
    addForeignKeys(types, definitions)
    addChecks()
    indexes = object.indexes.map { ModelIndex($0.name, $0.sql, of: name, columns: columns) }
    notes += indexes.compactMap(\.note)
    compare(definitions)
  }

  private func index(_ key: ExactText) -> Int? { positions[key] }

  private mutating func addColumns() {
    var names = SwiftName.ColumnNames()
    let classes = Dictionary(
      zip(object.columns, object.found ?? []).map { ($0.name.folded, $1) },
      uniquingKeysWith: { first, _ in first })
    let booleans = Set(definition.checks.compactMap(\.booleanColumn))
    // The macro reserves a property of this name.
    var properties: SwiftName.Scope = ["primaryKey"]
    for column in definition.columns {
      guard names.add(column.name) else {
        obstacles.append("the column \(column.name.quotedIdentifier) cannot be written in a model")
        continue
      }
      let isKey = definition.primaryKey.contains(column.key)
      let found = classes[column.key] ?? .everything
      let type = ModelType(
        column.type.string, found, isStrict: definition.isStrict, isKey: isKey,
        isBool: booleans.contains(column.key), format: object.formats[column.key])
      let isOptional = type != .value && (!column.isNotNull || found.contains(.null)) && !isKey
      var result = ModelColumn(
        name: column.name,
        property: properties.add(SwiftName.property(column.name)), type: type,
        isOptional: isOptional || (isKey && type != .value && found.contains(.null)))
      let isNullable = result.isOptional || type == .value
      let declared = type.columnType == .any && !definition.isStrict ? .blob : type.columnType
      let isOther = ExactText(declared.rawValue) != column.type
      // Keys of STRICT and WITHOUT ROWID tables are never NULL, even without NOT NULL.
      if isOther || isNullable == column.isNotNull {
        let sql = column.type.string
        let nullable = isNullable == column.isNotNull ? !column.isNotNull : nil
        result.add(
          ".type(\(SwiftName.literal(sql))\(nullable.map { ", nullable: \($0)" } ?? ""))",
          .type(sql, nullable: nullable))
      }
      if let value = column.defaultValue {
        if let literal = value.literal(type), !isKey {
          result.initial = literal
          result.declared.append(.default(sql: value.text))
        } else {
          result.add(".default(sql: \(SwiftName.literal(value.text)))", .default(sql: value.text))
        }
      }
      if let expression = column.generated {
        result.add(
          ".generated(\(SwiftName.literal(expression.text))\(column.isStored ? ", stored: true" : ""))",
          .generated(expression.text, stored: column.isStored))
      }
      switch column.collation {
      case "BINARY": break
      case "NOCASE": result.add(".collate(.nocase)", .collate(.nocase))
      case "RTRIM": result.add(".collate(.rtrim)", .collate(.rtrim))
      default:
        let name = column.collation.string.folded.string
        result.add(".collate(Collation(\(SwiftName.literal(name))))", .collate(Collation(name)))
      }
      positions[column.key] = columns.count
      columns.append(result)
    }
  }

  private mutating func addKey() {
    let found = definition.primaryKey.compactMap(index)
    guard !found.isEmpty, found.count == definition.primaryKey.count else {
      return renameID()
    }
    let isRowID = definition.hasRowIDKey
    // INTEGER PRIMARY KEY DESC is not a rowid alias. A model would leave its key to the database.
    let isIntegerWithoutRowID =
      found.count == 1 && columns[found[0]].type == .int64 && !isRowID && !definition.isWithoutRowID
      && definition.column(definition.primaryKey[0])?.type == "INTEGER"
    guard !isIntegerWithoutRowID, !found.contains(where: { columns[$0].isOptional }) else {
      let list = found.map { columns[$0].name.quotedIdentifier }.joined(separator: ", ")
      addConstraint("PRIMARY KEY (\(list))")
      notes.append(
        isIntegerWithoutRowID
          ? "the key \(columns[found[0]].name) is not a rowid alias, because it is declared as PRIMARY KEY DESC, so the model has no key"
          : "rows of the table have a NULL key, so the model has no key")
      return renameID()
    }
    for index in found { columns[index].isKey = true }
    if found.count == 1 {
      let isNamed = columns[found[0]].property == "id"
      if definition.isAutoincrement {
        columns[found[0]].add(
          ".primaryKey(autoincrement: true)", .primaryKey(autoincrement: true))
      } else {
        columns[found[0]].declared.append(.primaryKey)
        if !isNamed { columns[found[0]].constraints.append(".primaryKey") }
      }
    }
    key = found.map { columns[$0] }
    // The macro treats a property named `id` as the key.
    if found.count == 1, columns[found[0]].property != "id" { renameID() }
  }

  private mutating func renameID() {
    guard let index = columns.firstIndex(where: { $0.property == "id" && !$0.isKey }) else {
      return
    }
    var taken = SwiftName.Scope(columns.map(\.property))
    columns[index].property = taken.add("idValue")
  }

  private mutating func addConstraint(_ sql: String) {
    constraints.append((".init(sql: \(SwiftName.literal(sql)))", sql))
  }

  private mutating func addUniques() {
    let conflicts = definition.others.filter { $0.string.hasPrefix("UNIQUE ON CONFLICT ") }
    for unique in definition.uniques.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let found = unique.compactMap(index)
      guard found.count == unique.count else { continue }
      let list = found.map { columns[$0].name.quotedIdentifier }.joined(separator: ", ")
      if definition.uniques.count == 1, conflicts.count == 1, let conflict = conflicts.first {
        addConstraint("UNIQUE (\(list))\(conflict.string.dropFirst("UNIQUE".count))")
      } else if found.count == 1 {
        columns[found[0]].add(".unique", .unique)
      } else {
        let properties = found.map { "$0.\(columns[$0].written)" }.joined(separator: ", ")
        constraints.append((".unique { (\(properties)) }", "UNIQUE (\(list))"))
      }
    }
  }

  private mutating func addForeignKeys(
    _ types: [ExactText: String], _ definitions: [ExactText: TableDefinition]
  ) {
    var referring: Set<Int> = []
    for key in definition.foreignKeys.sorted(by: { "\($0)" < "\($1)" }) {
      let found = key.columns.compactMap(index)
      guard found.count == key.columns.count else { continue }
      let parent = definitions[key.parent]
      let parentName = parent?.name ?? key.parent.string
      let parentColumns = key.parentColumns.map { column in
        parent?.column(column)?.name ?? column.string
      }
      let onDelete = ForeignKeyAction(rawValue: key.onDelete)
      let onUpdate = ForeignKeyAction(rawValue: key.onUpdate)
      guard found.count == 1, parentColumns.count < 2, referring.insert(found[0]).inserted else {
        func list(_ names: [String]) -> String {
          "(\(names.map(\.quotedIdentifier).joined(separator: ", ")))"
        }
        var sql = "FOREIGN KEY \(list(found.map { columns[$0].name })) REFERENCES "
        sql +=
          parentName.quotedIdentifier + (parentColumns.isEmpty ? "" : " \(list(parentColumns))")
        if onDelete != nil { sql += " ON DELETE \(key.onDelete)" }
        if onUpdate != nil { sql += " ON UPDATE \(key.onUpdate)" }
        if key.isDeferred { sql += " DEFERRABLE INITIALLY DEFERRED" }
        addConstraint(sql)
        continue
      }
      var arguments: [String] = []
      if let onDelete { arguments.append("onDelete: .\(onDelete.swift)") }
      if let onUpdate { arguments.append("onUpdate: .\(onUpdate.swift)") }
      if key.isDeferred { arguments.append("deferred: true") }
      let isToKey =
        parent.map { $0.primaryKey.count == 1 && [[], $0.primaryKey].contains(key.parentColumns) }
        ?? false
      let target: [String]
      if let type = types[key.parent], isToKey {
        target = [key.parent == name.folded ? "Self.self" : "\(type).self"]
      } else {
        target =
          ["table: \(SwiftName.literal(parentName))"] + parentColumns.map(SwiftName.literal)
      }
      columns[found[0]].add(
        ".references(\((target + arguments).joined(separator: ", ")))",
        .references(
          table: parentName, parentColumns.first, onDelete: onDelete, onUpdate: onUpdate,
          deferred: key.isDeferred))
    }
  }

  private mutating func addChecks() {
    let ranges = definition.columns.map(\.range)
    for check in definition.checks {
      guard let position = check.tokens.first?.range.lowerBound else { continue }
      let owner = ranges.firstIndex { $0.contains(position) }
      if let index = owner.flatMap({ index(definition.columns[$0].key) }) {
        columns[index].add(".check(\(SwiftName.literal(check.text)))", .check(check.text))
      } else {
        addConstraint("CHECK (\(check.text))")
      }
    }
  }

  private mutating func compare(_ definitions: [ExactText: TableDefinition]) {
    if name.folded.string.hasPrefix("miniorm_") {
      obstacles.append("names that begin with miniorm_ are reserved for MiniORM")
    }
    let create = CreateTable(
      name: name, columns: columns.map { $0.schema(of: name) },
      primaryKey: key.map(\.name), options: options, constraints: constraints.map(\.sql))
    do throws(DatabaseError) {
      let model = try TableDefinition(parsing: create.sql())
      let keys = { (table: ExactText) in
        table == name.folded ? model.primaryKey : definitions[table]?.primaryKey ?? []
      }
      obstacles += definition.differences(from: model, keys: keys).map(\.description)
    } catch {
      obstacles.append(error.message)
    }
    obstacles += indexes.compactMap(\.obstacle)
  }
}

extension ForeignKeyAction {
  fileprivate var swift: String {
    switch self {
    case .setNull: "setNull"
    case .setDefault: "setDefault"
    case .cascade: "cascade"
    case .restrict: "restrict"
    }
  }
}
