import CSQLCipher

/// What SQL has changed on a connection and not in a file: settings and temporary objects.
///
/// Other callers use the connection next, so a closure's changes end with the closure.
struct SessionChanges {
  /// True after SQL may have created a temporary object.
  private(set) var hasTemporaryObjects = false
  /// The settings before the first PRAGMA that set one; empty before that.
  private var settings: [Setting] = []
  /// The PRAGMAs that SQL has used since.
  private var changedNames: Set<String> = []

  private struct Setting {
    /// The file of a setting that each file has, quoted.
    let schema: String?
    let name: String
    let value: String

    var pragma: String { "PRAGMA \(schema.map { "\($0)." } ?? "")\(name)" }
  }

  var isEmpty: Bool { !hasTemporaryObjects && settings.isEmpty }
  /// True while the settings are known, so that a PRAGMA may change one.
  var knowsSettings: Bool { !settings.isEmpty }

  mutating func noteTemporaryObject() { hasTemporaryObjects = true }
  mutating func noteChange(of name: String) { changedNames.insert(name) }

  /// Reads the settings, before SQL changes one.
  /// - Returns: `SQLITE_OK`, or the code of a read that failed.
  mutating func readSettings(of database: OpaquePointer) -> Int32 {
    // The temporary database is opened again when the changes are undone.
    let files = SchemaNames(of: database).filter { !$0.hasSameBytes(as: "temp") }
    var found: [Setting] = []
    for (name, isOfFile) in Pragma.restored.sorted(by: { $0.key < $1.key }) {
      for file in isOfFile ? files.map(\.quotedIdentifier) : [nil] {
        let reader = SchemaReader(database)
        let setting = Setting(schema: file, name: name, value: "")
        let value = reader.value(of: setting.pragma)
        guard !reader.hasFailed else { return sqlite3_errcode(database) }
        // A library may be built without one, such as mmap_size.
        guard !value.isEmpty else { continue }
        found.append(Setting(schema: file, name: name, value: value))
      }
    }
    settings = found
    return SQLITE_OK
  }

  /// Restores the settings and drops the temporary objects, outside a transaction.
  /// - Returns: False if SQLite did not. The changes are kept then.
  mutating func undo(on database: OpaquePointer) -> Bool {
    var sql = ""
    for setting in settings where changedNames.contains(setting.name) {
      // secure_delete alone reports a number that it does not take.
      let isFast =
        setting.name.hasSameBytes(as: "secure_delete") && setting.value.hasSameBytes(as: "2")
      sql += "\(setting.pragma) = \(isFast ? "FAST" : setting.value);"
    }
    // SQLite drops all temporary objects when temp_store changes.
    sql += "PRAGMA temp_store = MEMORY; PRAGMA temp_store = DEFAULT"
    let code = Authorizer.trusting(on: database) { sqlite3_exec(database, sql, nil, nil, nil) }
    guard code == SQLITE_OK else { return false }
    self = SessionChanges()
    return true
  }
}
