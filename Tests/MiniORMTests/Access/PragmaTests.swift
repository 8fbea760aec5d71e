import Testing

@testable import MiniORM

/// The spellings of a PRAGMA with a value.
private func spellings(_ name: String, _ value: String = "1") -> [String] {
  [
    "PRAGMA \(name) = \(value)", "pragma/* = */\(name.uppercased())(\(value))",
    "-- read\nPRAGMA main.\"\(name)\" = '\(value)'", "PRAGMA [\(name)]=\(value);",
    "EXPLAIN PRAGMA \(name) = \(value)", "EXPLAIN QUERY PLAN PRAGMA `\(name)`(\(value))",
  ]
}

@Suite("Refused raw SQL")
struct PragmaTests {
  /// Includes a name that a later SQLCipher may add.
  static let refused =
    [
      "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "cipher_default_use_hmac",
      "cipher_page_size", "cipher_default_page_size", "cipher_use_hmac", "cipher_salt",
      "cipher_plaintext_header_size", "cipher_default_plaintext_header_size",
      "cipher_compatibility",
      "cipher_default_compatibility", "cipher_hmac_algorithm", "cipher_default_hmac_algorithm",
      "cipher_kdf_algorithm", "cipher_default_kdf_algorithm", "cipher_default_kdf_iter", "kdf_iter",
      "page_size", "fast_kdf_iter", "rekey_kdf_iter", "rekey_cipher", "cipher", "cipher_hmac_pgno",
      "cipher_hmac_salt_mask", "cipher_store_pass", "cipher_license", "cipher_migrate",
      "cipher_profile", "cipher_log",
      "cipher_log_level", "cipher_log_source", "cipher_of_tomorrow", "temp_store",
      "temp_store_directory", "data_store_directory", "writable_schema", "schema_version",
      "trusted_schema", "encoding", "journal_mode", "locking_mode", "synchronous", "fullfsync",
      "checkpoint_fullfsync", "case_sensitive_like", "ignore_check_constraints", "count_changes",
      "empty_result_callbacks", "full_column_names", "short_column_names", "query_only",
      "wal_autocheckpoint", "soft_heap_limit", "hard_heap_limit", "cache_size",
    ] + Pragma.settings.sorted()

