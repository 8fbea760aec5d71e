import MiniORM

struct ModelWriter {
  private(set) var source = ""
  /// The properties of the file that models cannot express, a line each.
  private(set) var notes: [String] = []

  private var lines: [String] = []
  private var usesFoundation = false
  private var contents: FileContents
  private let file: String
  private let namespace: String?

  init(_ contents: FileContents, file: String, namespace: String?) {
    (self.contents, self.file, self.namespace) = (contents, file, namespace)
    write()
  }

  private mutating func write() {
    var taken = SwiftName.Scope([namespace].compactMap(\.self))
    for (index, object) in contents.objects.enumerated()
    where ![.index, .trigger].contains(object.kind) {
      contents.objects[index].typeName = taken.add(SwiftName.type(object.name))
    }
    let tables = tables()
    let declared = Set(
      contents.objects.filter { $0.kind == .trigger && $0.isDeclared }.map(\.name.folded))
    let virtual = modelled(.virtualTable).map { VirtualTableModel($0, tables, declared) }
    for table in tables {
      write(table, indexes: virtual.filter { $0.owner == table.object.typeName })
    }
    for table in virtual where table.owner == nil {
      write(
        table.object, ", of \(table.module)", table.columns, table.notes,
        members: table.index.map { ["", $0] } ?? [])
    }
    for object in modelled(.view) {
      var notes: [String] = []
      let columns = object.modelColumns(&notes)
      write(object, "", columns, notes)
    }
    let listed = tables.filter(\.isListed)
    let objects = ModelObjects(contents, listed: Set(listed.map(\.name.folded)), virtual)
    for (object, note) in objects.notes { tell(object, note) }
    writeSchema(listed, objects.declarations)
    finish()
  }

  private mutating func tables() -> [TableModel] {
    let indexes = Dictionary(grouping: contents.objects.filter { $0.kind == .index }, by: \.table)
    var tables: [TableModel] = []
    for object in modelled(.table) {
      guard let definition = try? TableDefinition(parsing: object.sql) else {
        tell(object, "its declaration cannot be read, so it is left out")
        continue
      }
      tables.append(TableModel(object, definition, indexes: indexes[object.name.folded] ?? []))
    }
    // A foreign key needs the key of the referenced model.
    let parents = Dictionary(
      tables.map { ($0.name.folded, $0) }, uniquingKeysWith: { first, _ in first })
    for index in tables.indices { tables[index].finish(parents) }
    return tables
  }

  /// Returns the objects that have models.
  private mutating func modelled(_ kind: FileContents.Object.Kind) -> [FileContents.Object] {
    let objects = contents.objects.filter { $0.kind == kind }
    for object in objects {
      if let reason = object.omission { tell(object, reason) }
    }
    return objects.filter { $0.omission == nil }
  }

  // MARK: Parts

  private mutating func tell(_ object: FileContents.Object, _ note: String) {
    tell(object.kind.rawValue, object.name, note)
  }

  private mutating func tell(_ kind: String, _ name: String, _ note: String) {
    notes.append("\(kind) \(name.quotedIdentifier): \(note)")
  }

  private mutating func comment(_ text: String) { lines.append("/// \(text.inOneLine)") }

  /// Appends a model.
  /// - Parameters:
  ///   - notes: The properties of the object that the model cannot express.
  ///   - arguments: The arguments of the attribute after the name.
  ///   - members: The lines after the properties.
  private mutating func write(
    _ object: FileContents.Object, _ origin: String, _ columns: [ModelColumn], _ notes: [String],
    isSnakeCase: Bool = false, arguments: [String] = ["options: []"], members: [String] = []
  ) {
    guard !columns.isEmpty else {
      return tell(object, "none of its columns can be a property, so it is left out")
    }
    lines.append("")
    comment("The \(object.kind.rawValue) \(object.name.quotedIdentifier)\(origin).")
    if !notes.isEmpty { lines.append("///") }
    for note in notes {
      comment("- \(note)")
      tell(object, note)
    }
    let isNamed = object.name.hasSameBytes(as: object.typeName)
    let list = (isNamed ? [] : [SwiftName.literal(object.name)]) + arguments
    lines.append(list.isEmpty ? "@Table" : "@Table(\(list.joined(separator: ", ")))")
    let keys = columns.filter(\.isKey)
    let isIdentifiable = keys.count == 1 && keys[0].property == "id"
    lines.append("struct \(object.typeName)\(isIdentifiable ? ": Identifiable" : "") {")
    for column in columns {
      let isNamed = isSnakeCase || column.name.hasSameBytes(as: column.property)
      lines.append("  \(column.line(isNamed: isNamed))")
      usesFoundation = usesFoundation || column.type.needsFoundation
    }
    lines += members.map { $0.isEmpty ? "" : "  \($0)" } + ["}"]
  }

