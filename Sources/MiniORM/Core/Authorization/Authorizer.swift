import CSQLCipher

/// Decides which actions SQL may take on a connection.
///
/// SQLite calls its single authorizer for each action of a statement during compilation.
///
/// See [Compile-Time Authorization Callbacks](https://www.sqlite.org/c3ref/set_authorizer.html).
final class Authorizer {
  let schemas: SchemaWatch
  let database: OpaquePointer
  private let trust: UnsafePointer<Int32>
  private(set) var session = SessionChanges()
  /// True after a PRAGMA was denied because the current settings must be read first.
  private var needsSettings = false
  private(set) var recorded = RecordedAccess()
  private var isRecording = false
  /// True if DELETE without WHERE deletes row by row, so that SQLite reports each row.
  var deletesRowByRow = false
  private var lastAction: Int32 = 0
  private var refusal: (message: String, holdsKey: Bool)?
  /// Called during each compilation of the caller's SQL, also when SQLite compiles a statement again.
  private let willCompile: () -> Void

  init(
    on database: OpaquePointer, textsInUse: @escaping () -> [String],
    willCompile: @escaping () -> Void
  ) throws(DatabaseError) {
    self.willCompile = willCompile
    schemas = SchemaWatch(on: database, textsInUse: textsInUse)
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

  func preparing(_ sql: @autoclosure () -> String, _ prepare: () -> Int32) -> Int32 {
    refusal = nil
    func recording() -> Int32 {
      recorded = RecordedAccess()
      isRecording = true
      defer { isRecording = false }
      return prepare()
    }
    func compiling() -> Int32 {
      schemas.names.isEmpty ? recording() : schemas.watching(sql(), recording)
    }
    var code = compiling()
    if needsSettings {
      needsSettings = false
      code = session.readSettings(of: database)
      if code == SQLITE_OK { code = compiling() }
    }
    return code == SQLITE_OK ? checkTemporaryNames(sql) : code
  }

  func stepping(_ sql: @autoclosure () -> String, _ step: () -> Int32) -> Int32 {
    guard !schemas.names.isEmpty else { return step() }
    schemas.script = sql()
    defer { schemas.script = nil }
    return step()
  }

  func resetSession() -> Bool {
    guard session.undo(on: database) else { return false }
    schemas.forgetTemporaryObjects()
    return true
  }

  func keepSettings() { session = SessionChanges() }

  func explain(_ error: DatabaseError) -> DatabaseError {
    guard let refusal else { return schemas.explain(error) }
    self.refusal = nil
    // For a function, SQLite reports its own message and SQLITE_ERROR.
    guard [SQLITE_AUTH, SQLITE_ERROR].contains(error.code.primary.rawValue) else { return error }
    return DatabaseError(
      error.operation, code: .misuse, refusal.message, sql: refusal.holdsKey ? nil : error.sql)
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
      let pragma = Pragma(
        name: first.map { String(cString: $0) } ?? "", setsValue: second != nil,
        isInTransaction: sqlite3_get_autocommit(database) == 0, isPreparing: isPreparing)
      if let message = pragma.refusal { return refuse(message, holdsKey: pragma.holdsKey) }
      if pragma.changesSession {
        // SQLite applies some PRAGMAs during compilation, so read the old settings first.
        needsSettings = !session.knowsSettings
        guard !needsSettings else { return SQLITE_DENY }
        session.noteChange(of: pragma.name)
      }
    case SQLITE_ATTACH where !isVacuuming:
      return refuse("ATTACH is refused: call Database.attach(_:as:key:)", holdsKey: true)
    case SQLITE_DETACH:
      return refuse("DETACH is refused: call Database.detach(_:)", holdsKey: false)
    case SQLITE_FUNCTION where second.map { strcmp($0, "load_extension") == 0 } ?? false:
      return refuse(
        "load_extension is refused: write the function in Swift, and list it in Configuration.functions",
        holdsKey: false)
    case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_VIEW, SQLITE_CREATE_TEMP_TRIGGER:
      session.noteTemporaryObject()
    case SQLITE_CREATE_VTABLE where schema.map { strcmp($0, "temp") == 0 } ?? false:
      session.noteTemporaryObject()
    default: break
    }
    let answer =
      schemas.names.isEmpty
      ? SQLITE_OK : schemas.authorize(action, first, second, schema, context)
    guard deletesRowByRow, action == SQLITE_DELETE, answer == SQLITE_OK else { return answer }
    // DROP also asks for DELETE, and SQLITE_IGNORE would prevent the drop.
    let drops = [
      SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW,
      SQLITE_DROP_VTABLE,
    ]
    let isOwn = first.map { strncmp($0, "sqlite_", 7) == 0 } ?? true
    return isOwn || drops.contains(lastAction) ? SQLITE_OK : SQLITE_IGNORE
  }

  func refuse(_ message: String, holdsKey: Bool) -> Int32 {
    refusal = (message, holdsKey)
    return SQLITE_DENY
  }

  /// True during a VACUUM, which attaches its output file.
  private var isVacuuming: Bool {
    var statement = sqlite3_next_stmt(database, nil)
    while let found = statement {
      if sqlite3_stmt_busy(found) != 0, let sql = sqlite3_sql(found).map({ String(cString: $0) }),
        SQLToken.all(in: sql).first?.isKeyword("vacuum") ?? false
      {
        return true
      }
      statement = sqlite3_next_stmt(database, found)
    }
    return false
  }
}
