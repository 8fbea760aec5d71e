import MiniORM

/// A model of a virtual table: full-text, R*Tree or a different module.
struct VirtualTableModel {
  let object: FileContents.Object
  let typeName: String
  var columns: [ModelColumn] = []
  var hasKey = false
  /// The declaration of the index, in this model or in the model of the indexed table.
  var index: String?
  /// The model of the indexed table, if that model declares the index.
  var owner: String?
  /// True if the schema has a MiniORM type; false if it has SQL.
  var isListed = false
  /// True for an index of another table, which needs no model.
  var isIndexOnly = false
  var notes: [String] = []
  let module: String

  var name: String { object.name }

  init(_ object: FileContents.Object, type: String, tables: [TableModel]) {
    (self.object, typeName) = (object, type)
    let tokens = SQLToken.all(in: object.sql)
    let using = tokens.firstIndex { $0.isKeyword("using") } ?? tokens.startIndex
    module = tokens.indices.contains(using + 1) ? tokens[using + 1].text.string : ""
    let arguments = Self.arguments(of: object.sql, tokens, after: using + 1)
    switch module {
    case "fts5": readText(arguments, tables)
    case "rtree": readBoxes(arguments, tokens)
    default:
      addColumns { _ in nil }
      notes.append(
        "MiniORM has no declaration for the module \(module), so the schema has the SQL")
    }
  }

  private static func arguments(
    of sql: String, _ tokens: [SQLToken], after index: Int
  ) -> [ArraySlice<SQLToken>] {
    guard let open = tokens[min(index, tokens.count)...].firstIndex(where: { $0.isSymbol("(") })
    else { return [] }
    var arguments: [ArraySlice<SQLToken>] = []
    var depth = 0
    var start = open + 1
    for index in tokens.indices[open...] {
      if tokens[index].isSymbol("(") { depth += 1 }
      if tokens[index].isSymbol(")") { depth -= 1 }
      guard depth == 0 || (depth == 1 && tokens[index].isSymbol(",")) else { continue }
      if start < index { arguments.append(tokens[start..<index]) }
      start = index + 1
      if depth == 0 { break }
    }
    return arguments
  }

  private mutating func addColumns(_ type: (String) -> ModelType?) {
    var names = SwiftName.ColumnNames()
    var properties: SwiftName.Scope = ["primaryKey", "id"]
    for (index, column) in object.columns.enumerated() {
      guard names.add(column.name) else {
        notes.append("the column \(column.name.quotedIdentifier) cannot be written in a model")
        continue
      }
      let type = type(column.name) ?? ModelType(found: object.found?[index] ?? .everything)
      columns.append(
        ModelColumn(
          name: column.name,
          property: properties.add(SwiftName.property(column.name)), type: type,
          isOptional: type != .value))
    }
  }

  // MARK: Full text

