@testable import MiniORM

/// Random CREATE TABLE statements in every spelling that SQLite accepts.
struct GeneratedStatement {
  private var random: SeededRandom
  private var names: [String]
  private(set) var table = ""
  private(set) var columns: [String] = []
  /// The number of CHECK clauses.
  private(set) var checkCount = 0
  private(set) var isAutoincrement = false
  private(set) var sql = ""
  private var hasKey = false
  private var isStrict = false
  private var isWithoutRowID = false
  /// ALTER TABLE statements, which make SQLite edit the stored text.
  private(set) var alterations: [String] = []

  init(seed: Int) {
    random = SeededRandom(UInt64(seed))
    names = Self.names.shuffled(using: &random)
    isStrict = chance(30)
    table = names.removeLast()
    for _ in 0..<Int.random(in: 1...6, using: &random) { columns.append(names.removeLast()) }
    sql = joined(statement())
    alter()
  }

  private static let names = [
    "a", "Name", "select", "a b", "q\"uote", "it's", "b`c", "f]g", "[h", "Äö", "é", "É", "x/*y*/",
    "z--",
    "(", ")", ",", ".", "check", "unique", "primary", "constraint", "key", "asc", "desc",
    "generated",
    "always", "stored", "strict", "rowid", "without", "0", "1x", "$d", "_e", "foreign",
    "references",
    "default", "null", "as", "on", "table", "create", "if", "😀", "deferrable", "end", "like", "''",
  ]
  private static let bare: Set<String> = [
    "a", "Name", "Äö", "é", "É", "key", "asc", "desc", "always", "stored", "strict", "rowid",
    "without", "_e", "if", "end", "like", "generated",
  ]

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  // MARK: Spelling

  /// Tokens separated by white space and comments, optional next to a parenthesis.
  private mutating func joined(_ tokens: [String]) -> String {
    var text = ""
    for (index, token) in tokens.enumerated() {
      let isFree = index == 0 || "(),".contains(token) || "(),".contains(tokens[index - 1])
      if !isFree || chance(40) {
        text += pick([
          " ", " ", " ", "\n", "\t", "  ", "/* ( ' , */", " -- it's \"\n", " /**/ ", "\r\n",
          "/***/",
        ])
      }
      text += token
    }
    return text
  }

  private mutating func quoted(_ name: String) -> String {
    func doubling(_ quote: String) -> String {
      quote
        + name.split(separator: quote, omittingEmptySubsequences: false)
        .joined(separator: quote + quote) + quote
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1: return Self.bare.contains(name) ? name : doubling("\"")
    case 2: return doubling("`")
    case 3: return name.contains("]") ? doubling("\"") : "[\(name)]"
    default: return doubling("\"")
    }
  }

  /// Keywords in random case.
  private mutating func words(_ text: String) -> [String] {
    text.split(separator: " ").map { word in
      pick([String(word), word.lowercased(), word.prefix(1) + word.dropFirst().lowercased()])
    }
  }

  // MARK: The statement

  private mutating func statement() -> [String] {
    var tokens = words("CREATE TABLE")
    if chance(20) { tokens += words("IF NOT EXISTS") }
    if chance(20) { tokens += ["main", "."] }
    tokens += [quoted(table), "("]
    for (index, name) in columns.enumerated() {
      if index > 0 { tokens.append(",") }
      tokens += column(name, isFirst: index == 0)
    }
    for number in 0..<Int.random(in: 0...3, using: &random) {
      if number == 0 || chance(60) { tokens.append(",") }
      tokens += constraint()
    }
    tokens.append(")")
    var options: [[String]] = []
    if isStrict { options.append(words("STRICT")) }
    if hasKey, !isAutoincrement, chance(25) {
      options.append(words("WITHOUT") + [pick(["ROWID", "rowid"])])
    }
    if chance(50) { options.reverse() }
    return tokens + Array(options.joined(separator: [","]))
  }

  private mutating func column(_ name: String, isFirst: Bool) -> [String] {
    var tokens = [quoted(name)]
    let type =
      isStrict
      ? pick(["INT", "INTEGER", "real", "Text", "BLOB", "any"])
      : pick([
        "", "INTEGER", "int", "VARCHAR ( 10 )", "DECIMAL(10, -2)", "UNSIGNED BIG INT",
        "\"my type\"",
        "[odd]", "double precision", "'text type'", "key", "Replace TEXT", "TEXT", "BLOB",
        "generated",
      ])
    if !type.isEmpty { tokens.append(type) }
    if isFirst, type.uppercased() == "INTEGER", chance(50) {
      hasKey = true
      tokens += named() + words("PRIMARY KEY")
      if chance(20) { tokens += words(pick(["ASC", "DESC"])) }
      if tokens.last?.uppercased() != "DESC", chance(40) {
        tokens += words("AUTOINCREMENT")
        isAutoincrement = true
      }
    }
    // A type that ends in a word needs a following token.
    for _ in 0..<Int.random(in: 0...4, using: &random) { tokens += columnConstraint() }
    if !isFirst, chance(15) {
      tokens +=
        chance(50) ? [pick(["GENERATED ALWAYS", "Generated  always"])] + words("AS") : words("AS")
      tokens += ["("] + expression() + [")"]
      if chance(60) { tokens += words(pick(["STORED", "VIRTUAL"])) }
    }
    return tokens
  }

