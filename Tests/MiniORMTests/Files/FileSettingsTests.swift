import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

@Suite("File operations with other cipher settings")
struct FileSettingsTests {
  private static let salt = [UInt8](200..<216)
  private static let rows = 400
  private static let script = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
    CREATE INDEX t_b ON t(b);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
    INSERT INTO t SELECT i, i || hex(zeroblob(i)) FROM n;
    """

  /// The rows, for any file.
  private static func contents(
    _ path: String, _ key: Key?, _ configuration: Configuration
  ) async throws -> [DatabaseValue] {
    let database = try await Database(path: path, key: key, configuration: configuration)
    let values = try await database.read { db in
      try db.query("SELECT count(*), total(length(b)), max(b) FROM t").first?.values
    }
    #expect(try await database.values("PRAGMA integrity_check") == [.text("ok")])
    try await database.close()
    return values ?? []
  }

  /// Overwrites bytes in the middle of a page.
  private static func damage(_ path: String, page: Int, _ settings: CipherSettings) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64((page - 1) * settings.pageSize + settings.pageSize / 2))
    try file.write(contentsOf: Data("DAMAGE DAMAGE DAMAGE".utf8))
  }

  // Exports change SQLCipher's process-wide defaults briefly.

  @Test("every file operation keeps the settings of the configuration")
  func settings() async throws {
    for index in CipherSettingsTests.variants.indices {
      await #expect(
        processExitsWith: .success, "\(CipherSettingsTests.variants[index])"
      ) { [index = index as Int] in
        try await Self.check(CipherSettingsTests.variants[index])
      }
    }
  }

  private static func check(_ settings: CipherSettings) async throws {
    var configuration = Configuration()
    configuration.cipher = settings
    let salt = settings.plaintextHeaderSize > 0 ? Self.salt : nil
    let key = Key.passphrase("old", salt: salt)
    let new = Key.raw(testKeyBytes, salt: salt)
    try await withTemporaryDirectory { folder throws in
      func path(_ name: String) -> String { "\(folder)/\(name).db" }
      let database = try await Database(path: path("a"), key: key, configuration: configuration)
      try await database.write { try $0.execute(script: Self.script) }
      #expect(try await database.integrityReport().isEmpty)
      try await database.backup(to: path("same"))
      try await database.backup(to: path("other"), key: new)
      try await database.backup(to: path("plain"), key: nil)
      try await database.export(to: path("exported"), key: new)
      let expected = try await contents(path("same"), key, configuration)
      #expect(expected.first == .integer(Int64(Self.rows)))
      for (name, key) in [("other", new), ("plain", nil), ("exported", new)] {
        #expect(try await contents(path(name), key, configuration) == expected, "\(name)")
      }
      for (name, key) in [("same", key), ("other", new)] {
        let report = try await Database.verify(
          path: path(name), key: key, configuration: configuration)
        #expect(report.isEmpty, "\(name): \(report)")
      }
      for (name, key) in [("other", new), ("plain", nil)] {
        try await database.write { try $0.execute("DELETE FROM t WHERE a > 5") }
        try await database.restore(from: path(name), key: key)
        #expect(
          try await database.values("SELECT count(*) FROM t") == [.integer(Int64(Self.rows))])
      }
      #expect(try await database.cipherSettings() == settings)
      try await database.close()

      try await Database.encrypt(path: path("plain"), key: key, configuration: configuration)
      #expect(try await contents(path("plain"), key, configuration) == expected)
      try await Database.decrypt(path: path("plain"), key: key, configuration: configuration)
      #expect(try await contents(path("plain"), nil, configuration) == expected)

      // With HMACs the damaged page is identified, and rows on other pages survive.
      let page = 4
      try damage(path("same"), page: page, settings)
      if settings.hmacAlgorithm != nil {
        let report = try await Database.verify(
          path: path("same"), key: key, configuration: configuration)
        #expect(report.damagedPages == [page])
      }
      let report = try await Database.salvage(
        path: path("same"), key: key, to: path("salvaged"), configuration: configuration)
      let salvaged = try await Database(
        path: path("salvaged"), key: key, configuration: configuration)
      let count = try await salvaged.values("SELECT count(*) FROM t").first
      #expect(count == report.tables.first { $0.name == "t" }.map { .integer(Int64($0.rowCount)) })
      guard case .integer(let rows)? = count else {
        Issue.record("no table")
        return
      }
      #expect(rows > 0 && rows <= Self.rows)
      #expect(try await salvaged.cipherSettings() == settings)
      try await salvaged.close()
      // A wrong key is not reported as damage.
      let wrong = try await failure {
        try await Database.salvage(
          path: path("other"), key: .raw(testKeyBytes.reversed(), salt: salt), to: path("no"),
          configuration: configuration)
      }
      #expect(wrong.openingFailure == .wrongKey)
      #expect(try names(in: folder).filter { $0.contains("miniorm") } == [])
    }
  }
}