  @Test(
    "a PRAGMA that makes a file unreadable or unsafe is refused, in any spelling",
    arguments: refused, [false, true])
  func refusals(name: String, isAttached: Bool) async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") {
      database in
      if isAttached {
        try await database.attach(database.path + "2", as: "other", key: .raw(testKeyBytes))
      }
      for sql in spellings(name) {
        for isScript in [false, true] {
          let error = try await failure {
            try await database.write { db in
              if isScript { try db.execute(script: sql) } else { try db.execute(SQL(raw: sql)) }
            }
          }
          #expect(error.code == .misuse, "\(sql): \(error)")
          #expect(error.operation == .prepare, "\(sql): \(error)")
          #expect(error.message.hasPrefix("PRAGMA \(name) is refused: "), "\(sql): \(error)")
        }
      }
      // The file is unchanged: a new connection with the same key reads it.
      try await database.close()
      let again = try await Database(path: database.path, key: .raw(testKeyBytes))
      #expect(try await again.values("SELECT a FROM t") == [.integer(1)])
      try await again.close()
      try Database.delete(path: database.path + "2")
    }
  }

  /// PRAGMAs that are allowed with a value: they read, change the file, change a protected SQLite
  /// setting, or end with the transaction or the closure.
  static let allowed: Set<String> = [
    "application_id", "auto_vacuum", "busy_timeout", "collation_list", "compile_options",
    "data_version", "database_list", "default_cache_size", "defer_foreign_keys",
    "foreign_key_check", "foreign_key_list", "foreign_keys",
    "freelist_count", "function_list", "incremental_vacuum", "index_info", "index_list",
    "index_xinfo", "integrity_check", "legacy_file_format", "lock_proxy_file", "lock_status",
    "module_list", "optimize", "page_count", "parser_trace", "pragma_list", "quick_check",
    "shrink_memory", "sql_trace", "stats", "table_info", "table_list", "table_xinfo",
    "user_version", "vdbe_addoptrace", "vdbe_debug", "vdbe_eqp", "vdbe_listing", "vdbe_trace",
    "wal_checkpoint",
  ]

  @Test("every PRAGMA of this SQLite library is either allowed or refused")
  func decided() async throws {
    let database = try await Database.inMemory()
    let names = try await database.values("SELECT name FROM pragma_pragma_list")
    #expect(!names.isEmpty)
    for case .text(let name) in names {
      let isDeferring = name == "defer_foreign_keys"
      let isRefused =
        Pragma(name: name, setsValue: true, isInTransaction: isDeferring).refusal != nil
      #expect(isRefused == Self.refused.contains(name), "\(name)")
      #expect(isRefused != Self.allowed.contains(name), "\(name)")
    }
    for name in ["cipher_memory_security", "cipher_add_random", "Key\u{0301}", "\u{212A}ey"] {
      #expect(Pragma(name: name, setsValue: true).refusal == nil)
    }
    try await database.close()
  }

  @Test("the refusal names the remedy, and contains neither the SQL nor a key")
  func messages() async throws {
    try await withTemporaryDatabase { database in
      let cases = [
        (
          "PRAGMA rekey = 'secret'",
          ErrorFacts(
            .prepare, .misuse,
            "PRAGMA rekey is refused: call changeKey(to:), which changes the key of every connection"
          )
        ),
        (
          "PRAGMA \"Key\"('secret')",
          ErrorFacts(
            .prepare, .misuse,
            "PRAGMA key is refused: give the key to Database(path:key:), or to attach(_:as:key:) for another file"
          )
        ),
        (
          "ATTACH 'x.db' AS x KEY 'secret'",
          ErrorFacts(.prepare, .misuse, "ATTACH is refused: call Database.attach(_:as:key:)")
        ),
        (
          "DETACH main",
          ErrorFacts(
            .prepare, .misuse, "DETACH is refused: call Database.detach(_:)", sql: "DETACH main")
        ),
        (
          "SELECT Load_Extension('x')",
          ErrorFacts(
            .prepare, .misuse,
            "load_extension is refused: write the function in Swift, and list it in Configuration.functions",
            sql: "SELECT Load_Extension('x')")
        ),
        (
          "PRAGMA synchronous = OFF",
          ErrorFacts(
            .prepare, .misuse,
            "PRAGMA synchronous is refused: changeKey(to:) would reset it. Set Configuration.synchronous",
            sql: "PRAGMA synchronous = OFF")
        ),
      ]
      for (sql, facts) in cases {
        let error = try await failure {
          try await database.write { try $0.execute(SQL(raw: sql)) }
        }
        #expect(error.facts == facts)
        let script = try await failure {
          try await database.write { try $0.execute(script: "SELECT 1; \(sql); SELECT 'rest'") }
        }
        #expect(script.message == facts.message)
        #expect(script.sql == facts.sql.map { " \($0); SELECT 'rest'" })
      }
    }
  }

  @Test("reading PRAGMA values and VACUUM remain possible, and so do SQLite's internal statements")
  func harmless() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
      try await database.write {
        try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      }
      let values: [DatabaseValue?] = try await database.write { db in
        try [
          "cipher_page_size", "cipher_use_hmac", "kdf_iter", "cipher_plaintext_header_size",
          "temp_store", "writable_schema", "trusted_schema", "journal_mode", "synchronous",
          "encoding",
        ].map { try db.query("PRAGMA \(raw: $0)").first?.values.first }
      }
      let expected: [DatabaseValue] = [
        .text("4096"), .text("1"), .text("256000"), .text("0"), .integer(0), .integer(0),
        .integer(0), .text("wal"), .integer(2), .text("UTF-8"),
      ]
      #expect(values == expected)
      for sql: SQL in [
        "PRAGMA cipher_version", "PRAGMA cipher_settings", "PRAGMA cipher_integrity_check",
        "PRAGMA optimize", "PRAGMA user_version = 3", "PRAGMA cipher_memory_security",
        "SELECT * FROM pragma_table_info('t')", "SELECT * FROM pragma_journal_mode",
      ] { try await database.write { db in _ = try db.query(sql) } }
      try await database.writer.run("VACUUM")
      try await database.writer.run("/* a copy */ VACUUM INTO \(folder + "/copy.db")")
      let copy = try await Database(path: folder + "/copy.db", key: .raw(testKeyBytes))
      #expect(try await copy.values("SELECT a FROM t") == [.integer(1)])
      try await copy.close()
      // ATTACH is refused again after VACUUM.
      let error = try await failure { try await database.writer.run("ATTACH 'x' AS x") }
      #expect(error.message == "ATTACH is refused: call Database.attach(_:as:key:)")
      try await database.close()
    }
  }

  @Test("internal SQL of the library may run refused statements, also on an open connection")
  func trusted() async throws {
    let database = try await Database.inMemory()
    try await database.writer.isolated(nil) { db in
      _ = try Connection.text("PRAGMA ignore_check_constraints = ON", db.handle)
      #expect(try Connection.text("PRAGMA ignore_check_constraints", db.handle) == "1")
      #expect(throws: DatabaseError.self) {
        try db.execute("PRAGMA ignore_check_constraints = OFF")
      }
      #expect(try Connection.text("PRAGMA ignore_check_constraints", db.handle) == "1")
    }
    try await database.close()
  }

  @Test(
    "a key is in no error, even if its statement does not parse",
    arguments: [
      "PRAGMA key = 'sec'ret'", "pragma main.rekey('sec'ret')", "PRAGMA/* */hexkey='sec'ret'",
      "SELECT 1 WHERE (; PRAGMA key = 'secret'", "SELECT '; PRAGMA key = 'secret'",
      "ATTACH 'x' AS y KEY 'sec'ret'", "Attach DATABASE 'x' AS y\nKey 'secret",
      "PRAGMA key = secret 'x'",
      "SELECT * FROM pragma_key('sec'ret')", "PRAGMA key = \u{201C}secret\u{201D}",
    ])
  func unparsed(sql: String) async throws {
    try await withTemporaryDatabase { database in
      let raw = try await failure {
        try await database.write { db in _ = try db.execute("\(raw: sql)") }
      }
      let script = try await failure {
        try await database.write { db in try db.execute(script: sql) }
      }
      for error in [raw, script] {
        #expect(!"\(error) \(error.message)".contains("ret"))
        #expect(error.sql == nil && error.sqlOffset == nil)
        #expect(error.operation == .prepare)
      }
    }
  }

  @Test("an error shows a statement without a key")
  func shown() async throws {
    try await withTemporaryDatabase { database in
      for sql in [
        "PRAGMA user_version = 'a'b'", "SELECT key FROM t", "SELECT attached, keys FROM t",
      ] {
        let error = try await failure {
          try await database.read { db in _ = try db.query("\(raw: sql)") }
        }
        #expect(error.sql == sql)
      }
    }
  }

  @Test("a table-valued function, a view, a trigger and a migration cannot bypass the refusal")
  func detours() async throws {
    try await withTemporaryDatabase(script: "CREATE TABLE t(a)") { database in
      for name in Self.refused {
        let error = try await failure {
          _ = try await database.read { db in
            try db.query("SELECT * FROM \(identifier: "pragma_" + name)('1')")
          }
        }
        #expect(error.code == .error || error.code == .misuse, "\(error)")
      }
      let schema = DatabaseSchema(
        version: 2,
        steps: [DatabaseSchema.Step(to: 2, "unsafe", .sql("PRAGMA writable_schema = ON"))])
      try await database.adopt(version: 1)
      let error = try await failure { try await database.migrate(schema) }
      #expect(
        error.facts
          == ErrorFacts(
            .migrate, .misuse,
            "Step 2 (unsafe): PRAGMA writable_schema is refused: change the schema by SQL, or by migrate(_:)",
            sql: "PRAGMA writable_schema = ON", path: database.path))
    }
  }

  @Test("a library built for a single thread is refused")
  func threads() throws {
    let error = #expect(throws: DatabaseError.self) { try Connection.checkThreads(0) }
    #expect(
      error?.facts
        == ErrorFacts(
          .open, .misuse,
          "The SQLite library in this process was built for a single thread (SQLITE_THREADSAFE=0): link a library built with SQLITE_THREADSAFE=1 or 2"
        ))
    try Connection.checkThreads(1)
    try Connection.checkThreads(2)
  }
}

extension Connection {
  /// Runs a statement outside any transaction.
  fileprivate func run(_ sql: SQL) throws { try execute(sql) }
}