  private mutating func named() -> [String] {
    chance(20) ? words("CONSTRAINT") + [quoted(pick(Self.names))] : []
  }

  private mutating func conflict() -> [String] {
    chance(20) ? words("ON CONFLICT \(pick(["ABORT", "IGNORE", "REPLACE", "FAIL"]))") : []
  }

  private mutating func columnConstraint() -> [String] {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return named() + words("NOT NULL") + conflict()
    case 1: return words("NULL")
    case 2: return named() + words("UNIQUE") + conflict()
    case 3:
      checkCount += 1
      return named() + words("CHECK") + ["("] + expression() + [")"]
    case 4: return named() + words("DEFAULT") + defaultValue()
    case 5: return words("COLLATE") + [pick(["nocase", "\"RTRIM\"", "BINARY", "[NoCase]"])]
    default: return named() + reference()
    }
  }

  private mutating func reference() -> [String] {
    var tokens = words("REFERENCES") + [quoted(pick(Self.names))]
    if chance(50) { tokens += ["(", quoted(pick(Self.names)), ")"] }
    return tokens + actions()
  }

  private mutating func actions() -> [String] {
    var tokens: [String] = []
    let actions = ["SET NULL", "SET DEFAULT", "CASCADE", "RESTRICT", "NO ACTION"]
    if chance(30) { tokens += words("ON DELETE \(pick(actions))") }
    if chance(30) { tokens += words("ON UPDATE \(pick(actions))") }
    if chance(10) { tokens += words("MATCH FULL") }
    if chance(20) { tokens += words("NOT NULL") }
    if chance(30) {
      tokens += words(pick(["DEFERRABLE", "NOT DEFERRABLE"]))
      if chance(60) { tokens += words("INITIALLY \(pick(["DEFERRED", "IMMEDIATE"]))") }
    }
    return tokens
  }

  private mutating func defaultValue() -> [String] {
    pick([
      ["5"], ["-", "5"], ["+", "1.5e-3"], ["'(it''s,'"], ["x'2829'"], ["NULL"],
      ["CURRENT_TIMESTAMP"],
      ["true"], ["(", "1", "+", "(", "2", ")", ")"], ["word"], ["(", "'x,)'", "||", "'('", ")"],
      ["-", ".5"],
      ["(", "(", "7", ")", ")"], ["0x1F"],
    ])
  }

  /// An expression over the columns.
  private mutating func expression() -> [String] {
    let name = quoted(columns[0])
    return pick([
      [name, "IS NOT", "')'"], ["length", "(", name, ")", ">", "0"],
      [quoted(table), ".", name, "<>", "'it''s (' "],
      ["(", name, "||", "'--'", ")", "IS NOT", "x'28'"],
      ["CASE", "WHEN", name, "THEN", "1", "ELSE", "1e-3", "END"],
      ["(", "(", name, ")", ")", "IN", "(", "1", ",", "'/*'", ")"],
      [name, "->>", "'$.\"('", "IS", "NULL"],
    ])
  }

  private mutating func constraint() -> [String] {
    var tokens = named()
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where !hasKey:
      hasKey = true
      tokens += words("PRIMARY KEY") + ["("] + list()
      if columns.count == 1, chance(30) { tokens += words("AUTOINCREMENT") }
      tokens += [")"] + conflict()
    case 1:
      tokens += words("UNIQUE") + ["("] + list() + [")"] + conflict()
    case 2:
      tokens +=
        words("FOREIGN KEY") + ["(", quoted(columns[0]), ")"]
        + reference().filter {
          !["NOT", "Not", "not", "NULL", "Null", "null"].contains($0)
        }
    default:
      checkCount += 1
      tokens += words("CHECK") + ["("] + expression() + [")"] + conflict()
    }
    return tokens
  }

  private mutating func list() -> [String] {
    var tokens: [String] = []
    let count = Int.random(in: 1...min(2, columns.count), using: &random)
    for (index, name) in columns.shuffled(using: &random).prefix(count).enumerated() {
      if index > 0 { tokens.append(",") }
      tokens.append(quoted(name))
      if chance(20) { tokens += words("COLLATE") + ["nocase"] }
      if chance(30) { tokens += words(pick(["ASC", "DESC"])) }
    }
    return tokens
  }

  private mutating func alter() {
    for _ in 0..<pick([0, 0, 1, 2]) {
      let name = quoted(table)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let new = names.removeLast()
        alterations.append(
          "ALTER TABLE \(name) ADD COLUMN " + joined([quoted(new)] + ["TEXT"] + columnConstraint()))
      case 1:
        let new = names.removeLast()
        alterations.append("ALTER TABLE \(name) RENAME TO \(quoted(new))")
      case 2:
        alterations.append(
          "ALTER TABLE \(name) RENAME COLUMN \(quoted(pick(columns))) TO \(quoted(names.removeLast()))"
        )
      default: alterations.append("ALTER TABLE \(name) DROP COLUMN \(quoted(pick(columns)))")
      }
    }
  }
}
