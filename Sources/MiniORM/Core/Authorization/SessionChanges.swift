import CSQLCipher

/// The settings and temporary objects that SQL has changed in a closure. After the closure, they
/// are reset, because the next caller uses the same connection.
struct SessionChanges {
  private(set) var hasTemporaryObjects = false
  private var settings: [Setting] = []
  private var changedNames: Set<String> = []

  private struct Setting {
    let schema: String?
    let name: String
    let value: String

    var pragma: String { "PRAGMA \(schema.map { "\($0)." } ?? "")\(name)" }
  }

  var isEmpty: Bool { !hasTemporaryObjects && settings.isEmpty }
  var knowsSettings: Bool { !settings.isEmpty }

  mutating func noteTemporaryObject() { hasTemporaryObjects = true }
  mutating func noteChange(of name: String) { changedNames.insert(name) }

  mutating func readSettings(of database: OpaquePointer) -> Int32 {
    // The temporary database is left out, because `undo(on:)` makes SQLite discard and reopen it.
    let files = SchemaNames(of: database).filter { !$0.hasSameBytes(as: "temp") }
    var found: [Setting] = []
    for (name, isOfFile) in Pragma.restored.sorted(by: { $0.key < $1.key }) {
      for file in isOfFile ? files.map(\.quotedIdentifier) : [nil] {
        let reader = SchemaReader(database)
        let setting = Setting(schema: file, name: name, value: "")
        let value = reader.value(of: setting.pragma)
        guard !reader.hasFailed else { return sqlite3_errcode(database) }
        // A library may lack a setting, for example mmap_size.
        guard !value.isEmpty else { continue }
        found.append(Setting(schema: file, name: name, value: value))
      }
    }
    settings = found
    return SQLITE_OK
  }

  private func original(_ setting: Setting, on database: OpaquePointer) -> String {
    switch setting.name {
    // The value is pending until a VACUUM.
    case "auto_vacuum": SchemaReader(database).value(of: setting.pragma)
    // SQLite reports 2 for FAST, but does not accept the number.
    case "secure_delete" where setting.value.hasSameBytes(as: "2"): "FAST"
    default: setting.value
    }
  }

  /// Requires autocommit mode. If SQLite fails, returns false, and keeps the recorded changes.
  mutating func undo(on database: OpaquePointer) -> Bool {
    var sql = ""
    for setting in settings where changedNames.contains(setting.name) {
      sql += "\(setting.pragma) = \(original(setting, on: database));"
    }
    // Changing temp_store drops all temporary objects.
    sql += "PRAGMA temp_store = MEMORY; PRAGMA temp_store = DEFAULT"
    let code = SQLiteLibrary.trusting(on: database) { sqlite3_exec(database, sql, nil, nil, nil) }
    guard code == SQLITE_OK else { return false }
    self = SessionChanges()
    return true
  }
}
