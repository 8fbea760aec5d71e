import CSQLCipher

/// Refuses SQL that reaches an attached database without naming it.
///
/// SQLite also searches the attached databases for an unqualified table that the main database
/// lacks. In a statement that names the attached database, SQLite's rule applies.
final class AttachedNames {
  var names: Set<ExactText> = []
  /// The accesses of the statement that is compiled.
  private(set) var uses: [Use] = []
  private var contexts: Set<ExactText> = []
  /// The temporary views and triggers that the compiled statement creates.
  private var created: Set<ExactText> = []
  /// The temporary views and triggers whose SQL named an attached database.
  private var allowed: Set<ExactText> = []
  private let database: OpaquePointer

  /// An access to an attached database, or to a table whose database SQLite does not report.
  struct Use {
    let table: String?
    let schema: String?
  }

  init(on database: OpaquePointer) { self.database = database }

  func forgetTemporaryObjects() { allowed = [] }

  func begin() { (uses, contexts, created) = ([], [], []) }

  typealias CText = UnsafePointer<CChar>

  func use(
    _ action: Int32, _ first: CText?, _ schema: CText?, _ context: CText?
  ) -> Use? {
    // Names without a NUL: SQL ends at a NUL.
    func text(_ pointer: CText) -> String { String(cString: pointer) }
    if let context { contexts.insert(text(context).folded) }
    if let first, action == SQLITE_CREATE_TEMP_VIEW || action == SQLITE_CREATE_TEMP_TRIGGER {
      created.insert(text(first).folded)
    }
    let isAboutRows = [SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
    let table = isAboutRows ? first.map(text) : nil
    // ALTER TABLE passes the schema name in the first argument.
    guard let schema = (action == SQLITE_ALTER_TABLE ? first : schema).map(text) else {
      // For a query that reads no column, SQLite reports only the schema that the SQL names.
      return action == SQLITE_READ ? Use(table: table, schema: nil) : nil
    }
    return names.contains(schema.folded) ? Use(table: table, schema: schema) : nil
  }

  func note(_ use: Use) { uses.append(use) }

  /// Returns the reason to refuse accesses by some statements, or nil to allow them.
  func refusal(of uses: [Use], by texts: [String]) -> (message: String, code: ResultCode)? {
    guard !uses.isEmpty || !created.isEmpty else { return nil }
    let named = texts.map(named).reduce(into: Set()) { $0.formUnion($1) }
    if !named.isEmpty { allowed.formUnion(created) }
    guard contexts.isDisjoint(with: allowed) else { return nil }
    do throws(DatabaseError) {
      for use in uses {
        var schema = use.schema
        if schema == nil, let table = use.table { schema = try attachment(having: table) }
        guard let schema, !named.contains(schema.folded) else { continue }
        guard let table = use.table, !table.startsWithBytes(of: "sqlite_") else {
          return (
            "The SQL uses the attached database \(schema) without naming it: qualify the table's name",
            .error
          )
        }
        return (
          "no such table: \(table). The attached database \(schema) has a table of this name: write \(schema).\(table)",
          .error
        )
      }
    } catch {
      return (error.message, error.code)
    }
    return nil
  }

  /// Returns the attached databases that SQL names.
  private func named(_ sql: String) -> Set<ExactText> {
    let tokens = SQLToken.all(in: sql)
    // These visit every database, but reveal no rows. At the end of a transaction, virtual tables
    // write.
    let maintenance: [ExactText] = [
      "analyze", "pragma", "reindex", "vacuum", "commit", "end", "release", "rollback",
    ]
    if let first = tokens.first, maintenance.contains(where: first.isKeyword) { return names }
    // The function receives the attached database as a value.
    if tokens.contains(where: { $0.text == "sqlcipher_export" }) { return names }
    return Set(
      zip(tokens, tokens.dropFirst()).compactMap { $0.isName && $1.isSymbol(".") ? $0.name : nil }
    ).intersection(names)
  }

  /// Returns the attached database in which SQLite finds an unqualified table.
  private func attachment(having table: String) throws(DatabaseError) -> String? {
    guard !contexts.contains(table.folded), try !exists(table, in: "main"),
      try !exists(table, in: "temp")
    else { return nil }
    // SQLite searches in the order of attachment.
    for name in SQLiteLibrary.attachedSchemas(of: database)
    where try exists(table, in: name) { return name }
    return nil
  }

  private func exists(_ table: String, in schema: String) throws(DatabaseError) -> Bool {
    let code = sqlite3_table_column_metadata(
      database, schema, table, nil, nil, nil, nil, nil, nil)
    guard code & 0xff != SQLITE_NOMEM else {
      throw DatabaseError(.prepare, code: code, from: nil)
    }
    return code == SQLITE_OK
  }
}

extension SQLToken {
  /// SQLite also accepts a name in single quotes.
  var name: ExactText {
    kind == .string ? text.string.unquoted(by: UInt8(ascii: "'")).folded : text
  }
}
