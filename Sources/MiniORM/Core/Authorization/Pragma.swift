/// The PRAGMAs that raw SQL may not use, and the PRAGMAs whose effect ends with the closure.
///
/// A PRAGMA is refused if it makes a file unreadable, breaks MiniORM's guarantees, affects the
/// whole process, has no effect, or is lost when ``Database/changeKey(to:)`` reopens the file.
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

  var changesSession: Bool { setsValue && Self.restored[name] != nil }

  var holdsKey: Bool { SecretSQL.pragmas.contains(name) }

  var refusal: String? {
    if let reason = Self.keys[name] ?? Self.actions[name] { return sentence(reason) }
    guard setsValue, !Self.harmless.contains(name) else { return nil }
    if let reason = Self.settings[name] { return sentence(reason) }
    if isInTransaction, let reason = Self.outsideTransactions[name] { return sentence(reason) }
    if isPreparing, let property = Self.properties[name] {
      return sentence("it applies to each connection. Set Configuration.\(property)")
    }
    // Includes PRAGMAs of later SQLCipher versions.
    return name.startsWithBytes(of: "cipher_") ? sentence(Self.format) : nil
  }

  private func sentence(_ reason: String) -> String { "PRAGMA \(name) is refused: \(reason)" }

  // MARK: Refused in each form

  private static let opening =
    "give the key to Database(path:key:), or to attach(_:as:key:) for another file"
  private static let rekeying = "call changeKey(to:), which changes the key of every connection"

  private static let keys = [
    "key": opening, "hexkey": opening, "textkey": opening,
    "rekey": rekeying, "hexrekey": rekeying, "textrekey": rekeying,
  ]

  private static let actions = [
    "cipher_migrate":
      "it replaces the file under open connections. Call Database.upgrade(path:key:) before the "
      + "file is opened"
  ]

  // MARK: Refused with a value

  private static let format =
    "it would apply to a single connection or to the whole process. Set Configuration.cipher"
  private static let memory =
    "SQLCipher keeps temporary tables in memory, so that their rows never reach a disk "
    + "unencrypted. Leave out the PRAGMA"
  private static let names =
    "MiniORM reads results by SQLite's default column names and rows. Keep the default"
  private static let log =
    "it applies to the whole process. Set Configuration.cipherLogLevel"
  private static let heap =
    "it would apply to every SQLite connection of the process. Call releaseMemory()"
  private static let synchronizing = "changeKey(to:) would reset it. Set Configuration."

  private static let settings: [String: String] = [
    // The encryption of this file, or of all files opened later. SQLCipher treats page_size as
    // cipher_page_size.
    "page_size": format, "cipher": format, "kdf_iter": format, "fast_kdf_iter": format,
    "rekey_kdf_iter": format, "rekey_cipher": format,
    // The profile contains SQL with values.
    "cipher_license": "set Configuration.cipherLicense, which keeps the code out of SQL",
    "cipher_log": log, "cipher_log_level": log, "cipher_log_source": log,
    "cipher_profile":
      "it writes SQL and its values to an unencrypted file. Set Configuration.trace",
    // Files that SQLite would write unencrypted.
    "temp_store": memory, "temp_store_directory": memory, "data_store_directory": memory,
    "writable_schema": "change the schema by SQL, or by migrate(_:)",
    "schema_version":
      "SQLite maintains this number, and a wrong value damages the file. Use PRAGMA user_version",
    "trusted_schema":
      "a schema from an untrusted source could then call functions with side effects. Declare the "
      + "SQLFunction with innocuous: true",
    "ignore_check_constraints":
      "rows that violate a CHECK would remain. Change the constraint by migrate(_:)",
    "case_sensitive_like":
      "indexes and constraints that use LIKE would become wrong. Compare with GLOB",
    "encoding": "MiniORM stores text as UTF-8. Leave out the PRAGMA",
    "journal_mode": "changeKey(to:) would reset it. Set Configuration.journalMode",
    "synchronous": synchronizing + "synchronous", "fullfsync": synchronizing + "fullfsync",
    "checkpoint_fullfsync": synchronizing + "fullfsync",
    "locking_mode": "the connections of a Database share its file. Leave out the PRAGMA",
    "query_only":
      "call read(_:) for read-only access, or open the file with Configuration.isReadOnly",
    "wal_autocheckpoint":
      "MiniORM runs the checkpoints. Call checkpoint(_:) to run a checkpoint at another time",
    "soft_heap_limit": heap, "hard_heap_limit": heap,
    "count_changes": names, "empty_result_callbacks": names, "full_column_names": names,
    "short_column_names": names,
  ]

  private static let outsideTransactions = [
    "foreign_keys":
      "SQLite ignores it in a transaction. Set it in withoutTransaction(_:), or "
      + "Configuration.foreignKeysEnabled for the whole database"
  ]

  /// The settings of a connection that have a property. A closure may change them until it ends.
  private static let properties = [
    "cache_size": "cacheSize", "foreign_keys": "foreignKeysEnabled",
  ]

  /// The PRAGMAs whose values are restored after the closure. The value is true for a setting per
  /// file. A change of auto_vacuum between FULL and INCREMENTAL stays: SQLite writes it to the file.
  static let restored = [
    "analysis_limit": false, "auto_vacuum": false, "automatic_index": false, "cache_spill": false,
    "cell_size_check": false, "defer_foreign_keys": false, "foreign_keys": false,
    "legacy_alter_table": false, "read_uncommitted": false, "recursive_triggers": false,
    "reverse_unordered_selects": false, "threads": false,
    "cache_size": true, "journal_size_limit": true, "max_page_count": true, "mmap_size": true,
    "secure_delete": true,
  ]

  private static let harmless: Set<String> = ["cipher_add_random", "cipher_memory_security"]
}