  private mutating func readText(_ arguments: [ArraySlice<SQLToken>], _ tables: [TableModel]) {
    var names: [(name: String, isUnindexed: Bool)] = []
    var options: [ExactText: [SQLToken]] = [:]
    for argument in arguments {
      guard let first = argument.first else { continue }
      if argument.count > 1, argument[argument.startIndex + 1].isSymbol("=") {
        options[first.text] = Array(argument.dropFirst(2))
      } else {
        names.append(
          (Self.text([first]), argument.last.map { $0.isKeyword("unindexed") } ?? false))
      }
    }
    let known: Set<ExactText> = [
      "tokenize", "prefix", "detail", "content", "content_rowid", "contentless_delete",
    ]
    let unknown = options.keys.filter { !known.contains($0) }
    var written: [String] = []
    var declared: [String] = []
    var problem = unknown.min().map { "MiniORM does not support its option \($0)" }
    if let tokens = options["tokenize"] {
      if let tokenizer = TokenizerOption(tokens) {
        if tokenizer.swift != ".unicode61()" { written.append("tokenizer: \(tokenizer.swift)") }
        declared.append("tokenize = \(tokenizer.sql.quotedLiteral)")
      } else {
        problem = problem ?? "MiniORM does not support its tokenizer"
      }
    } else {
      written.append("tokenizer: .unicode61(removeDiacritics: 1)")
      declared.append("tokenize = 'unicode61'")
    }
    if let tokens = options["prefix"] {
      let lengths = Self.text(tokens).split { !("0"..."9").contains($0) }.compactMap { Int($0) }
      let list = lengths.map(String.init)
      written.append("prefixes: [\(list.joined(separator: ", "))]")
      declared.append("prefix = '\(list.joined(separator: " "))'")
    }
    if let tokens = options["detail"] {
      let detail = Self.text(tokens).lowercased()
      if ["column", "none"].contains(detail) {
        written.append("detail: .\(detail)")
        declared.append("detail = \(detail)")
      } else if detail != "full" {
        problem = problem ?? "MiniORM does not support its detail option"
      }
    }
    let content = options["content"].map(Self.text)
    if let content, !content.isEmpty {
      readIndex(of: content, names.map(\.name), options, written, problem, tables)
      return
    }
    addColumns { _ in content == nil ? nil : .string }
    guard problem == nil, columns.count == names.count else {
      notes.append(problem ?? "some of its columns cannot be properties")
      return
    }
    var kind = "storing"
    if content != nil {
      guard options["contentless_delete"].map(Self.text) == "1" else {
        notes.append("it stores no text and deletes no rows, which MiniORM does not support")
        return
      }
      kind = "contentless"
      declared += ["content = ''", "contentless_delete = 1"]
    }
    let unindexed = zip(names, columns).filter(\.0.isUnindexed).map(\.1)
    if !unindexed.isEmpty {
      guard kind == "storing" else {
        notes.append(
          "it stores no text and has unindexed columns, which MiniORM does not support")
        return
      }
      let list = unindexed.map { "$0.\($0.written)" }
      written.append(
        "unindexed: { \(list.count == 1 ? list[0] : "(\(list.joined(separator: ", ")))") }")
    }
    index =
      "static let fullText = FullTextIndex(\((["\(kind): \(typeName).self"] + written).joined(separator: ", ")))"
    let all = zip(names, columns).map { name, column in
      column.name.quotedIdentifier + (name.isUnindexed ? " UNINDEXED" : "")
    }
    list(as: "USING fts5(\((all + declared).joined(separator: ", ")))")
  }

  /// Uses a MiniORM type if its declaration is the same, because MiniORM never changes a virtual
  /// table with rows. Otherwise, the schema has SQL.
  private mutating func list(as body: String) {
    let sql = "CREATE VIRTUAL TABLE \(name.quotedIdentifier) \(body)"
    isListed = SQLToken.all(in: sql) == SQLToken.all(in: object.sql)
  }

  private mutating func readIndex(
    of content: String, _ names: [String], _ options: [ExactText: [SQLToken]], _ written: [String],
    _ problem: String?, _ tables: [TableModel]
  ) {
    let table = tables.first { $0.name.folded == content.folded }
    let properties = names.compactMap { name in
      table?.columns.first { $0.key == name.folded }
    }
    let rowID = options["content_rowid"].map(Self.text)
    let isKey = table.map { table in
      table.definition.hasRowIDKey && table.key.count == 1
        && [nil, "rowid", table.key[0].name.folded.string].contains(rowID?.folded.string)
    }
    guard problem == nil, let table, isKey == true, properties.count == names.count else {
      addColumns { _ in nil }
      notes.append(
        problem ?? "it indexes the text of \(content), which is not a table with an integer key")
      return
    }
    isIndexOnly = true
    owner = table.typeName
    let list = properties.map { "$0.\($0.written)" }
    let arguments = [SwiftName.literal(name), "of: \(table.typeName).self"] + written
    var taken: SwiftName.Scope = ["columns", "schema", "indexes", "constraints", "defaultScope"]
    index =
      "static let \(SwiftName.written(taken.add(SwiftName.property(name)))) = "
      + "FullTextIndex(\(arguments.joined(separator: ", "))) { "
      + (list.count == 1 ? list[0] : "(\(list.joined(separator: ", ")))") + " }"
    // In a file of another program, different triggers update the index: the schema has their SQL.
    isListed = object.isDeclared
  }

  static func text(_ tokens: [SQLToken]) -> String {
    guard tokens.count == 1, let token = tokens.first else {
      return tokens.map(\.text.string).joined(separator: " ")
    }
    return token.kind == .string
      ? token.text.string.unquoted(by: UInt8(ascii: "'")) : token.text.string
  }

  // MARK: Boxes

