struct NamedSchemas {
  private(set) var schemas: Set<ExactText> = []
  private var qualified: Set<[ExactText]> = []
  private var bare: Set<ExactText> = []
  private var isMaintenance = false
  /// True for `sqlcipher_export`, which copies the main database into an attached database.
  private(set) var exports = false

  private static let export = "sqlcipher_export".folded

  init(_ sql: String) {
    var tokens = SQLToken.all(in: sql)[...]
    guard let first = tokens.first else { return }
    // These visit every database, but reveal no rows. At the end of a transaction, virtual tables
    // write.
    isMaintenance = [
      "analyze", "pragma", "reindex", "vacuum", "commit", "end", "release", "rollback",
    ].contains { first.isKeyword($0) }
    // In a script, another statement may follow the semicolon; a trigger body contains semicolons.
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

  func mentionsAlone(_ table: ExactText) -> Bool { !isMaintenance && bare.contains(table) }

  /// Also allows a table that the text does not name: the schema's views, triggers and foreign keys
  /// refer to such tables.
  func allows(_ schema: ExactText, _ table: ExactText?) -> Bool {
    if isMaintenance { return true }
    guard schemas.contains(schema) else { return false }
    return table.map { !bare.contains($0) || qualified.contains([schema, $0]) } ?? true
  }
}

/// Finds the positions of table names in a statement.
///
/// See [FROM](https://www.sqlite.org/lang_select.html#the_from_clause).
private struct TablePlaces {
  private enum Next {
    /// Expects a table, or parentheses that contain tables and queries.
    case tables
    /// Expects a table. Parentheses contain no table.
    case table
    /// Expects a conflict resolution, followed by a table.
    case resolution
  }

  private struct Level {
    var isFrom = false
    var next: Next?
  }
  private var outer: [Level] = []
  private var level = Level()
  private var isDistinct = false

  private static let ends: Set<ExactText> = [
    "select", "values", "where", "group", "having", "window", "order", "limit", "union",
    "intersect", "except", "returning", "set", "with",
  ]

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
      // IS DISTINCT FROM is a comparison.
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
  /// SQLite also accepts a name in single quotes.
  var name: ExactText {
    kind == .string ? text.string.unquoted(by: UInt8(ascii: "'")).folded : text
  }
}
