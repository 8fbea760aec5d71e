import MiniORM

struct ModelWriter {
  private(set) var source = ""
  /// The properties of the file that models cannot express, a line each.
  private(set) var notes: [String] = []

  private var lines: [String] = []
  private var usesFoundation = false
  private let contents: FileContents
  private let file: String
  private let namespace: String?

  init(_ contents: FileContents, file: String, namespace: String?) {
    (self.contents, self.file, self.namespace) = (contents, file, namespace)
    write()
  }

  private mutating func write() {
    var taken = SwiftName.Scope([namespace].compactMap(\.self))
    var definitions: [ExactText: TableDefinition] = [:]
    var types: [Int: String] = [:]
    var models: [ExactText: String] = [:]
    for (index, object) in contents.objects.enumerated() {
      if object.kind == .table, let definition = try? TableDefinition(parsing: object.sql) {
        definitions[object.name.folded] = definition
      }
      types[index] = taken.add(SwiftName.type(object.name))
    }
    // A foreign key needs the key of the referenced model.
    for (index, object) in contents.objects.enumerated() {
      guard let definition = definitions[object.name.folded], isWritten(object),
        let type = types[index]
      else { continue }
      let model = TableModel(object, definition, type: type, types: [:], definitions: definitions)
      if model.key.count == 1 { models[object.name.folded] = type }
    }
    var tables: [TableModel] = []
    for (index, object) in contents.objects.enumerated() where object.kind == .table {
      guard isWritten(object) else {
        tell("table", object.name, "its name cannot be written in a model, so it is left out")
        continue
      }
      guard let definition = definitions[object.name.folded], let type = types[index] else {
        tell("table", object.name, "its declaration cannot be read, so it is left out")
        continue
      }
      tables.append(
        TableModel(object, definition, type: type, types: models, definitions: definitions))
    }
    var virtual: [VirtualTableModel] = []
    for (index, object) in contents.objects.enumerated() where object.kind == .virtualTable {
      guard isWritten(object), object.problem == nil, !object.isSlow, let type = types[index]
      else {
        tell(
          "virtual table", object.name,
          unreadable(object) ?? "its name cannot be written in a model, so it is left out")
        continue
      }
      virtual.append(VirtualTableModel(object, type: type, tables: tables))
    }
    let indexes = Dictionary(grouping: virtual) { $0.owner }
    for table in tables { write(table, indexes: indexes[table.typeName] ?? []) }
    for table in virtual where !table.isIndexOnly { write(table) }
    for (index, object) in contents.objects.enumerated() where object.kind == .view {
      write(view: object, types[index] ?? "Unnamed")
    }
    for object in contents.leftOut { tell("table", object.name, object.reason) }
    let objects = ModelObjects(contents, tables: tables, virtual: virtual)
    for (kind, name, note) in objects.notes { tell(kind, name, note) }
    writeSchema(tables.filter(\.isListed), objects.declarations)
    finish()
  }

  /// Returns why a view or a virtual table has no model.
  private func unreadable(_ object: FileContents.Object) -> String? {
    object.isSlow
      ? "it takes too long to read, so it is left out: --view-seconds gives it more time"
      : object.problem.map { "it cannot be read, so it is left out: \($0)" }
  }

  private func isWritten(_ object: FileContents.Object) -> Bool {
    !object.name.isEmpty && !SwiftName.isReserved(object.name)
  }

  // MARK: Parts

  private mutating func tell(_ kind: String, _ name: String, _ note: String) {
    notes.append("\(kind) \(name.quotedIdentifier): \(note)")
  }

  private mutating func comment(_ text: String) { lines.append("/// \(text.inOneLine)") }

  /// Appends a list of properties that a model cannot express.
  private mutating func comment(_ notes: [String], on kind: String, _ name: String) {
    guard !notes.isEmpty else { return }
    lines.append("///")
    for note in notes {
      comment("- \(note)")
      tell(kind, name, note)
    }
  }

