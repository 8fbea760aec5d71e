/// A random valid struct: with any macro expansion, its own code compiles.
///
/// Its parts match: a default value has the property's type, and a storage suits the type. The
/// names are difficult: keywords, letters of other scripts, and names in the generated code.
struct RandomModel {
  private var random: SplitMix64
  private var used: Set<String> = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Declarations that the structs use.
  static let preamble = """
    import Foundation
    import MiniORM
    public nonisolated enum Level: Int, ColumnValue, Codable { case low = 1, high }
    public nonisolated enum Color: String, ColumnValue, Codable { case red, green }
    public nonisolated struct Extra: Codable, Hashable, Sendable {
      public var note = ""
      public init() {}
    }
    @Selection public nonisolated struct Part: Hashable, Codable {
      public var width: Int
      public var color: Color?
    }
    @Table public nonisolated struct Parent: Hashable, Codable, Identifiable {
      public let id: Int64
      public var name = ""
    }
    """

  private struct Kind {
    let type: String
    var defaults: [String] = []
    var storages: [String] = []
    var constraints: [String] = []
    var isInferred = false
  }

  private static let kinds = [
    Kind(
      type: "Int", defaults: ["0", "-1", "42", "1 + 1", "Int.max", "0x1F", "1_000"],
      constraints: [".default(7)", ".check(\"1 < 2\")"], isInferred: true),
    Kind(
      type: "String", defaults: ["\"\"", "\"it's\"", "\"\\u{301}\\\"\"", "#\"a\\b\"#"],
      constraints: [".collate(.nocase)", ".default(\"a'b\")", ".unique"], isInferred: true),
    Kind(type: "Double", defaults: ["0.5", "-1.5e3", ".pi", "1"], constraints: [".default(0.25)"]),
    Kind(type: "Bool", defaults: ["true", "false"], isInferred: true),
    Kind(
      type: "Int64", defaults: ["9_223_372_036_854_775_807", "-9_223_372_036_854_775_808"],
      constraints: [".references(Parent.self, onDelete: .cascade)", ".references(Parent.self)"]),
    Kind(type: "UInt64", defaults: ["18_446_744_073_709_551_615"]),
    Kind(type: "Int8", defaults: ["-128"]), Kind(type: "UInt16", defaults: ["65_535"]),
    Kind(type: "Float", defaults: ["0.1", "-0.0"]),
    Kind(type: "Swift.Int32", defaults: ["1"]), Kind(type: "Parent.ID", defaults: ["1"]),
    Kind(
      type: "Date", defaults: ["Date()", ".now"],
      storages: [".unixSeconds", ".unixSecondsReal", ".unixMilliseconds"]),
    Kind(type: "UUID", defaults: ["UUID()"], storages: [".uuidBytes"]),
    Kind(
      type: "Decimal", defaults: ["0.1", "12"],
      storages: [".decimal(scale: 2)", ".decimal(scale: 0)"]),
    Kind(type: "Data", defaults: ["Data()"]), Kind(type: "[UInt8]", defaults: ["[1, 2]", "[]"]),
    Kind(type: "URL"), Kind(type: "Level", defaults: [".low", "Level.high"]),
    Kind(type: "Color", defaults: [".red"], constraints: [".default(Color.green)"]),
    Kind(type: "[String]", defaults: ["[]", "[\"a\"]"], storages: [".json"]),
    Kind(type: "[String: Int]", defaults: ["[:]"], storages: [".json"]),
    Kind(type: "Extra", defaults: ["Extra()", ".init()"], storages: [".json"]),
    Kind(type: "[Extra?]", defaults: ["[nil]"], storages: [".json"]),
  ]

