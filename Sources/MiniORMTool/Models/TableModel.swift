import MiniORM

/// A model of an ordinary table.
struct TableModel {
  let object: FileContents.Object
  let definition: TableDefinition
  private(set) var columns: [ModelColumn] = []
  private var positions: [ExactText: Int] = [:]
  /// The key of the model; empty if the table has no primary key that a model can express.
  private(set) var key: [ModelColumn] = []
  /// The constraints of the table, in Swift.
  private(set) var constraints: [String] = []
  private(set) var indexes: [ModelIndex] = []
  private(set) var notes: [String] = []
  /// The formats that adopting the file declares, by columns.
  private(set) var formats: [(column: String, format: String)] = []
  /// The parts that a model cannot declare: the model is left out of the schema, because MiniORM
  /// would change the table.
  private(set) var obstacles: [String] = []

  var name: String { object.name }
  var isListed: Bool { obstacles.isEmpty }

  /// Creates a model without foreign keys.
  init(
    _ object: FileContents.Object, _ definition: TableDefinition, indexes: [FileContents.Object]
  ) {
    (self.object, self.definition) = (object, definition)
    if name.folded.string.hasPrefix("miniorm_") {
      obstacles.append("a name that begins with miniorm_, which MiniORM reserves")
    }
    obstacles += definition.others.map(\.string).sorted()
    addColumns()
    addKey()
    addUniques()
    self.indexes = indexes.map { ModelIndex($0.name, $0.sql, columns: columns) }
    notes += self.indexes.compactMap(\.note) + object.failures
  }

  private func names(_ positions: [Int]) -> String {
    "(\(positions.map { columns[$0].name.quotedIdentifier }.joined(separator: ", ")))"
  }

  private mutating func addColumns() {
    let classes = Dictionary(
      object.columns.map { ($0.name.folded, $0.found) }, uniquingKeysWith: { first, _ in first })
    let booleans = Set(definition.checks.compactMap(\.booleanColumn))
    // The macro reserves a property of this name.
    var names = SwiftName.Properties("primaryKey")
    for column in definition.columns {
      guard let property = names.add(column.name) else {
        obstacles.append("the column \(column.name.quotedIdentifier)")
        continue
      }
      let isKey = definition.primaryKey.contains(column.key)
      let found = classes[column.key] ?? .everything
      let type = ModelType(
        column.type.string, found, isStrict: definition.isStrict, isKey: isKey,
        isBool: booleans.contains(column.key),
        isTimestamp: column.defaultValue.map {
          $0.tokens.contains { $0.isKeyword("current_timestamp") }
        } ?? false,
        format: object.formats[column.key])
      var result = ModelColumn(
        column.name, property: property, type,
        isOptional: type != .value && (found.contains(.null) || !column.isNotNull && !isKey))
      addFormat(&result, found, isKey: isKey)
      let isNullable = result.isOptional || type == .value
      let declared = type.columnType == .any && !definition.isStrict ? .blob : type.columnType
      // Keys of STRICT and WITHOUT ROWID tables are never NULL, even without NOT NULL.
      if ExactText(declared.rawValue) != column.type || isNullable == column.isNotNull {
        let nullable = isNullable == column.isNotNull ? "nullable: \(!isNullable)" : nil
        result.add("type", [SwiftName.literal(column.type.string), nullable])
        // The text of a type in quotation marks may be no type without them.
        let read = try? TableDefinition(parsing: "CREATE TABLE t (c \(column.type))")
        if read?.columns.map(\.type) != [column.type] {
          obstacles.append("the type \(column.type.string.quotedIdentifier)")
        }
      }
      if let value = column.defaultValue {
        result.initial = isKey ? nil : value.literal(type)
        if result.initial == nil {
          result.add("default", ["sql: \(SwiftName.literal(value.text))"])
        }
      }
      if let expression = column.generated {
        let stored = column.isStored ? "stored: true" : nil
        result.add("generated", [SwiftName.literal(expression.text), stored])
      }
      switch column.collation.string.folded.string {
      case "binary": break
      case let name where ["nocase", "rtrim"].contains(name): result.add("collate", [".\(name)"])
      case let name: result.add("collate", ["Collation(\(SwiftName.literal(name)))"])
      }
      if let conflict = conflict("NOT NULL", [column.key]) {
        result.add("notNull", ["onConflict: .\(conflict)"])
      }
      positions[column.key] = columns.count
      columns.append(result)
    }
  }

  private mutating func addFormat(
    _ column: inout ModelColumn, _ found: Set<Finding>, isKey: Bool
  ) {
    let format = object.formats[column.key]
    column.storage = column.type.storage(format)
    if format == nil, let storage = column.storage, column.type != .textSeconds {
      formats.append((column.name, storage))
      notes.append(
        "the numbers in the column \(column.name.quotedIdentifier) are read as times, in seconds since 1970. If they are other numbers, leave out as: and declare Double"
      )
    } else if column.storage == nil, !isKey, let time = column.possibleTime(found) {
      notes.append("the column \(column.name.quotedIdentifier) \(time)")
    }
    if found.contains(.noUTF8) {
      let name = column.name.quotedIdentifier
      notes.append(
        "the column \(name) contains text that is not UTF-8, which no property reads. Convert the "
          + "text in the program that wrote it, or to bytes: SET \(name) = CAST(\(name) AS BLOB)")
    }
  }

  private func conflict(_ kind: String, _ columns: [ExactText]) -> ConflictResolution? {
    definition.conflicts[TableDefinition.constraint(kind, columns)]
  }

