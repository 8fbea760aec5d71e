import CSQLCipher

/// Decides which actions SQL may take on a connection.
///
/// SQLite calls its single authorizer for each action of a statement during compilation.
///
/// See [Compile-Time Authorization Callbacks](https://www.sqlite.org/c3ref/set_authorizer.html).
final class Authorizer {
  let attached: AttachedNames
  let database: OpaquePointer
  private let trust: UnsafePointer<Int32>
  private(set) var recorded = RecordedAccess()
  private var isRecording = false
  /// True if a closure has created temporary objects, or switched foreign keys.
  private(set) var hasChangedSession = false
  /// True if DELETE without WHERE deletes row by row, so that SQLite reports each row.
  var deletesRowByRow = false
  private var lastAction: Int32 = 0
  private var refusal: (message: String, code: ResultCode, holdsKey: Bool)?
  private let textsInUse: () -> [String]
  /// Called during each compilation of the caller's SQL, also when SQLite compiles a statement again.
  private let willCompile: () -> Void

  init(
    on database: OpaquePointer, textsInUse: @escaping () -> [String],
    willCompile: @escaping () -> Void
  ) throws(DatabaseError) {
    (self.textsInUse, self.willCompile) = (textsInUse, willCompile)
    attached = AttachedNames(on: database)
    self.database = database
    trust = try SQLiteLibrary.countTrust(on: database)
    install(on: database)
  }

  /// Compiled statements are then recompiled before their next run.
  func install(on database: OpaquePointer) {
    sqlite3_set_authorizer(
      database,
      { authorizer, action, first, second, schema, context in
        guard let authorizer else { return SQLITE_OK }
        return CallbackContext<Authorizer>.object(authorizer)
          .authorize(action, first, second, schema, context)
      }, CallbackContext.borrowed(self))  // the cache retains it
  }

  /// True while Configuration.prepare runs.
  var isPreparing = false

  /// - Parameters:
  ///   - sql: The text of the statement, after the compilation.
  ///   - prepare: Compiles a statement. A second call replaces the statement.
  func preparing(_ sql: @autoclosure () -> String, _ prepare: () -> Int32) -> Int32 {
    func recording() -> Int32 {
      refusal = nil
      recorded = RecordedAccess()
      attached.begin()
      isRecording = true
      defer { isRecording = false }
      return prepare()
    }
    defer { attached.begin() }
    var code = recording()
    if code == SQLITE_OK, attached.refusal(of: attached.uses, by: [sql()]) != nil {
      // Another connection may have created the table in the main database. Reading the file
      // refreshes the cached schema.
      _ = SQLiteLibrary.trusting(on: database) {
        HotJournal.retrying {
          sqlite3_exec(database, "SELECT 1 FROM main.sqlite_schema LIMIT 1", nil, nil, nil)
        }
      }
      code = recording()
      if code == SQLITE_OK, let refusal = attached.refusal(of: attached.uses, by: [sql()]) {
        return refuse(refusal.message, code: refusal.code)
      }
    }
    return code == SQLITE_OK ? checkTemporaryNames(sql) : code
  }

  /// Drops temporary objects, and restores the settings that a closure may change, because the next closure
  /// uses the same connection. Requires autocommit mode.
  /// - Returns: False if SQLite fails. Then the changes remain recorded.
  func resetSession(foreignKeys: Bool) -> Bool {
    // Changing temp_store drops all temporary objects.
    // The value for the next VACUUM becomes the file's value again.
    guard let vacuum = (try? SQLiteLibrary.value("PRAGMA main.auto_vacuum", database)) ?? nil
    else { return false }
    let sql =
      "PRAGMA main.auto_vacuum = \(vacuum); PRAGMA foreign_keys = \(foreignKeys); "
      + "PRAGMA temp_store = MEMORY; PRAGMA temp_store = DEFAULT"
    let code = SQLiteLibrary.trusting(on: database) { sqlite3_exec(database, sql, nil, nil, nil) }
    guard code == SQLITE_OK else { return false }
    hasChangedSession = false
    attached.forgetTemporaryObjects()
    return true
  }

  func explain(_ error: DatabaseError) -> DatabaseError {
    guard let refusal else { return error }
    self.refusal = nil
    // For a function, SQLite reports its own message and SQLITE_ERROR.
    guard [SQLITE_AUTH, SQLITE_ERROR].contains(error.code.primary.rawValue) else { return error }
    return DatabaseError(
      error.operation, code: refusal.code, refusal.message, sql: refusal.holdsKey ? nil : error.sql)
  }

  private typealias CText = UnsafePointer<CChar>

