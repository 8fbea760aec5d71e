/// The databases and tables that the text of a statement names.
struct NamedSchemas {
  /// The names before a dot.
  private(set) var schemas: Set<ExactText> = []
  private var qualified: Set<[ExactText]> = []
  private var bare: Set<ExactText> = []
  private var isMaintenance = false
  /// Whether it calls the function that copies everything into an attached database.
  private(set) var exports = false

  private static let export = "sqlcipher_export".folded

  init(_ sql: String) {
    var tokens = SQLToken.all(in: sql)[...]
    guard let first = tokens.first else { return }
    // These may go through every database by themselves, and reveal nothing about rows. At the end
    // of a transaction, a virtual table writes what it has kept until then, in its own database.
    isMaintenance = [
      "analyze", "pragma", "reindex", "vacuum", "commit", "end", "release", "rollback",
    ].contains { first.isKeyword($0) }
    // In a script, what follows is another statement; within a trigger it is not.
    if !first.isKeyword("create") {
      tokens = tokens.prefix { !$0.isSymbol(";") }
    }
    var places = TablePlaces()
    for index in tokens.indices {
      let isTable = places.isTable(tokens[index])
      guard tokens[index].isName else { continue }
      let name = tokens[index].name
      if tokens[index].text == Self.export { exports = true }
      func isDot(_ index: Int) -> Bool {
        tokens.indices.contains(index) && tokens[index].isSymbol(".")
      }
      guard !isDot(index - 1) else { continue }
      if isDot(index + 1) {
        schemas.insert(name)
        if tokens.indices.contains(index + 2) {
          qualified.insert([name, tokens[index + 2].name])
        }
      } else if isTable {
        bare.insert(name)
      }
    }
  }

  /// Returns whether the text has a table's name without a database's.
  func mentionsAlone(_ table: ExactText) -> Bool { !isMaintenance && bare.contains(table) }

  /// Returns whether the text asks for a database, and for a table in it. A table that it does not
  /// mention at all is brought in by a view, a trigger or a foreign key of that database.
  func allows(_ schema: ExactText, _ table: ExactText?) -> Bool {
    if isMaintenance { return true }
    guard schemas.contains(schema) else { return false }
    return table.map { !bare.contains($0) || qualified.contains([schema, $0]) } ?? true
  }
}

/// Tells where in a statement the name of a table stands.
///
/// See [FROM](https://www.sqlite.org/lang_select.html#the_from_clause).
private struct TablePlaces {
  private enum Next {
    /// A table, or several and queries in parentheses.
    case tables
    /// A table; what is in parentheses is none.
    case table
    /// What to do about a conflict, and then a table.
    case resolution
  }

  /// What is between two parentheses.
  private struct Level {
    /// Whether a comma is followed by a table.
    var isFrom = false
    var next: Next?
  }
  /// Those around the innermost one.
  private var outer: [Level] = []
  private var level = Level()
  private var isDistinct = false

  private static let ends: Set<ExactText> = [
    "select", "values", "where", "group", "having", "window", "order", "limit", "union",
    "intersect", "except", "returning", "set", "with",
  ]

  /// Returns whether the next token of the statement is in the place of a table, or of its database.
  mutating func isTable(_ token: SQLToken) -> Bool {
    let wasDistinct = isDistinct
    isDistinct = token.isKeyword("distinct")
    let next = level.next
    level.next = nil
    switch token.kind == .word || token.kind == .symbol ? token.text : "" {
    case "(":
      outer.append(level)
      level = next == .tables ? Level(isFrom: true, next: .tables) : Level()
    case ")":
      level = outer.popLast() ?? Level()
    case ",":
      if level.isFrom { level.next = .tables }
    case "from", "join":
      // IS DISTINCT FROM compares.
      if !wasDistinct { level = Level(isFrom: true, next: .tables) }
    case "into", "update", "in":
      level.next = .table
    case "or" where next == .table:
      level.next = .resolution
    case "window" where next != nil:
      return true
    case let word where Self.ends.contains(word):
      level = Level()
    default:
      if next == .resolution { level.next = .table }
      return next == .tables || next == .table
    }
    return false
  }
}

extension SQLToken {
  /// A name as SQLite compares it, which it also takes in the quotes of a text.
  var name: ExactText {
    kind == .string ? text.string.unquoted(by: UInt8(ascii: "'")).folded : text
  }
}
