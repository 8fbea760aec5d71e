import MiniORM

/// A model of a virtual table, which the schema declares by its SQL.
struct VirtualTableModel {
  let object: FileContents.Object
  let typeName: String
  private(set) var columns: [ModelColumn] = []
  private(set) var notes: [String] = []
  /// The declaration for searches, in this model or in the model of the indexed table.
  private(set) var index: String?
  /// The model of the indexed table, if that model declares the index. This type is not written.
  private(set) var owner: String?
  /// The declaration and the triggers that the schema has instead of SQL, for an index of a table
  /// in a file of MiniORM. SQL cannot declare the table that these triggers use.
  private(set) var own: (declaration: String, triggers: Set<ExactText>)?
  let module: String

  var name: String { object.name }

  init(
    _ object: FileContents.Object, type: String, tables: [TableModel],
    declaredTriggers: Set<ExactText>
  ) {
    (self.object, typeName) = (object, type)
    module = VirtualTable(object.name, sql: object.sql).module?.string ?? ""
    let arguments = SchemaText.Table(object.sql).declarations.map { SQLToken.all(in: $0.text) }
      .filter { !$0.isEmpty }
    columns = object.modelColumns(&notes)
    switch module {
    case "fts5":
      addText(arguments, tables)
      addOwn(declaredTriggers)
      if index == nil { notes.append(Self.note("its options")) }
    case "rtree": addBoxes(arguments)
    default: notes.append(Self.note("the module \(module)"))
    }
  }

  private static func note(_ what: String) -> String {
    "MiniORM has no declaration for \(what), so the schema has the SQL"
  }

  // MARK: Full text

  private mutating func addText(_ arguments: [[SQLToken]], _ tables: [TableModel]) {
    var names: [ExactText] = []
    var unindexed: [ModelColumn] = []
    var options: [ExactText: String] = [:]
    for argument in arguments {
      let words = argument.map(\.unquoted)
      if argument.count > 1, argument[1].isSymbol("=") {
        options[words[0].folded] = words.dropFirst(2).joined(separator: " ")
        continue
      }
      if argument.last?.isKeyword("unindexed") ?? false, columns.indices.contains(names.count) {
        unindexed.append(columns[names.count])
      }
      names.append(words[0].folded)
    }
    let deletes = options.removeValue(forKey: "contentless_delete") == "1"
    let source = options.removeValue(forKey: "content")
    let rowID = options.removeValue(forKey: "content_rowid")?.folded ?? "rowid"
    guard var written = Self.arguments(&options), options.isEmpty else { return }
    guard let content = source, !content.isEmpty else {
      // SQLite reads the texts of a contentless table as NULL.
      if source != nil {
        for index in columns.indices {
          (columns[index].type, columns[index].isOptional) = (.string, true)
        }
      }
      guard columns.count == names.count, source == nil || deletes && unindexed.isEmpty else {
        return
      }
      if !unindexed.isEmpty { written.append("unindexed: { \(unindexed.tuple) }") }
      let kind = source == nil ? "storing" : "contentless"
      let list = ["\(kind): \(typeName).self"] + written
      index = declaration("fullText", typeName, "(\(list.joined(separator: ", ")))")
      return
    }
    guard let table = tables.first(where: { $0.name.folded == content.folded }),
      table.definition.hasRowIDKey, table.key.count == 1,
      ["rowid", table.key[0].key].contains(rowID)
    else { return }
    let indexed = names.compactMap { name in table.columns.first { $0.key == name } }
    guard indexed.count == names.count else { return }
    var taken: SwiftName.Scope = ["columns", "schema", "indexes", "constraints", "defaultScope"]
    let property = SwiftName.written(taken.add(SwiftName.property(name)))
    let list = [SwiftName.literal(name), "of: \(table.typeName).self"] + written
    index = declaration(
      property, table.typeName,
      "(\(list.joined(separator: ", "))) { \(indexed.tuple) }")
    owner = table.typeName
  }

