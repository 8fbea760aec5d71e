import Foundation
import Testing

@testable import MiniORM

@Suite("Authentication codes of pages")
struct PageAuthenticatorTests {
  /// MiniORM checks pages without SQLCipher, whose own check does not reach the log and pages beyond
  /// 4 GiB. Both compute the same HMACs.
  @Test(
    "codes match SQLCipher's for all settings, and any damaged byte is detected",
    arguments: CipherSettingsTests.variants)
  func sameAsSQLCipher(settings: CipherSettings) async throws {
    var configuration = Configuration()
    configuration.cipher = settings
    let salt = settings.plaintextHeaderSize > 0 ? [UInt8](1...16) : nil
    let key = Key.passphrase("correct horse", salt: salt)
    try await withTemporaryPath { path throws in
      let database = try await Database(path: path, key: key, configuration: configuration)
      try await database.write { db in
        try db.execute(
          script: """
            CREATE TABLE t(a INTEGER PRIMARY KEY, b);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO t SELECT i, randomblob(\(settings.pageSize / 3)) FROM n;
            """)
      }
      try await database.checkpoint(.truncate)
      let cipher = try await database.writer.isolated { db in
        try CipherKey(key, fileSalt: DatabaseFile.salt(path, settings), settings: settings)
      }
      func codes() async throws -> [String] {
        try await database.writer.isolated { db in
          try IntegrityCheck.codes("main", try db.handle, key: cipher).map(\.message)
        }
      }
      func codesOfSQLCipher() async throws -> [String] {
        try await database.writer.isolated { db in
          try Connection.rows("PRAGMA main.cipher_integrity_check", try db.handle).map { row in
            guard case .text(let text)? = row.first else { return "\(row)" }
            let page = text.firstMatch(of: #/page (\d+)/#)?.1 ?? "?"
            return "page \(page) is damaged: \(text)"
          }
        }
      }
      let pages = Int(DatabaseFile.size(path)) / settings.pageSize
      try #require(pages > 10)
      guard settings.hmacAlgorithm != nil else {
        #expect(try await codes() == [])
        return
      }
      #expect(try await codesOfSQLCipher() == [])
      #expect(try await codes() == [])
      // A byte in each part of a page: the content, the IV, the HMAC and the padding.
      let places = [
        0, 15, 16, settings.plaintextHeaderSize, 40, settings.pageSize / 2,
        settings.pageSize - settings.reservedSize - 1, settings.pageSize - settings.reservedSize,
        settings.pageSize - settings.reservedSize + 16, settings.pageSize - 13,
        settings.pageSize - 1,
      ]
      var failures = 0
      for (index, place) in places.enumerated() {
        for page in [1, 2 + index % (pages - 1), pages] {
          let offset = UInt64((page - 1) * settings.pageSize + place)
          let byte = try Self.change(path, at: offset) { $0 ^ 0x20 }
          let found = try await codes()
          #expect(try await codesOfSQLCipher() == found, "byte \(place) of page \(page)")
          failures += found.count
          _ = try Self.change(path, at: offset) { _ in byte }
        }
      }
      #expect(failures > places.count)
      // The end of the file is missing.
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.truncate(atOffset: UInt64(pages * settings.pageSize - 100))
      try file.close()
      #expect(try await codes() == codesOfSQLCipher())
      try await database.close()
    }
  }

  /// - Returns: The former byte.
  private static func change(
    _ path: String, at offset: UInt64, _ change: (UInt8) -> UInt8
  ) throws -> UInt8 {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: offset)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data([change(byte)]))
    return byte
  }
}
