import Foundation
import Testing

@testable import MiniORM

private let immutable: Configuration = {
  var configuration = Configuration()
  configuration.isImmutable = true
  return configuration
}()

/// Creates an encrypted file with a single row.
private func makeFile(
  _ path: String, mode: Configuration.JournalMode = .wal, key: Key = .raw(testKeyBytes)
) async throws {
  var configuration = Configuration()
  configuration.journalMode = mode
  let database = try await Database(path: path, key: key, configuration: configuration)
  try await database.write { try $0.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
  try await database.close()
}

/// Simulates read-only media, also for root, who ignores permissions. The file gets a name of 252 bytes,
/// so that the names of the -wal and -shm files are too long.
/// - Returns: The new path.
private func block(_ path: String) throws -> String {
  let long = DatabaseFile.parent(path) + "/" + String(repeating: "x", count: 252)
  try FileManager.default.moveItem(atPath: path, toPath: long)
  return long
}

@Suite("Immutable files")
struct ImmutableTests {
  private static let advice =
    "The file is readable, but SQLite could not create the -wal and -shm files beside it. On "
    + "read-only media, open or attach it with isImmutable"

  @Test(
    "a file with a write-ahead log opens as immutable where SQLite cannot create files"
  )
  func opens() async throws {
    try await withTemporaryPath { short throws in
      try await makeFile(short)
      let path = try block(short)
      var readOnly = Configuration()
      readOnly.isReadOnly = true
      let asked = readOnly
      let error = try await failure {
        _ = try await Database(path: path, key: .raw(testKeyBytes), configuration: asked)
      }
      #expect(
        error.facts
          == ErrorFacts(
            .open, error.code,
            Self.advice, path: path))
      #expect(error.code.primary == .cannotOpen)

      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: immutable)
      #expect(immutable.isReadOnly)
      #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
      let write = try await failure {
        try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
      }
      #expect(write.code == .readOnly)
      let rekey = try await failure { try await database.changeKey(to: .raw(testKeyBytes)) }
      #expect(
        rekey.message
          == "Only a file that is open for writing can change its key: open a file without isReadOnly and isImmutable"
      )
      try await database.close()
    }
  }

  @Test(
    "special characters in a path are taken literally",
    arguments: [
      "plain.db", "100%25 %.db", "what?mode=memory&immutable=1#x.db", "file:x.db",
      "e\u{301} é 😀.db",
      "a&b=c;d.db", "'\"\\.db", ":memory:x.db", "\u{7F}\n\t.db",
    ])
  func paths(name: String) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/" + name
      try await makeFile(path)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder).map { Array($0.utf8) } == [
          Array(name.utf8)
        ])
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: immutable)
      #expect(try await database.values("SELECT a FROM t") == [.integer(1)])
      let other = folder + "/other/" + name
      try FileManager.default.createDirectory(
        atPath: folder + "/other", withIntermediateDirectories: false)
      try FileManager.default.copyItem(atPath: path, toPath: other)
      try await database.attach(
        "/" + other, as: "other", key: .raw(testKeyBytes), isImmutable: true)
      #expect(try await database.values("SELECT a FROM other.t") == [.integer(1)])
      try await database.close()
    }
  }

  @Test("changes in a log or journal beside the file are refused, not ignored")
  func changesBeside() async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/main.db"
      try await makeFile(path)
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      try await database.write { try $0.execute("INSERT INTO t VALUES (2)") }
      let copy = folder + "/copy.db"
      for file in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + file, toPath: copy + file)
      }
      try await database.close()
      func refusal(_ file: String) -> ErrorFacts {
        ErrorFacts(
          .open, .cannotOpen,
          "The file cannot be opened as immutable: \(copy)\(file) contains changes that are not in "
            + "the file. Open it once where it is writable", path: copy)
      }
      let log = try await failure {
        _ = try await Database(path: copy, key: .raw(testKeyBytes), configuration: immutable)
      }
      #expect(log.facts == refusal("-wal"))
      let main = try await Database(path: path, key: .raw(testKeyBytes))
      let attached = try await failure {
        try await main.attach(copy, as: "copy", key: .raw(testKeyBytes), isImmutable: true)
      }
      #expect(attached.facts == refusal("-wal"))
      try await main.close()

      try FileManager.default.removeItem(atPath: copy + "-wal")
      try Data([0xd9, 0xd5]).write(to: URL(fileURLWithPath: copy + "-journal"))
      let journal = try await failure {
        _ = try await Database(path: copy, key: .raw(testKeyBytes), configuration: immutable)
      }
      #expect(journal.facts == refusal("-journal"))
      // A finished journal, as left by JournalMode.persist.
      try Data(count: 512).write(to: URL(fileURLWithPath: copy + "-journal"))
      let done = try await Database(path: copy, key: .raw(testKeyBytes), configuration: immutable)
      #expect(try await done.values("SELECT a FROM t") == [.integer(1)])
      try await done.close()
    }
  }

  @Test("an immutable file attached to a writable database stays immutable after changeKey")
  func attached() async throws {
    try await withTemporaryDirectory { folder throws in
      let short = folder + "/other.db"
      let empty = try await Database.inMemory()
      let missing = try await failure {
        try await empty.attach(short, as: "other", key: .raw(testKeyBytes), isImmutable: true)
      }
      #expect(
        missing.facts
          == ErrorFacts(.open, .cannotOpen, "The file does not exist: check the path", path: short))
      #expect(!FileManager.default.fileExists(atPath: short))
      try await empty.close()
      try await makeFile(short)
      let other = try block(short)
      try await makeFile(folder + "/main.db")
      let database = try await Database(path: folder + "/main.db", key: .raw(testKeyBytes))
      let error = try await failure {
        try await database.attach(other, as: "other", key: .raw(testKeyBytes))
      }
      #expect(error.code.primary == .cannotOpen)
      #expect(error.message == Self.advice)
      try await database.attach(other, as: "other", key: .raw(testKeyBytes), isImmutable: true)
      try await database.changeKey(to: .raw([UInt8](100..<132)))
      #expect(try await database.values("SELECT a FROM other.t") == [.integer(1)])
      try await database.write { try $0.execute("INSERT INTO t SELECT a + 1 FROM other.t") }
      let write = try await failure {
        try await database.write { try $0.execute("INSERT INTO other.t VALUES (2)") }
      }
      #expect(write.code == .readOnly)
      #expect(try await database.values("SELECT a FROM t") == [.integer(1), .integer(2)])
      try await database.close()
    }
  }
}
