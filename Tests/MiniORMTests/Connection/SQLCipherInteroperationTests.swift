import CSQLCipher
import Foundation
import MiniORM
import Testing

/// Uses SQLCipher directly through its C API.
@Suite("Interoperation with SQLCipher")
struct SQLCipherInteroperationTests {
  struct Failure: Error {
    let code: Int32
  }

  /// Opens a file with `sqlite3_key`, runs SQL and returns the first value.
  private static func run(_ sql: String, path: String, key: [UInt8]) throws -> String? {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    var code = sqlite3_open_v2(
      path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
    if code == SQLITE_OK { code = sqlite3_key(database, key, Int32(key.count)) }
    guard code == SQLITE_OK else { throw Failure(code: code) }
    var result: String?
    var rest: UnsafePointer<CChar>?
    return try sql.withCString { text in
      rest = text
      while let start = rest, start.pointee != 0 {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        code = sqlite3_prepare_v2(database, start, -1, &statement, &rest)
        if code == SQLITE_OK { code = sqlite3_step(statement) }
        guard code == SQLITE_ROW || code == SQLITE_DONE else { throw Failure(code: code) }
        if code == SQLITE_ROW {
          result = sqlite3_column_text(statement, 0).map { String(cString: $0) }
        }
      }
      return result
    }
  }

  static let passphrases: [[UInt8]] = [
    Array("it's a \"secret\" 🔑".utf8), [0xFF, 0x00, 0xC3, 0x28],
  ]

  @Test("SQLCipher opens a file of MiniORM with the same passphrase", arguments: passphrases)
  func written(bytes: [UInt8]) async throws {
    try await withTemporaryDatabase(
      key: .passphrase(bytes: bytes), script: "CREATE TABLE t(a); INSERT INTO t VALUES ('seen')"
    ) { database in
      try await database.close()
      #expect(try Self.run("SELECT a FROM t", path: database.path, key: bytes) == "seen")
    }
  }

  @Test("MiniORM opens a file of SQLCipher with the same passphrase", arguments: passphrases)
  func read(bytes: [UInt8]) async throws {
    try await withTemporaryPath { path in
      _ = try Self.run("CREATE TABLE t(a); INSERT INTO t VALUES ('seen')", path: path, key: bytes)
      let database = try await Database(path: path, key: .passphrase(bytes: bytes))
      #expect(try await database.values("SELECT a FROM t") == [.text("seen")])
      try await database.close()
    }
  }

  @Test("a raw key equals SQLCipher's key x'…'", arguments: [true, false])
  func raw(hasSalt: Bool) async throws {
    let salt = [UInt8](50..<66)
    let digits = (testKeyBytes + (hasSalt ? salt : []))
      .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let text = Array("x'\(digits)'".utf8)
    try await withTemporaryDatabase(
      key: .raw(testKeyBytes, salt: hasSalt ? salt : nil),
      script: "CREATE TABLE t(a); INSERT INTO t VALUES ('seen')"
    ) { database in
      try await database.close()
      #expect(try Self.run("SELECT a FROM t", path: database.path, key: text) == "seen")
      _ = try Self.run("INSERT INTO t VALUES ('more')", path: database.path, key: text)
      let again = try await Database(path: database.path, key: .raw(testKeyBytes))
      #expect(try await again.values("SELECT a FROM t") == [.text("seen"), .text("more")])
      try await again.close()
    }
  }

  @Test("SQLite reads a file that MiniORM did not encrypt")
  func plain() async throws {
    try await withTemporaryPath { path in
      let database = try await Database(path: path, key: nil)
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      try await database.close()
      let head = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(16)
      #expect(head == Data("SQLite format 3\0".utf8))
    }
  }
}