  /// With explicit types, the compiler accepts the closure in any order of files.
  private func declaration(_ property: String, _ type: String, _ arguments: String) -> String {
    "static let \(property): FullTextIndex<\(type)> = FullTextIndex<\(type)>\(arguments)"
  }

  /// Returns the arguments for a tokenizer, prefixes and a detail, and removes them from the
  /// options; `nil` if MiniORM has no declaration for them.
  private static func arguments(_ options: inout [ExactText: String]) -> [String]? {
    let words = SQLToken.all(in: options.removeValue(forKey: "tokenize") ?? "unicode61")
    guard let tokenizer = tokenizer(words.map(\.unquoted)[...]) else { return nil }
    var arguments = tokenizer == ".unicode61()" ? [] : ["tokenizer: \(tokenizer)"]
    if let prefix = options.removeValue(forKey: "prefix") {
      let lengths = prefix.split { !("0"..."9").contains($0) }.compactMap { Int($0) }
      arguments.append("prefixes: \(lengths)")
    }
    guard let detail = options.removeValue(forKey: "detail")?.folded.string, detail != "full" else {
      return arguments
    }
    return ["column", "none"].contains(detail) ? arguments + ["detail: .\(detail)"] : nil
  }

  private static func tokenizer(_ words: ArraySlice<String>) -> String? {
    guard let name = words.first?.folded.string else { return nil }
    if name == "porter" {
      let inner = words.count == 1 ? ["unicode61"] : words.dropFirst()
      // Only the first stemmer has an effect; the compiler cannot process thousands.
      return inner.first?.folded == "porter" ? nil : tokenizer(inner).map { ".porter(\($0))" }
    }
    guard ["unicode61", "ascii", "trigram"].contains(name) else { return nil }
    // SQLite's default of unicode61 differs from MiniORM's.
    var options = name == "unicode61" ? ["remove_diacritics": "1"] : [:]
    var rest = words.dropFirst()
    while let option = rest.popFirst() { options[option.folded.string] = rest.popFirst() }
    var arguments: [String] = []
    for (option, label, isText) in [
      ("case_sensitive", "caseSensitive", false), ("remove_diacritics", "removeDiacritics", false),
      ("categories", "categories", true), ("tokenchars", "tokenCharacters", true),
      ("separators", "separators", true),
    ] {
      guard let value = options.removeValue(forKey: option) else { continue }
      guard isText || ["0", "1", "2"].contains(value) else { return nil }
      if value == (isText ? "" : name == "trigram" ? "0" : "2") { continue }
      let literal = isText ? SwiftName.literal(value) : name == "trigram" ? "true" : value
      arguments.append("\(label): \(literal)")
    }
    return options.isEmpty ? ".\(name)(\(arguments.joined(separator: ", ")))" : nil
  }

  // MARK: Boxes

  private mutating func addOwn(_ declared: Set<ExactText>) {
    let names = ["before_insert", "after_insert", "before_update", "after_update", "after_delete"]
      .map { "\(name)_\($0)".folded }
    guard object.isDeclared, let owner, let index, declared.isSuperset(of: names) else { return }
    let property = index.dropFirst("static let ".count).prefix { $0 != ":" }
    own = ("\(owner).\(property)", Set(names))
  }

  private mutating func addBoxes(_ arguments: [[SQLToken]]) {
    let count = arguments.dropFirst().prefix { !($0.first?.isSymbol("+") ?? false) }.count
    guard columns.count == object.columns.count, columns.count > count,
      count.isMultiple(of: 2), (2...10).contains(count)
    else { return }
    columns[0] = ModelColumn(columns[0].name, property: "id", .int64, isOptional: false)
    columns[0].isKey = true
    for index in 1...count { (columns[index].type, columns[index].isOptional) = (.float, false) }
    index =
      "static let boxes = SpatialIndex<\(typeName)>(storing: \(typeName).self, dimensions: \(count / 2))"
  }
}