  private func authorize(
    _ action: Int32, _ first: CText?, _ second: CText?, _ schema: CText?, _ context: CText?
  ) -> Int32 {
    defer { lastAction = action }
    if isRecording { recorded.record(action, first, second, schema, context) }
    guard trust.pointee == 0 else { return SQLITE_OK }
    willCompile()
    switch action {
    case SQLITE_PRAGMA:
      // A name without a NUL: SQL ends at a NUL.
      let pragma = Pragma(
        name: first.map { String(cString: $0) } ?? "", setsValue: second != nil,
        isInTransaction: sqlite3_get_autocommit(database) == 0, isPreparing: isPreparing)
      if let message = pragma.refusal { return refuse(message, holdsKey: pragma.holdsKey) }
      if pragma.changesSession { hasChangedSession = true }
    case SQLITE_ATTACH where !isVacuuming:
      return refuse("ATTACH is refused: call Database.attach(_:as:key:)", holdsKey: true)
    case SQLITE_DETACH: return refuse("DETACH is refused: call Database.detach(_:)")
    case SQLITE_FUNCTION where second.map { strcmp($0, "load_extension") == 0 } ?? false:
      return refuse(
        "load_extension is refused: write the function in Swift, and list it in Configuration.functions"
      )
    case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TEMP_TRIGGER:
      hasChangedSession = true
    case SQLITE_CREATE_VTABLE where schema.map { strcmp($0, "temp") == 0 } ?? false:
      hasChangedSession = true
    default: break
    }
    if !attached.names.isEmpty, let use = attached.use(action, first, schema, context) {
      if isRecording {
        attached.note(use)
      } else if let refusal = attached.refusal(of: [use], by: textsInUse()) {
        return refuse(refusal.message, code: refusal.code)
      }
    }
    guard deletesRowByRow, action == SQLITE_DELETE else { return SQLITE_OK }
    // DROP also asks for DELETE. An answer of SQLITE_IGNORE would prevent the drop.
    let drops = [
      SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW,
      SQLITE_DROP_VTABLE,
    ]
    let isOwn = first.map { strncmp($0, "sqlite_", 7) == 0 } ?? true
    return isOwn || drops.contains(lastAction) ? SQLITE_OK : SQLITE_IGNORE
  }

  private func refuse(
    _ message: String, code: ResultCode = .misuse, holdsKey: Bool = false
  ) -> Int32 {
    refusal = (message, code, holdsKey)
    return SQLITE_DENY
  }

  /// True during a VACUUM, which attaches its output file.
  private var isVacuuming: Bool {
    var statement = sqlite3_next_stmt(database, nil)
    while let found = statement {
      // NUL-terminated by contract; only the first word matters.
      if sqlite3_stmt_busy(found) != 0, let sql = sqlite3_sql(found).map({ String(cString: $0) }),
        SQLToken.all(in: sql).first?.isKeyword("vacuum") ?? false
      {
        return true
      }
      statement = sqlite3_next_stmt(database, found)
    }
    return false
  }

  /// Refuses a statement if a temporary table or view would hide an object of the main file: SQLite
  /// resolves an unqualified name to temporary objects first.
  ///
  /// See [Database Object Name Resolution](https://www.sqlite.org/lang_naming.html).
  private func checkTemporaryNames(_ sql: () -> String) -> Int32 {
    for name in recorded.newNames(in: sql) {
      // SQL must qualify a name in an attached file.
      let isTemporary = name.schema.hasSameBytes(as: "temp")
      guard isTemporary || hasChangedSession && name.schema.hasSameBytes(as: "main"),
        !name.table.folded.string.startsWithBytes(of: "sqlite_")
      else { continue }
      let schema = SchemaReader(database)
      let other = SchemaTable(schema: isTemporary ? "main" : "temp", table: name.table)
      let isHidden = schema.object(other) != nil
      guard !schema.hasFailed else { return sqlite3_errcode(database) }
      guard isHidden else { continue }
      return refuse(
        isTemporary
          ? "A temporary table or view named \(name.table) would hide \(name.table) of the file: choose another name"
          : "The temporary table or view \(name.table) would hide \(name.table) of the file: drop the temporary table or view first"
      )
    }
    return SQLITE_OK
  }
}

extension RecordedAccess {
  fileprivate func newNames(in sql: () -> String) -> [SchemaTable] {
    guard let alteredSchema else { return created }
    // ALTER TABLE [schema.]table RENAME TO name: SQLite reports only the old name.
    let tokens = SQLToken.all(in: sql())
    let words = Array(tokens.dropFirst(tokens.count > 3 && tokens[3].isSymbol(".") ? 5 : 3))
    guard words.count > 2, words[0].isKeyword("rename"), words[1].isKeyword("to") else { return [] }
    return [SchemaTable(schema: alteredSchema, table: words[2].name.string)]
  }
}
