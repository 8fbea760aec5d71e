/// The PRAGMAs that raw SQL may not use.
///
/// A PRAGMA is refused if it makes a file unreadable, breaks MiniORM's guarantees, affects the
/// whole process or the next closure on the same connection, has no effect, or is lost when
/// ``Database/changeKey(to:)`` reopens the file.
///
/// See [SQLite's PRAGMAs](https://www.sqlite.org/pragma.html) and
/// [SQLCipher's](https://www.zetetic.net/sqlcipher/sqlcipher-api/).
struct Pragma {
  let name: String
  let setsValue: Bool
  let isInTransaction: Bool
  /// True in Configuration.prepare.
  let isPreparing: Bool

  init(
    name: String, setsValue: Bool, isInTransaction: Bool = false, isPreparing: Bool = false
  ) {
    self.name = name.folded.string
    (self.setsValue, self.isInTransaction) = (setsValue, isInTransaction)
    self.isPreparing = isPreparing
  }

  /// True for the settings of a connection that a closure may change until it ends.
  var changesSession: Bool { setsValue && ["foreign_keys", "auto_vacuum"].contains(name) }

  var holdsKey: Bool { SecretSQL.pragmas.contains(name) }

  var refusal: String? { reason.map { "PRAGMA \(name) is refused: \($0)" } }

  private var reason: String? {
    switch name {
    case "key", "hexkey", "textkey":
      return "give the key to Database(path:key:), or to attach(_:as:key:) for another file"
    case "rekey", "hexrekey", "textrekey":
      return "call changeKey(to:), which changes the key of every connection"
    case "cipher_migrate":
      return "it replaces the file under open connections. Call Database.upgrade(path:key:) before "
        + "the file is opened"
    case _ where !setsValue, "cipher_add_random", "cipher_memory_security": return nil
    case "foreign_keys" where isInTransaction:
      return "SQLite ignores it in a transaction. Set it in withoutTransaction(_:), or "
        + "Configuration.foreignKeysEnabled for the whole database"
    case "foreign_keys":
      return isPreparing ? Self.ofEachConnection + "foreignKeysEnabled" : nil
    case "defer_foreign_keys":
      return isInTransaction ? nil : "it ends with the next commit. Set it in a transaction"
    default: break
    }
    if let reason = Self.reasons[name] { return reason }
    if !isPreparing, Self.settings.contains(name) { return Self.ofEachConnection + "prepare" }
    // Includes PRAGMAs of later SQLCipher versions.
    return name.startsWithBytes(of: "cipher_") ? Self.ofProcess + "cipher" : nil
  }

  private static let ofEachConnection = "it applies to each connection. Set Configuration."
  private static let ofProcess =
    "it would apply to a single connection or to the whole process. Set Configuration."
  private static let lost = "changeKey(to:) would reset it. Set Configuration."
  private static let kept = "MiniORM relies on its value. Leave out the PRAGMA"
  private static let schema = "change the schema by SQL, or by migrate(_:)"

  private static let reasons: [String: String] = [
    "cache_size": ofEachConnection + "cacheSize",
    // SQLCipher treats page_size as cipher_page_size.
    "page_size": ofProcess + "cipher", "cipher": ofProcess + "cipher",
    "kdf_iter": ofProcess + "cipher", "fast_kdf_iter": ofProcess + "cipher",
    "rekey_kdf_iter": ofProcess + "cipher", "rekey_cipher": ofProcess + "cipher",
    "cipher_license": ofProcess + "cipherLicense", "cipher_log": ofProcess + "cipherLogLevel",
    "cipher_log_level": ofProcess + "cipherLogLevel",
    "cipher_log_source": ofProcess + "cipherLogLevel",
    // The profile contains SQL with values, unencrypted.
    "cipher_profile": ofProcess + "trace",
    "journal_mode": lost + "journalMode", "synchronous": lost + "synchronous",
    "fullfsync": lost + "fullfsync", "checkpoint_fullfsync": lost + "fullfsync",
    // A wrong schema_version damages the file. A trusted schema could call functions with side
    // effects.
    "writable_schema": schema, "schema_version": schema, "trusted_schema": schema,
    "ignore_check_constraints": schema,
    // Temporary tables in files would be unencrypted. Constraints and indexes may use LIKE.
    "temp_store": kept, "temp_store_directory": kept, "data_store_directory": kept,
    "case_sensitive_like": kept, "encoding": kept, "locking_mode": kept, "count_changes": kept,
    "empty_result_callbacks": kept, "full_column_names": kept, "short_column_names": kept,
    "query_only": "call read(_:), or set Configuration.isReadOnly",
    "wal_autocheckpoint": "MiniORM runs the checkpoints. Call checkpoint(_:) for a further one",
    "soft_heap_limit": "it applies to the whole process. Call releaseMemory()",
    "hard_heap_limit": "it applies to the whole process. Call releaseMemory()",
  ]

  /// The settings of a connection, which would also apply to the next closure.
  static let settings: Set<String> = [
    "analysis_limit", "automatic_index", "cache_spill", "cell_size_check", "journal_size_limit",
    "legacy_alter_table", "max_page_count", "mmap_size", "read_uncommitted", "recursive_triggers",
    "reverse_unordered_selects", "secure_delete", "threads",
  ]
}