  private mutating func readBoxes(_ arguments: [ArraySlice<SQLToken>], _ tokens: [SQLToken]) {
    let coordinates = arguments.dropFirst().prefix { !($0.first?.isSymbol("+") ?? false) }
    var names: Set<ExactText> = []
    for argument in coordinates {
      if let name = argument.first?.text { names.insert(name) }
    }
    let keyName = object.columns.first?.name
    addColumns { name in
      name.hasSameBytes(as: keyName ?? "") ? .int64 : names.contains(name.folded) ? .double : nil
    }
    guard columns.count == object.columns.count, !columns.isEmpty,
      coordinates.count.isMultiple(of: 2),
      (2...10).contains(coordinates.count)
    else {
      notes.append("some of its columns cannot be properties")
      return
    }
    columns[0] = ModelColumn(
      name: columns[0].name, property: "id", type: .int64, isOptional: false, isKey: true)
    hasKey = true
    var taken: SwiftName.Scope = ["primaryKey", "id"]
    for index in columns.indices.dropFirst() {
      let isCoordinate = index <= coordinates.count
      columns[index] = ModelColumn(
        name: columns[index].name,
        property: taken.add(SwiftName.property(columns[index].name)),
        type: columns[index].type, isOptional: isCoordinate ? false : columns[index].isOptional,
        isCoordinate: isCoordinate)
    }
    index =
      "static let boxes = SpatialIndex(storing: \(typeName).self, dimensions: \(coordinates.count / 2))"
    let list = columns.enumerated().map { index, column in
      index <= coordinates.count
        ? column.name.quotedIdentifier
        : "+\(column.name.quotedIdentifier) \(column.type.columnType.rawValue)"
    }
    self.list(as: "USING rtree(\(list.joined(separator: ", ")))")
  }
}

struct TokenizerOption {
  let swift: String
  let sql: String

  /// The maximum number of nested stemmers. Only the first has an effect; the compiler cannot
  /// process thousands.
  private static let mostPorters = 4

  init?(_ tokens: [SQLToken]) {
    let all = SQLToken.all(in: VirtualTableModel.text(tokens)).map { VirtualTableModel.text([$0]) }
    let words = all.drop { $0.lowercased() == "porter" }
    let porters = all.count - words.count
    guard porters <= Self.mostPorters,
      var inner = words.isEmpty && porters > 0
        ? (".unicode61(removeDiacritics: 1)", "unicode61") : Self.tokenizer(words)
    else { return nil }
    for _ in 0..<porters {
      inner = (
        inner.0 == ".unicode61()" ? ".porter()" : ".porter(\(inner.0))", "porter \(inner.1)"
      )
    }
    (swift, sql) = inner
  }

  private static func tokenizer(_ words: ArraySlice<String>) -> (swift: String, sql: String)? {
    guard let name = words.first?.lowercased() else { return nil }
    var options: [String: String] = [:]
    var rest = words.dropFirst()
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      options[option.lowercased()] = value
    }
    // `normal` is SQLite's default.
    let known: [(option: String, label: String, isText: Bool, normal: String?)]
    switch name {
    case "unicode61":
      known = [
        ("remove_diacritics", "removeDiacritics", false, "1"),
        ("categories", "categories", true, nil), ("tokenchars", "tokenCharacters", true, ""),
        ("separators", "separators", true, ""),
      ]
    case "ascii":
      known = [
        ("tokenchars", "tokenCharacters", true, ""), ("separators", "separators", true, ""),
      ]
    case "trigram":
      known = [
        ("case_sensitive", "caseSensitive", false, "0"),
        ("remove_diacritics", "removeDiacritics", false, "0"),
      ]
    default: return nil
    }
    var (arguments, sqlWords) = ([String](), [name])
    for (option, label, isText, normal) in known {
      guard let value = options.removeValue(forKey: option) ?? normal else { continue }
      guard isText || ["0", "1", "2"].contains(value) else { return nil }
      // MiniORM's default differs from SQLite's.
      let standard = option == "remove_diacritics" && name == "unicode61" ? "2" : normal
      if value != standard {
        arguments.append(
          "\(label): \(isText ? SwiftName.literal(value) : name == "trigram" ? "true" : value)")
      }
      guard value != normal else { continue }
      let isBare = value.utf8.allSatisfy {
        $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x7a || $0 == 0x5f
      }
      sqlWords += [option, isBare && !value.isEmpty ? value : value.quotedLiteral]
    }
    guard options.isEmpty else { return nil }
    return (".\(name)(\(arguments.joined(separator: ", ")))", sqlWords.joined(separator: " "))
  }
}
