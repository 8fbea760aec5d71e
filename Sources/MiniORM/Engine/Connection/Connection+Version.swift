import CSQLCipher

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
      let version = opened.pages.integer("PRAGMA main.user_version"), version > Int64(migrated),
      // SQL of the user may have set user_version, so the migration history decides.
      let newest = opened.pages.integer(
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
