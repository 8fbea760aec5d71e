import Testing

@testable import MiniORM

@Suite("Durability settings")
struct DurabilityTests {
  private static let modes: [Configuration.JournalMode] = [.wal, .delete, .truncate, .persist]

  @Test("by default, each commit waits for the disk")
  func byDefault() {
    let configuration = Configuration()
    #expect(configuration.synchronous == .full)
    #expect(configuration.fullfsync == false)
    #expect(configuration.cipherLogLevel == .off)
  }

  @Test(
    "synchronous and fullfsync apply to the file and to attached files, also after changeKey",
    arguments: [
      (Configuration.Synchronous.off, 0), (.normal, 1), (.full, 2), (.extra, 3),
    ] as [(Configuration.Synchronous, Int64)], modes)
  func settings(setting: (Configuration.Synchronous, Int64), mode: Configuration.JournalMode)
    async throws
  {
    var configuration = Configuration()
    configuration.journalMode = mode
    configuration.synchronous = setting.0
    configuration.fullfsync = setting.0 == .full
    let asked = configuration
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(
        path: folder + "/main.db", key: .raw(testKeyBytes), configuration: asked)
      try await database.attach(folder + "/other.db", as: "other", key: .raw(testKeyBytes))
      let expected: [DatabaseValue?] = [
        .integer(setting.1), .integer(setting.1), .integer(asked.fullfsync ? 1 : 0),
        .text(mode.rawValue.lowercased()), .text(mode.rawValue.lowercased()),
      ]
      // SQLite holds a lock on a new WAL file until the first write.
      try await database.write { _ in }
      for key in [testKeyBytes, [UInt8](100..<132)] {
        try await database.changeKey(to: .raw(key))
        let settings = try await database.write { db in
          try [
            "main.synchronous", "other.synchronous", "fullfsync", "main.journal_mode",
            "other.journal_mode",
          ].map { try db.query("PRAGMA \(raw: $0)").first?.values.first }
        }
        #expect(settings == expected)
      }
      try await database.close()
    }
  }

  @Test("SQLCipher's log has the configured level")
  func logLevel() async throws {
    try await withTemporaryPath { path throws in
      var configuration = Configuration()
      configuration.cipherLogLevel = .error
      let asked = configuration
      // Other tests set the process-wide log level when they open a file, so several attempts may
      // be needed.
      var levels: Set<DatabaseValue> = []
      for _ in 0..<200 where !levels.contains(.text("ERROR")) {
        let database = try await Database(path: path, key: .raw(testKeyBytes), configuration: asked)
        levels.formUnion(try await database.values("PRAGMA cipher_log_level"))
        try await database.close()
      }
      #expect(levels.contains(.text("ERROR")))
      try await Database(path: path, key: .raw(testKeyBytes)).close()
    }
  }
}
