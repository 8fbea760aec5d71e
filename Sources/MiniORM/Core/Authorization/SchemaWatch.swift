import CSQLCipher

/// Refuses access to an attached database through an unqualified name, while a database is
/// attached.
///
/// SQLite also searches the attached databases for an unqualified table that the main database
/// lacks.
final class SchemaWatch {
  var names: Set<ExactText> = []
  var script: String?
  private let textsInUse: () -> [String]
  private let database: OpaquePointer
  /// The schemas named by the SQL being prepared; nil during a recompilation.
  private var current: NamedSchemas?
  private var contexts: Set<ExactText> = []
  private var namingContexts: Set<ExactText> = []
  private var refusal: String?
  private var failure: Int32?

  init(on database: OpaquePointer, textsInUse: @escaping () -> [String]) {
    self.database = database
    self.textsInUse = textsInUse
  }

  func watching(_ sql: String, _ prepare: () -> Int32) -> Int32 {
    current = NamedSchemas(sql)
    defer { (current, contexts) = (nil, []) }
    (refusal, failure, contexts) = (nil, nil, [])
    let code = prepare()
    guard code & 0xff == SQLITE_AUTH, refusal != nil else { return code }
    // Another connection may have created the table in the main database. Reading the file
    // refreshes the cached schema.
    _ = SQLiteLibrary.trusting(on: database) {
      HotJournal.retrying {
        sqlite3_exec(database, "SELECT 1 FROM main.sqlite_schema LIMIT 1", nil, nil, nil)
      }
    }
    (refusal, contexts) = (nil, [])
    return prepare()
  }

  func forgetTemporaryObjects() { namingContexts = [] }

  func explain(_ error: DatabaseError) -> DatabaseError {
    guard error.code.primary.rawValue == SQLITE_AUTH else { return error }
    if let failure {
      self.failure = nil
      return DatabaseError(error.operation, code: failure, from: nil, sql: error.sql)
    }
    guard let refusal else { return error }
    self.refusal = nil
    return DatabaseError(error.operation, code: .error, refusal, sql: error.sql)
  }

  typealias CText = UnsafePointer<CChar>

  func authorize(
    _ action: Int32, _ first: CText?, _ second: CText?, _ schema: CText?, _ context: CText?
  ) -> Int32 {
    func name(_ text: CText?) -> ExactText { (text.map { String(cString: $0) } ?? "").folded }
    if context != nil { contexts.insert(name(context)) }
    // ALTER TABLE passes the schema name in the first argument.
    guard let pointer = action == SQLITE_ALTER_TABLE ? first : schema else {
      return action == SQLITE_READ ? authorizeRows(of: first) : SQLITE_OK
    }
    guard strcmp(pointer, "main") != 0 else { return SQLITE_OK }
    if action == SQLITE_CREATE_TEMP_VIEW || action == SQLITE_CREATE_TEMP_TRIGGER {
      if current?.schemas.isDisjoint(with: names) == false { namingContexts.insert(name(first)) }
    }
    let schema = name(pointer)
    let isAboutRows = [SQLITE_READ, SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
    let table = isAboutRows ? name(first) : nil
    guard names.contains(schema), !isAskedByContext,
      !isAsked(for: table, in: schema, reading: action == SQLITE_READ)
    else { return SQLITE_OK }
    let place = String(cString: pointer)
    if let first, let table, !table.string.utf8.starts(with: "sqlite_".utf8) {
      refuse(String(cString: first), in: place)
    } else {
      refusal =
        "The SQL uses the attached database \(place) without naming it: qualify the table's name"
    }
    return SQLITE_DENY
  }

  /// True for an access by a temporary view or trigger that named an attached database at its
  /// creation. SQLite no longer reports the name of an expanded view.
  private var isAskedByContext: Bool { !contexts.isDisjoint(with: namingContexts) }

  private func isAsked(for table: ExactText?, in schema: ExactText, reading: Bool) -> Bool {
    let texts = texts
    // During a run, sqlcipher_export receives the target schema as a value.
    if current == nil, texts.contains(where: \.exports) { return true }
    return texts.contains { text in
      // SQLite resolves an unqualified name to this table.
      if reading, let table, text.mentionsAlone(table), !isNearer(table) { return false }
      return text.allows(schema, table)
    }
  }

  private var texts: [NamedSchemas] {
    current.map { [$0] } ?? (textsInUse() + (script.map { [$0] } ?? [])).map(NamedSchemas.init)
  }

  private func refuse(_ table: String, in place: String) {
    refusal =
      "no such table: \(table). The attached database \(place) has a table of this name: write \(place).\(table)"
  }

  /// For a query that reads no column, SQLite reports the schema name only of a qualified table.
  private func authorizeRows(of table: CText?) -> Int32 {
    guard let table else { return SQLITE_OK }
    let name = String(cString: table)  // NUL-terminated by contract
    let key = name.folded
    failure = nil
    guard !isNearer(key), texts.contains(where: { $0.mentionsAlone(key) }) else { return SQLITE_OK }
    if let place = names.sorted().first(where: { exists(name, in: $0.string) })?.string {
      refuse(name, in: place)
    } else if failure == nil {
      return SQLITE_OK
    }
    return SQLITE_DENY
  }

  /// True if SQLite finds the name before searching the attached databases.
  private func isNearer(_ table: ExactText) -> Bool {
    contexts.contains(table) || exists(table.string, in: "main") || exists(table.string, in: "temp")
  }

  private func exists(_ table: String, in schema: String) -> Bool {
    let code = sqlite3_table_column_metadata(
      database, schema, table, nil, nil, nil, nil, nil, nil)
    if code & 0xff == SQLITE_NOMEM { failure = code }
    return code == SQLITE_OK
  }
}
