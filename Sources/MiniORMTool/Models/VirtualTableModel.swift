import MiniORM

/// A model of a virtual table, which the schema declares by its SQL.
struct VirtualTableModel {
  let object: FileContents.Object
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

  private var typeName: String { object.typeName }
  var name: String { object.name }

  init(
    _ object: FileContents.Object, _ tables: [TableModel], _ declaredTriggers: Set<ExactText>
  ) {
    self.object = object
    module = VirtualTable(object.name, sql: object.sql).module?.string ?? ""
    let arguments = SchemaText.Table(object.sql).declarations.map { SQLToken.all(in: $0.text) }
      .filter { !$0.isEmpty }
    columns = object.modelColumns(&notes)
    switch module {
    case "fts5": addText(arguments, tables, declaredTriggers)
    case "rtree": addBoxes(arguments)
    default:
      notes.append(
        "MiniORM has no declaration for the module \(module), so the schema has the SQL")
    }
  }

  private mutating func addText(
    _ arguments: [[SQLToken]], _ tables: [TableModel], _ declaredTriggers: Set<ExactText>
  ) {
    var names: [ExactText] = []
    var unindexed: [ModelColumn] = []
    var options: [ExactText: String] = [:]
    for argument in arguments {
      let words = argument.map(\.written)
      if argument.count > 1, argument[1].isSymbol("=") {
        options[words[0].folded] = words.dropFirst(2).joined(separator: " ")
        continue
      }
      if argument.last?.isKeyword("unindexed") ?? false, columns.indices.contains(names.count) {
        unindexed.append(columns[names.count])
      }
      names.append(words[0].folded)
    }
    // A search needs only the tokenizer. The rest declares an index of MiniORM again.
    var list: [String] = []
    if let tokenizer = options["tokenize"] {
      list.append("tokenizer: .init(sql: \(SwiftName.literal(tokenizer)))")
    }
    if let prefix = options["prefix"] {
      list.append("prefixes: \(prefix.split { !("0"..."9").contains($0) }.compactMap { Int($0) })")
    }
    if let detail = options["detail"]?.folded, ["column", "none"].contains(detail.string) {
      list.append("detail: .\(detail)")
    }
    let rowID = options["content_rowid"]?.folded ?? "rowid"
    let table = tables.first {
      $0.name.folded == options["content"]?.folded && $0.definition.hasRowIDKey
        && $0.key.count == 1 && ["rowid", $0.key[0].key].contains(rowID)
    }
    let indexed = names.compactMap { name in table?.columns.first { $0.key == name } }
    if let table, indexed.count == names.count {
      var taken: SwiftName.Scope = ["columns", "schema", "indexes", "constraints", "defaultScope"]
      let property = SwiftName.written(taken.add(SwiftName.property(name)))
      list = ["\(SwiftName.literal(name)), of: \(table.object.typeName).self"] + list
      declareText(property, table.object.typeName, list, "{ \(indexed.tuple) }")
      owner = table.object.typeName
      let triggers = Set(
        ["before_insert", "after_insert", "before_update", "after_update", "after_delete"]
          .map { "\(name)_\($0)".folded })
      if object.isDeclared, declaredTriggers.isSuperset(of: triggers) {
        own = ("\(table.object.typeName).\(property)", triggers)
      }
    } else if columns.count == names.count {
      let isContentless = options["content"] == ""
      if isContentless {
        // SQLite reads the texts as NULL.
        for index in columns.indices {
          (columns[index].type, columns[index].isOptional) = (.string, true)
        }
      } else if !unindexed.isEmpty {
        list.append("unindexed: { \(unindexed.tuple) }")
      }
      let kind = isContentless ? "contentless" : "storing"
      declareText("fullText", typeName, ["\(kind): \(typeName).self"] + list)
    }
  }

  /// With explicit types, the compiler accepts the closure in any order of files.
  private mutating func declareText(
    _ property: String, _ type: String, _ arguments: [String], _ closure: String = ""
  ) {
    let type = "FullTextIndex<\(type)>"
    index =
      "static let \(property): \(type) = \(type)(\(arguments.joined(separator: ", ")))"
      + (closure.isEmpty ? "" : " \(closure)")
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
