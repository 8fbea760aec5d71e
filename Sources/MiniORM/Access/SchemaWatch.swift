import CSQLCipher

/// Keeps SQL from reaching attached databases that it does not name.
///
/// SQLite looks for a table without a schema name in the attached databases too, if the main one
/// has none. While a database is attached, the connection's ``Authorizer`` asks this object, which
/// refuses what the SQL's own text does not ask for.
final class SchemaWatch {
  /// The names of the attached databases.
  var names: Set<ExactText> = []
  /// The statement of a script that is running, which is in no cache.
  var script: String?
  private let textsInUse: () -> [String]
  private let database: OpaquePointer
  /// The schemas named by the SQL that is being prepared, or nil while SQLite recompiles a
  /// statement by itself for a changed schema.
  private var current: NamedSchemas?
  /// The views, triggers and common table expressions that SQLite has met in it.
  private var contexts: Set<ExactText> = []
  /// Temporary views and triggers that name an attached database.
  private var namingContexts: Set<ExactText> = []
  private var refusal: String?
  /// What has kept a table from being looked for: want of memory.
  private var failure: Int32?

  /// - Parameter textsInUse: As in ``Authorizer``.
  init(on database: OpaquePointer, textsInUse: @escaping () -> [String]) {
    self.database = database
    self.textsInUse = textsInUse
  }

  /// Prepares SQL while its text is known.
  /// - Parameter prepare: Calls SQLite, and may be called more than once.
  func watching(_ sql: String, _ prepare: () -> Int32) -> Int32 {
    current = NamedSchemas(sql)
    defer { (current, contexts) = (nil, []) }
    (refusal, failure, contexts) = (nil, nil, [])
    let code = prepare()
    guard code & 0xff == SQLITE_AUTH, refusal != nil else { return code }
    // SQLite looks in the schema as this connection knows it. Another connection may have created
    // the table in the main database meanwhile, which only shows when that is read.
    _ = HotJournal.retrying {
      sqlite3_exec(database, "SELECT 1 FROM main.sqlite_schema LIMIT 1", nil, nil, nil)
    }
    (refusal, contexts) = (nil, [])
    return prepare()
  }

  /// Forgets the temporary views and triggers, which have been dropped.
  func forgetTemporaryObjects() { namingContexts = [] }

  /// Returns the error with the reason why SQL was refused, if that is what failed.
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
    // NUL-terminated by contract.
    func name(_ text: CText?) -> ExactText { (text.map { String(cString: $0) } ?? "").folded }
    if context != nil { contexts.insert(name(context)) }
    // ALTER TABLE gives the database's name in another argument.
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
    // Names that SQLite passes to an authorizer, NUL-terminated like the one above.
    let place = String(cString: pointer)
    if let first, let table, !table.string.utf8.starts(with: "sqlite_".utf8) {
      refuse(String(cString: first), in: place)
    } else {
      refusal = "The SQL does not name the attached database \(place)"
    }
    return SQLITE_DENY
  }

  /// Whether a temporary view or trigger asks, which named an attached database when it was created.
  /// SQLite may have replaced the view with its own query, and then no longer names it.
  private var isAskedByContext: Bool { !contexts.isDisjoint(with: namingContexts) }

  /// Returns whether a text asks for a database, and for a table in it.
  private func isAsked(for table: ExactText?, in schema: ExactText, reading: Bool) -> Bool {
    let texts = texts
    // While it runs, and not while it is compiled: a value names what it writes.
    if current == nil, texts.contains(where: \.exports) { return true }
    return texts.contains { text in
      // Here SQLite reads what the text may mean by a name without a database's.
      if reading, let table, text.mentionsAlone(table), !isNearer(table) { return false }
      return text.allows(schema, table)
    }
  }

  /// The texts that may be being prepared: one of the statements in use is the one that SQLite
  /// recompiles.
  private var texts: [NamedSchemas] {
    current.map { [$0] } ?? (textsInUse() + (script.map { [$0] } ?? [])).map(NamedSchemas.init)
  }

  private func refuse(_ table: String, in place: String) {
    refusal = "no such table: \(table); one of that name is in the attached database \(place)"
  }

  /// Authorizes a query that reads no column of a table, for which SQLite gives the database's name
  /// only if the text does.
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

  /// Returns whether a name refers to something that SQLite finds before it looks in attached
  /// databases.
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
