import CSQLCipher
import Synchronization

/// The formats of columns that this program declares, shared by all connections of a database.
final class DeclaredFormats: Sendable {
  /// Returns the declared format of a column if values in the recorded format, the last argument,
  /// would be misread.
  typealias Comparison =
    @Sendable (_ table: String, _ column: String, _ format: String) -> String?

  private let state = Mutex<(number: Int, comparison: Comparison?)>((0, nil))

  /// The declarations of the last migration, with a number that identifies them; nil before and
  /// during a migration.
  var current: (number: Int, comparison: Comparison)? {
    state.withLock { state in state.comparison.map { (state.number, $0) } }
  }

  /// True during a migration.
  var areChanging: Bool { state.withLock { $0.number > 0 && $0.comparison == nil } }

  /// - Returns: The previous declarations.
  @discardableResult
  func set(_ comparison: Comparison?) -> Comparison? {
    state.withLock { state in
      defer { state = (state.number + 1, comparison) }
      return state.comparison
    }
  }
}

/// The tables with a column that this program would misread, and the reason, at a version of the
/// schema.
struct ChangedFormats {
  let cookie: Int64?
  let declaration: Int
  var tables: [ExactText: String] = [:]
}

extension ConnectionState {
  /// Throws if another program has changed the format of a column in a table that a statement uses.
  ///
  /// Called after the first step that follows a compilation. Each migration changes the version of the
  /// schema, so SQLite compiles every statement again.
  func checkFormats(of statement: PreparedStatement) throws(DatabaseError) {
    guard let opened else { return }
    switch statement.access.kind {
    case .reading: break
    case .writing where sqlite3_get_autocommit(opened.database) == 0: break
    case .writing, .control, .schema:
      // An autocommitted write was checked before its step, and has committed. The mark stays, so
      // that the next statement is checked.
      opened.cache.hasCompiled = true
      return
    }
    if sqlite3_txn_state(opened.database, "main") == SQLITE_TXN_WRITE { try checkVersion(opened) }
    try checkFormats(of: statement, in: opened)
  }

  func checkFormats(of statement: PreparedStatement, in opened: Opened) throws(DatabaseError) {
    guard let (number, declared) = formats.current else {
      opened.cache.hasCompiled = formats.areChanging
      return
    }
    let cookie = try opened.pages.integer("PRAGMA main.schema_version")
    var changed = opened.changedFormats
    if changed?.cookie != cookie || changed?.declaration != number {
      guard let formats = SchemaReader(opened.database).formats() else {
        throw DatabaseError(
          .step, code: sqlite3_errcode(opened.database), from: opened.database, sql: statement.sql)
      }
      changed = ChangedFormats(cookie: cookie, declaration: number)
      for (table, column, format) in formats {
        guard let wanted = declared(table, column, format) else { continue }
        changed?.tables[table.folded] =
          "column \(table).\(column) is stored as \(format), and this program reads \(wanted)"
      }
      opened.changedFormats = changed
    }
    guard let tables = changed?.tables, !tables.isEmpty else { return }
    // Every later run is checked too.
    opened.cache.hasCompiled = true
    guard statement.checkedUse != statement.lastUse else { return }
    statement.checkedUse = statement.lastUse
    let used = statement.access.mainTables(askedBy: opened.cache.authorizer)
    guard let change = used.compactMap({ tables[$0] }).min() else { return }
    throw DatabaseError(
      .step, code: .misuse,
      "Another program has migrated the file: \(change). End this program, and start the newer one",
      sql: statement.sql, path: path)
  }
}

extension Connection {
  /// Throws before COMMIT if a newer program has migrated the file: this program may have stored
  /// values in older formats.
  func checkVersion() throws(DatabaseError) {
    guard state.migratedVersion != nil, let opened = state.opened,
      sqlite3_txn_state(opened.database, "main") == SQLITE_TXN_WRITE
    else { return }
    try state.checkVersion(opened)
  }

  /// Does the check of ``checkVersion()`` before a statement of user SQL outside a transaction.
  func checkVersion(before statement: PreparedStatement) throws(DatabaseError) {
    guard state.migratedVersion != nil, depth == 0, let opened = state.opened,
      statement.access.kind != .reading
    else { return }
    try state.checkVersion(opened)
    try state.checkFormats(of: statement, in: opened)
  }
}

extension ConnectionState {
  func checkVersion(_ opened: Opened) throws(DatabaseError) {
    guard let migrated = migratedVersion,
      let version = try opened.pages.integer("PRAGMA main.user_version"),
      version > Int64(migrated),
      // SQL of the user may have set user_version, so the migration history decides.
      try opened.pages.integer(
        "SELECT 1 FROM main.sqlite_schema WHERE name = 'miniorm_migrations'") != nil,
      let newest = try opened.pages.integer(
        "SELECT version FROM main.miniorm_migrations ORDER BY id DESC LIMIT 1"),
      newest > Int64(migrated)
    else { return }
    throw DatabaseError(
      .commit, code: .misuse,
      "The file was migrated by a newer program, to version \(newest). This program migrated it to "
        + "version \(migrated), and could write values that the newer program misreads. Nothing "
        + "was written: end this program, and start the newer one",
      path: path)
  }
}