  private mutating func addKey() {
    let found = definition.primaryKey.compactMap { positions[$0] }
    defer {
      // The macro treats a property named `id` as the key.
      if key.count < 2, let index = columns.firstIndex(where: { $0.property == "id" && !$0.isKey })
      {
        var taken = SwiftName.Scope(columns.map(\.property))
        columns[index].property = taken.add("idValue")
      }
    }
    guard !found.isEmpty, found.count == definition.primaryKey.count else { return }
    let conflict = conflict("PRIMARY KEY", definition.primaryKey)
    // INTEGER PRIMARY KEY DESC is not a rowid alias. A model would leave its key to the database.
    let isIntegerWithoutRowID =
      found.count == 1 && columns[found[0]].type == .int64 && !definition.hasRowIDKey
      && !definition.isWithoutRowID
      && definition.column(definition.primaryKey[0])?.type == "INTEGER"
    guard !isIntegerWithoutRowID, !found.contains(where: { columns[$0].isOptional }) else {
      addConstraint("PRIMARY KEY \(names(found))\(conflict.clause)")
      notes.append(
        isIntegerWithoutRowID
          ? "the key \(columns[found[0]].name) is not a rowid alias, because it is declared as PRIMARY KEY DESC, so the model has no key"
          : "rows of the table have a NULL key, so the model has no key")
      return
    }
    for index in found { columns[index].isKey = true }
    if found.count == 1 {
      let autoincrement = definition.isAutoincrement ? "autoincrement: true" : nil
      if autoincrement != nil || conflict != nil || columns[found[0]].property != "id" {
        columns[found[0]].add("primaryKey", [autoincrement, conflict.map { "onConflict: .\($0)" }])
      }
    } else if conflict != nil {
      addConstraint("PRIMARY KEY \(names(found))\(conflict.clause)")
    }
    key = found.map { columns[$0] }
  }

  private mutating func addConstraint(_ sql: String) {
    constraints.append(".init(sql: \(SwiftName.literal(sql)))")
  }

  private mutating func addUniques() {
    for unique in definition.uniques.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let found = unique.compactMap { positions[$0] }
      guard found.count == unique.count else { continue }
      let conflict = conflict("UNIQUE", unique)
      if found.count == 1 {
        columns[found[0]].add("unique", [conflict.map { "onConflict: .\($0)" }])
      } else if conflict != nil {
        addConstraint("UNIQUE \(names(found))\(conflict.clause)")
      } else {
        constraints.append(".unique { \(found.map { columns[$0] }.tuple) }")
      }
    }
  }

  // MARK: Foreign keys

  /// Adds the foreign keys and checks.
  /// - Parameter tables: All models, without foreign keys.
  mutating func finish(_ tables: [ExactText: TableModel]) {
    var referring: Set<Int> = []
    for key in definition.foreignKeys.sorted(by: { "\($0)" < "\($1)" }) {
      let found = key.columns.compactMap { positions[$0] }
      guard found.count == key.columns.count else { continue }
      let parent = tables[key.parent]
      let name = parent?.name ?? key.parent.string
      let isOwn = key.parent == self.name.folded
      let isListed = isOwn || parent?.isListed ?? false
      let parentKey = parent?.definition.primaryKey ?? []
      let targets = key.parentColumns.isEmpty ? parentKey : key.parentColumns
      // SQLite converts the values of the child when it compares. The library refuses such a key.
      let isMixed = zip(found, targets).contains { index, target in
        let own = columns[index].type.columnType
        let other = parent?.columns.first { $0.key == target }?.type.columnType ?? own
        return own != other && own != .any && other != .any
      }
      let actions = [("onDelete", "DELETE", key.onDelete), ("onUpdate", "UPDATE", key.onUpdate)]
        .compactMap { label, event, text in
          ForeignKeyAction(rawValue: text).map { ("\(label): .\($0)", " ON \(event) \(text)") }
        }
      if let parent, isListed, !isMixed, found.count == 1, parent.key.count == 1,
        targets == parentKey, referring.insert(found[0]).inserted
      {
        let model = isOwn ? "Self.self" : "\(parent.object.typeName).self"
        let deferred = key.isDeferred ? ["deferred: true"] : []
        columns[found[0]].add("references", [model] + actions.map(\.0) + deferred)
        continue
      }
      let names = key.parentColumns.map { parent?.definition.column($0)?.name ?? $0.string }
        .map(\.quotedIdentifier).joined(separator: ", ")
      let sql =
        "FOREIGN KEY \(self.names(found)) REFERENCES \(name.quotedIdentifier)"
        + (names.isEmpty ? "" : " (\(names))") + actions.map(\.1).joined()
        + (key.isDeferred ? " DEFERRABLE INITIALLY DEFERRED" : "")
      guard !isListed || isMixed else {
        addConstraint(sql)
        continue
      }
      constraints.append(".kept(sql: \(SwiftName.literal(sql)))")
      let reason =
        isListed
        ? "the types of its columns differ"
        : "\(name) is not in the \(parent == nil ? "file" : "schema")"
      notes.append("a new file does not get the foreign key \(key), because \(reason)")
    }
    addChecks()
  }

  private mutating func addChecks() {
    // Columns and checks have the order of the text.
    var rest = definition.columns[...]
    for check in definition.checks {
      guard let position = check.tokens.first?.range.lowerBound else { continue }
      while let first = rest.first, first.range.upperBound <= position { rest.removeFirst() }
      let owner = rest.first.flatMap { $0.range.contains(position) ? $0 : nil }
      if let index = owner.flatMap({ positions[$0.key] }) {
        columns[index].add("check", [SwiftName.literal(check.text)])
      } else {
        addConstraint("CHECK (\(check.text))")
      }
    }
  }
}