  private static let names = [
    "a", "name", "cityID", "HTTPServer", "`class`", "`in`", "`init`", "`self`", "`default`",
    "`Type`",
    "`first name`", "`2nd`", "`a-b`", "_hidden", "__v",
    "`where`", "`let`", "`nil`", "été", "日本", "e\u{301}", "x\u{200d}y", "columns", "schema", "row",
    "statement", "first", "index", "key", "value", "values", "draft", "table", "model", "count",
    "Draft2",
    "reader", "description", "hashValue2", "rowid2", "`switch`", "`return`", "self2", "error",
    "result",
    "alias", "position", "storage", "Swift2", "string", "`func`", "`Any`", "group", "order",
    "`case`",
    "`throws`", "`is`", "`as`", "max", "min", "sum", "not", "isIn", "some", "any", "each",
    "repeat2",
    "async", "await", "actor", "consume", "copy", "yield", "then", "unsafe", "borrow", "discard",
    "repeatEach",
    "macro", "package", "of", "at", "to", "next", "stored", "_x", "x1", "Ω", "πr2", "ǅ", "select",
    "from", "`protocol`",
  ]

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }
  private mutating func one<Element>(_ list: [Element]) -> Element { list[pick(list.count)] }
  private mutating func isOneOf(_ count: Int) -> Bool { pick(count) == 0 }

  private mutating func name() -> String {
    while true {
      let name = one(Self.names)
      if used.insert(name.lowercased()).inserted { return name }
    }
  }

  /// Returns a declaration.
  /// - Parameter type: The name of the struct.
  mutating func text(_ type: String) -> String {
    used = []
    let isTable = !isOneOf(4)
    var members: [String] = []
    var keys: [String] = []
    let hasID = isTable && !isOneOf(3)
    if hasID {
      used.insert("id")
      members.append(
        one([
          "let id: Int64", "var id: Int64", "let id: Int", "var id = UUID()", "let id: String",
          "let id: UUID", "@Column(.primaryKey(autoincrement: true)) let id: Int64",
          "@Column(.primaryKey) let id: Int64", "let id: Level", "@Column(\"key\") let id: Int64",
          "@Column(as: .uuidBytes) let id: UUID",
        ]))
    } else if isTable, isOneOf(2) {
      keys = [name(), name()]
      members += keys.map { "let \($0): \(one(["Int64", "String", "UUID", "Date", "Parent.ID"]))" }
    }
    for _ in 0...pick(9) { members.append(member(isTable)) }
    for _ in 0..<pick(3) { members.append(other()) }
    let separator = "\n  "
    let attribute = isTable ? "@Table\(arguments(type, keys))" : "@Selection"
    let access = one(["", "", "public ", "internal ", "fileprivate ", "package ", "nonisolated "])
    // A visible type needs a visible key.
    let isSeen = access == "public " || access == "package "
    let conformances =
      (hasID && !isSeen ? ["Identifiable"] : []) + ["Hashable", "Codable", "Sendable"]
    let chosen = conformances.filter { _ in isOneOf(2) }
    return attribute + one([" ", "\n"]) + access + "struct \(type)"
      + (chosen.isEmpty ? "" : ": " + chosen.joined(separator: ", ")) + " {" + separator
      + members.joined(separator: separator) + "\n}"
  }

  private mutating func arguments(_ type: String, _ keys: [String]) -> String {
    var list: [String] = []
    if isOneOf(2) { list.append("\"\(one(["t ", "\u{600}\\\"", "select", "日本 "]))\(type)\"") }
    if isOneOf(3) { list.append("columns: .snakeCase") }
    if !keys.isEmpty {
      let written = keys.map { "\"\($0.filter { $0 != "`" })\"" }
      list.append("primaryKey: [\(written.joined(separator: ", "))]")
    }
    if isOneOf(4) {
      list.append(
        "options: \(one(["[.strict]", "[]", "[.strict, .withoutRowID]", ".withoutRowID"]))")
    }
    if isOneOf(6) { list.append("renamedFrom: \"former \(type)\"") }
    return list.isEmpty ? "" : "(" + list.joined(separator: ", ") + ")"
  }

  private mutating func member(_ isTable: Bool) -> String {
    if isOneOf(12) { return "\(isTable ? "@Embedded " : "")var \(name()): Part\(one(["", "?"]))" }
    if isOneOf(15), !isTable { return "var \(name()): Parent\(one(["", "?"]))" }
    let kind = one(Self.kinds)
    let name = name()
    var column: [String] = []
    let isJSON = kind.storages == [".json"]
    let storage =
      isJSON || (!kind.storages.isEmpty && isOneOf(2)) ? "as: \(one(kind.storages))" : nil
    if isTable {
      if isOneOf(5) { column.append("\"\(one(["c ", "order ", "\\\"", "é"]))\(used.count)\"") }
      if isOneOf(3), !kind.constraints.isEmpty { column.append(one(kind.constraints)) }
      if isOneOf(9), !isJSON { column.append(".unique") }
      if isOneOf(9) { column.append(".default(sql: \"NULL\")") }
    }
    if let storage { column.append(storage) }
    if isTable, isOneOf(9) { column.append("renamedFrom: \"former\(used.count)\"") }
    let attribute = column.isEmpty ? "" : "@Column(\(column.joined(separator: ", "))) "
    let access = one(["", "", "", "private(set) ", "fileprivate(set) ", "internal "])
    let isOptional = isOneOf(3)
    let type = isOptional ? one(["\(kind.type)?", "Optional<\(kind.type)>"]) : kind.type
    if isOneOf(5), access != "private(set) ", access != "fileprivate(set) " {
      return "\(attribute)\(access)let \(name): \(type)"
    }
    guard isOneOf(2), !isOptional, !kind.defaults.isEmpty else {
      guard isOneOf(9) else { return "\(attribute)\(access)var \(name): \(type)" }
      return column.contains { $0.hasPrefix("\"") || $0.hasPrefix("renamed") }
        ? "\(attribute)\(access)var \(name): \(type) = \(isOptional ? "nil" : "")".trimmed
        : "\(attribute)\(access)var \(name), \(self.name()): \(type)"
    }
    let written =
      kind.isInferred && isOneOf(2)
      ? "\(name) = \(kind.defaults[0])" : "\(name): \(type) = \(one(kind.defaults))"
    let observer = isOneOf(8) ? " { didSet { _ = oldValue } }" : ""
    let comment = isOneOf(8) ? "/// What \\ it \"is\"\n  " : ""
    return "\(comment)\(attribute)\(access)var \(written)\(observer)"
  }

  private mutating func other() -> String {
    var name = name()
    // The macro generates these names.
    if ["columns", "schema"].contains(name) { name = "shared\(used.count)" }
    return one([
      "static let \(name): Int = 3", "var \(name): Int { 1 }", "func \(name)() -> Int { 1 }",
      "enum K\(used.count): String, ColumnValue { case a, b }", "typealias K\(used.count) = Int",
      "@Transient var \(name): [Int: Int] = [:]", "@Transient var \(name) = 0",
      "static func \(name)(_ x: Int) -> Int { x }", "subscript(\(name) x: Int) -> Int { x }",
      "struct K\(used.count) { var a = 1 }", "#if DEBUG\n  var \(name): Int?\n  #endif",
    ])
  }
}

extension String {
  /// Without a trailing equals sign.
  fileprivate var trimmed: String { hasSuffix("= ") ? String(dropLast(3)) : self }
}

/// A seeded, reproducible random number generator.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