  private mutating func properties(_ columns: [ModelColumn], isSnakeCase: Bool) {
    for column in columns {
      let isNamed =
        isSnakeCase || column.name.utf8.elementsEqual(column.property.utf8)
      lines.append("  \(column.line(isNamed: isNamed))")
      usesFoundation = usesFoundation || column.type.needsFoundation
    }
  }

  private mutating func write(_ table: TableModel, indexes: [VirtualTableModel]) {
    lines.append("")
    guard !table.columns.isEmpty else {
      return tell("table", table.name, "none of its columns can be a property, so it is left out")
    }
    comment("The table \(table.name.quotedIdentifier).")
    comment(
      table.notes + (table.object.problem.map { ["its rows cannot be read: \($0)"] } ?? [])
        + table.obstacles.map { "not in the schema, because MiniORM would change it: \($0)" },
      on: "table", table.name)
    let differ = table.columns.filter { !$0.name.utf8.elementsEqual($0.property.utf8) }
    let isSnakeCase =
      !differ.isEmpty
      && table.columns.allSatisfy {
        Naming.snakeCase.column($0.property).utf8.elementsEqual($0.name.utf8)
      }
    var arguments: [String] = []
    if !table.name.utf8.elementsEqual(table.typeName.utf8) {
      arguments.append(SwiftName.literal(table.name))
    }
    if isSnakeCase { arguments.append("columns: .snakeCase") }
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
    lines.append(arguments.isEmpty ? "@Table" : "@Table(\(arguments.joined(separator: ", ")))")
    let isIdentifiable = table.key.count == 1 && table.key[0].property == "id"
    lines.append("struct \(table.typeName)\(isIdentifiable ? ": Identifiable" : "") {")
    properties(table.columns, isSnakeCase: isSnakeCase)
    list("indexes", "Index<\(table.typeName)>", table.indexes.map(\.swift))
    list("constraints", "TableConstraint<\(table.typeName)>", table.constraints.map(\.swift))
    for index in indexes { write(index: index) }
    lines.append("}")
  }

  private mutating func list(_ name: String, _ type: String, _ elements: [String]) {
    guard !elements.isEmpty else { return }
    lines.append("")
    lines.append("  static var \(name): [\(type)] {")
    lines.append("    [")
    for element in elements { lines.append("      \(element),") }
    lines.append("    ]")
    lines.append("  }")
  }

  private mutating func write(index table: VirtualTableModel) {
    guard let index = table.index else { return }
    lines.append("")
    lines.append("  /// \("The full-text index \(table.name.quotedIdentifier).".inOneLine)")
    for note in table.notes {
      lines.append("  /// - \(note.inOneLine)")
      tell("virtual table", table.name, note)
    }
    lines.append("  \(index)")
  }

  private mutating func write(_ table: VirtualTableModel) {
    guard !table.columns.isEmpty else {
      return tell(
        "virtual table", table.name, "none of its columns can be a property, so it is left out")
    }
    lines.append("")
    comment("The virtual table \(table.name.quotedIdentifier), of \(table.module).")
    comment(table.notes, on: "virtual table", table.name)
    let name =
      table.name.utf8.elementsEqual(table.typeName.utf8) ? "" : "\(SwiftName.literal(table.name)), "
    lines.append("@Table(\(name)options: [])")
    lines.append("struct \(table.typeName)\(table.hasKey ? ": Identifiable" : "") {")
    properties(table.columns, isSnakeCase: false)
    if let index = table.index {
      lines.append("")
      lines.append("  \(index)")
    }
    lines.append("}")
  }

