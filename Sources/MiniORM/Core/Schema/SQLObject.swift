/// A view, a trigger or a virtual table that a CREATE statement declares.
///
/// ```swift
/// let logged = SQLObject(
///   "CREATE TRIGGER logged AFTER INSERT ON line BEGIN INSERT INTO log VALUES (NEW.id); END")
/// try await database.migrate(DatabaseSchema(Line.self, Log.self, objects: [logged]))
/// ```
/// Use this type for the objects of a file from another program: `miniorm models` writes an
/// `SQLObject` for each view and trigger. For new objects, prefer ``DatabaseView``, ``Trigger`` and
/// ``FullTextIndex``, whose columns the compiler checks.
///
/// See [CREATE VIEW](https://www.sqlite.org/lang_createview.html), [CREATE
/// TRIGGER](https://www.sqlite.org/lang_createtrigger.html) and [CREATE VIRTUAL
/// TABLE](https://www.sqlite.org/lang_createvtab.html).
public struct SQLObject: SchemaObject {
  /// The statement.
  public let sql: String

  /// Creates an object from its statement.
  /// - Parameter sql: A CREATE VIEW, CREATE TRIGGER or CREATE VIRTUAL TABLE statement for the main
  ///   database. Never pass user input.
  public init(_ sql: String) { self.sql = sql }

  /// The declaration of the object in the file.
  /// - Throws: ``DatabaseError`` with the code `misuse` for any other statement.
  @_documentation(visibility: internal)
  public var definitions: [SchemaObjectDefinition] {
    get throws(DatabaseError) {
      var tokens = SQLToken.all(in: sql)[...]
      func skip(_ text: String) -> Bool {
        let words = SQLToken.all(in: text)
        guard tokens.count > words.count,
          zip(tokens, words).allSatisfy({ $0.isKeyword($1.text) })
        else { return false }
        tokens = tokens.dropFirst(words.count)
        return true
      }
      while tokens.last?.isSymbol(";") ?? false { tokens.removeLast() }
      let kinds: [SchemaObjectDefinition.Kind] = [.view, .trigger, .virtualTable]
      let kind = skip("CREATE") ? kinds.first { skip($0.rawValue) } : nil
      _ = skip("IF NOT EXISTS")
      guard let kind, tokens.count > 1, let name = tokens.first, name.isName,
        let body = tokens.dropFirst().first, !body.isSymbol("."), let last = tokens.last
      else {
        throw DatabaseError(
          .migrate, code: .misuse,
          "An SQLObject takes a CREATE VIEW, CREATE TRIGGER or CREATE VIRTUAL TABLE statement of the "
            + "main database: declare tables and indexes with @Table", sql: sql)
      }
      let quoted = name.written.quotedIdentifier
      let indexesTable = kind == .virtualTable && Self.indexesTable(tokens.dropFirst())
      let text = sql.part(body.range.lowerBound..<last.range.upperBound)
      return [
        SchemaObjectDefinition(
          kind, name.written, body: kind == .trigger ? text.removingSchemaOfTrigger : text,
          holdsData: kind == .virtualTable && !indexesTable,
          filling: indexesTable ? ["INSERT INTO \(quoted) (\(quoted)) VALUES ('rebuild')"] : [],
          probe: kind == .view ? "SELECT * FROM \(quoted)" : nil)
      ]
    }
  }

  /// True for an FTS5 table that indexes the text of another table: `content = 'name'`.
  private static func indexesTable(_ tokens: ArraySlice<SQLToken>) -> Bool {
    let tokens = Array(tokens)
    guard tokens.count > 1, tokens[0].isKeyword("using"), tokens[1].text == "fts5" else {
      return false
    }
    let option = tokens.indices.first { index in
      tokens[index].text == "content" && index + 2 < tokens.count
        && (tokens[index - 1].isSymbol("(") || tokens[index - 1].isSymbol(","))
        && tokens[index + 1].isSymbol("=")
    }
    guard let option else { return false }
    let value = tokens[option + 2]
    return value.kind != .string || value.range.count > 2
  }
}

package struct VirtualTable {
  private let name: String
  package let module: ExactText?

  package init(_ name: String, sql: String) {
    self.name = name
    module =
      SQLToken.all(in: sql).drop { !$0.isKeyword("using") }.dropFirst().first?.text
  }

  private static let shadowTables: [ExactText: [String]] = [
    "fts3": ["content", "segments", "segdir"],
    "fts4": ["content", "segments", "segdir", "docsize", "stat"],
    "fts5": ["data", "idx", "content", "docsize", "config"],
    "rtree": ["node", "parent", "rowid"], "rtree_i32": ["node", "parent", "rowid"],
    "geopoly": ["node", "parent", "rowid"],
  ]

  package var shadowTables: [String] {
    (module.flatMap { Self.shadowTables[$0] } ?? []).map { "\(name)_\($0)" }
  }

  func isNamed(in sql: String) -> Bool {
    SQLToken.all(in: sql).contains { $0.isName && $0.text == name.folded }
  }
}