  private mutating func write(_ table: TableModel, indexes: [VirtualTableModel]) {
    let isSnakeCase = Self.isSnakeCase(table.columns)
    var arguments = isSnakeCase ? ["columns: .snakeCase"] : []
    if table.key.count > 1 {
      let names = table.key.map { SwiftName.literal($0.property) }.joined(separator: ", ")
      arguments.append("primaryKey: [\(names)]")
    }
    switch (table.definition.isStrict, table.definition.isWithoutRowID) {
    case (true, false): break
    case (true, true): arguments.append("options: [.strict, .withoutRowID]")
    case (false, true): arguments.append("options: .withoutRowID")
    case (false, false): arguments.append("options: []")
    }
    func list(_ name: String, _ type: String, _ elements: [String]) -> [String] {
      elements.isEmpty
        ? []
        : ["", "static var \(name): [\(type)<\(table.object.typeName)>] {", "  ["]
          + elements.map { "    \($0)," } + ["  ]", "}"]
    }
    var members =
      list("indexes", "Index", table.indexes.map(\.swift))
      + list("constraints", "TableConstraint", table.constraints)
    for index in indexes {
      members += ["", "/// \("The full-text index \(index.name.quotedIdentifier).".inOneLine)"]
      members += index.index.map { [$0] } ?? []
    }
    write(
      table.object, "", table.columns,
      table.notes + (table.object.problem.map { ["its rows cannot be read: \($0)"] } ?? [])
        + table.obstacles.map { "not in the schema, because a model cannot declare \($0)" },
      isSnakeCase: isSnakeCase, arguments: arguments, members: members)
  }

  /// True if `columns: .snakeCase` gives each column its name. A word of a single letter after the
  /// first word may belong to an acronym, as in `user_i_d`.
  private static func isSnakeCase(_ columns: [ModelColumn]) -> Bool {
    columns.contains { !$0.name.hasSameBytes(as: $0.property) }
      && columns.allSatisfy {
        // A property such as selfValue has another name.
        $0.property.lowercased() == $0.name.filter { $0 != "_" }
          && $0.name.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z][a-z0-9]+)*/) != nil
      }
  }

  private mutating func writeSchema(_ tables: [TableModel], _ objects: [String]) {
    lines.append("")
    comment(
      "The models of the file's tables. If MiniORM did not create the file, declare once that its"
    )
    comment(
      "tables belong to this version: `try await database.adopt(version: \(contents.version)\(formats(of: tables)))`."
    )
    for name in collations {
      let note =
        "only the program that made the file defines its order. Define the same order in "
        + "Configuration.collations: until then, statements that need the order fail"
      lines.append("///")
      comment("- collation \(name.quotedIdentifier): \(note)")
      tell("collation", name, note)
    }
    let name = namespace == nil ? SwiftName.written(schemaName) : "schema"
    var schema =
      ["static let \(name) = DatabaseSchema(", "  version: \(contents.version),", "  ["]
      + tables.map { "    \($0.object.typeName).self," }
      + ["  ] as [any Model.Type]" + (objects.isEmpty ? ")" : ",")]
    if !objects.isEmpty {
      schema += ["  objects: ["] + objects.map { $0.isEmpty ? "" : "    \($0)" } + ["  ])"]
    }
    lines +=
      namespace != nil
      ? schema
      : ["extension DatabaseSchema {"] + schema.map { $0.isEmpty ? "" : "  \($0)" } + ["}"]
  }

  /// The formats that `adopt` needs, because integers do not show their unit.
  private func formats(of tables: [TableModel]) -> String {
    let lists = tables.filter { !$0.formats.isEmpty }.map { table in
      let columns = table.formats.map { "\(SwiftName.literal($0.column)): \($0.format)" }
      return "\(SwiftName.literal(table.name)): [\(columns.joined(separator: ", "))]"
    }
    return lists.isEmpty ? "" : ", formats: [\(lists.joined(separator: ", "))]"
  }

  /// The collations in the file's SQL that the library does not have.
  private var collations: [String] {
    var names: Set<ExactText> = []
    for object in contents.objects {
      let tokens = SQLToken.all(in: object.sql)
      for (word, name) in zip(tokens, tokens.dropFirst())
      where word.isKeyword("collate") && name.isName {
        names.insert(name.written.folded)
      }
    }
    return names.subtracting(["binary", "nocase", "rtrim", "miniorm_decimal"]).sorted()
      .map(\.string)
  }

  private var schemaName: String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    let base = name.split(separator: ".").first.map(String.init) ?? name
    let property = SwiftName.property(base)
    return ["version", "unnamed"].contains(property) ? "file" : property
  }

  private mutating func finish() {
    var head = ["\(OutputFile.head)\(file.inOneLine), written by miniorm models.", ""]
    head += (usesFoundation ? ["import Foundation"] : []) + ["import MiniORM"]
    if let namespace {
      head += ["", "/// The models of \(file.inOneLine).", "enum \(namespace) {"]
      lines = lines.dropFirst().map { $0.isEmpty ? "" : "  \($0)" } + ["}"]
    }
    source = (head + lines).joined(separator: "\n") + "\n"
  }
}