  private mutating func write(view: FileContents.Object, _ type: String) {
    if let reason = unreadable(view) { return tell("view", view.name, reason) }
    var names = SwiftName.ColumnNames()
    var taken: SwiftName.Scope = ["primaryKey", "id"]
    var columns: [ModelColumn] = []
    var left: [String] = []
    for (index, column) in view.columns.enumerated() {
      guard names.add(column.name) else {
        left.append(
          "the column \(column.name.quotedIdentifier) cannot be a property, so it is left out")
        continue
      }
      let found = view.found?[index] ?? .everything
      let property = SwiftName.property(column.name)
      let type =
        column.type.isEmpty
        ? ModelType(found: found)
        : ModelType(column.type, found, isStrict: false, isKey: false, isBool: false, format: nil)
      columns.append(
        ModelColumn(
          name: column.name,
          property: taken.add(property == "id" ? "idValue" : property),
          type: type, isOptional: type != .value))
    }
    guard !columns.isEmpty else {
      return tell("view", view.name, "none of its columns can be a property, so it is left out")
    }
    lines.append("")
    comment("The view \(view.name.quotedIdentifier).")
    comment(left, on: "view", view.name)
    let name =
      view.name.utf8.elementsEqual(type.utf8) ? "" : "\(SwiftName.literal(view.name)), "
    lines.append("@Table(\(name)options: [])")
    lines.append("struct \(type) {")
    properties(columns, isSnakeCase: false)
    lines.append("}")
  }

  private mutating func writeSchema(_ tables: [TableModel], _ objects: [[String]]) {
    lines.append("")
    comment(
      "The models of the file's tables. If MiniORM did not create the file, declare once that its"
    )
    comment(
      "tables belong to this version: `try await database.adopt(version: \(contents.version))`.")
    for name in collations {
      let note =
        "only the program that made the file defines its order. Define the same order in "
        + "Configuration.collations: until then, statements that need the order fail"
      lines.append("///")
      comment("- collation \(name.quotedIdentifier): \(note)")
      tell("collation", name, note)
    }
    let models = tables.map { "\($0.typeName).self" }
    let name = namespace == nil ? SwiftName.written(schemaName) : "schema"
    let isExtension = namespace == nil
    if isExtension { lines.append("extension DatabaseSchema {") }
    let indent = isExtension ? "  " : ""
    lines.append("\(indent)static let \(name) = DatabaseSchema(")
    lines.append("\(indent)  version: \(contents.version),")
    lines.append("\(indent)  [")
    for model in models { lines.append("\(indent)    \(model),") }
    lines.append("\(indent)  ] as [any Model.Type]" + (objects.isEmpty ? ")" : ","))
    if !objects.isEmpty {
      lines.append("\(indent)  objects: [")
      for object in objects {
        for line in object.dropLast() { lines.append(line.isEmpty ? "" : "\(indent)    \(line)") }
        lines.append("\(indent)    \(object.last ?? ""),")
      }
      lines.append("\(indent)  ])")
    }
    if isExtension { lines.append("}") }
  }

  /// The collations in the file's SQL that the library does not have.
  private var collations: [String] {
    let texts =
      contents.objects.flatMap { [$0.sql] + $0.indexes.map(\.sql) } + contents.triggers.map(\.sql)
    var names: Set<ExactText> = []
    for text in texts {
      let tokens = SQLToken.all(in: text)
      for (word, name) in zip(tokens, tokens.dropFirst())
      where word.isKeyword("collate") && name.isName {
        names.insert(
          name.kind == .string
            ? name.text.string.unquoted(by: UInt8(ascii: "'")).folded : name.text)
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
    var head: [String] = []
    head.append("\(OutputFile.head)\(file.inOneLine), written by miniorm models.")
    head.append("")
    if usesFoundation { head.append("import Foundation") }
    head.append("import MiniORM")
    var body = lines
    if let namespace {
      body =
        ["", "/// The models of \(file.inOneLine).", "enum \(namespace) {"]
        + lines.dropFirst().map { $0.isEmpty ? "" : "  \($0)" } + ["}"]
    }
    source = (head + body).joined(separator: "\n") + "\n"
  }
}
