import Foundation
import Testing

@testable import MiniORM

@Suite("File operations at unusual paths")
struct HostilePathTests {
  private static let key = Key.raw(testKeyBytes)
  private static let script = """
    CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO t SELECT i, randomblob(200) FROM n;
    """

  private static func permissions(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("each byte that a URI does not allow is percent-encoded")
  func uris() {
    let plain = "azAZ/09.-_"
    for byte in UInt8(0)...127 {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        plain.unicodeScalars.contains(scalar) || scalar.properties.isAlphabetic
        || scalar.properties.numericType != nil
      let written = isPlain ? "\(scalar)" : "%" + [byte].hexadecimal
      #expect(DatabaseFile.name("/a\(scalar)", isImmutable: false) == "file:///a" + written)
    }
    #expect(DatabaseFile.name("é?", isImmutable: true) == "file:%c3%a9%3f?immutable=1&mode=ro")
  }

  @Test(
    "encrypting a file with two hard links is refused",
    arguments: ["encrypt", "decrypt", "upgrade"])
  func hardLinks(operation: String) async throws {
    try await withTemporaryDirectory { folder throws in
      let (path, other) = (folder + "/a.db", folder + "/other.db")
      let key = "x'\(testKeyBytes.hexadecimal)'"
      switch operation {
      case "encrypt": try runSQL(Self.script, on: path)
      case "decrypt": try runSQL(Self.script, on: path, key: key)
      default: try runSQL("PRAGMA cipher_compatibility = 3;" + Self.script, on: path, key: key)
      }
      try FileManager.default.linkItem(atPath: path, toPath: other)
      func run() async throws {
        switch operation {
        case "encrypt": try await Database.encrypt(path: path, key: Self.key)
        case "decrypt": try await Database.decrypt(path: path, key: Self.key)
        default: try await Database.upgrade(path: path, key: Self.key)
        }
      }
      let before = try Data(contentsOf: URL(fileURLWithPath: other))
      let error = try await failure { try await run() }
      #expect(error.operation == .copy && error.code == .misuse)
      #expect(
        error.message
          == "The file has 2 hard links, and the operation would replace only this one: delete the other links first"
      )
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      #expect(try names(in: folder) == ["a.db", "other.db"])
      try FileManager.default.removeItem(atPath: other)
      try await run()
    }
  }

  @Test("a backup does not replace a special file")
  func noFile() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/a.db", key: Self.key)
      let pipe = folder + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/link", withDestinationPath: "pipe")
      for name in ["pipe", "link"] {
        let error = try await failure {
          try await database.backup(to: "\(folder)/\(name)", replacing: true)
        }
        #expect(error.operation == .copy && error.code == .cannotOpen)
        #expect(error.message == "\(pipe) is not a regular file: choose another path")
      }
      let type = try FileManager.default.attributesOfItem(atPath: pipe)[.type]
      #expect(type as? FileAttributeType != .typeRegular)
      try await database.close()
    }
  }

  @Test("as many symbolic links are followed as by the system")
  func manyLinks() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder + "/a.db"
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      var (last, count) = (path, 0)
      // Creates links up to the system's limit: 40 on Linux, 32 elsewhere.
      while true {
        count += 1
        let link = "\(folder)/\(count)"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: last)
        guard access(link, F_OK) == 0 else { break }
        #expect(DatabaseFile.resolved(link) == path, "\(count)")
        last = link
      }
      #expect(count > 32)
    }
  }

  @Test("a backup that replaces a hard link keeps the old contents under the other link")
  func replacedLink() async throws {
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/a.db", key: Self.key)
      try await database.backup(to: folder + "/b.db")
      try FileManager.default.linkItem(atPath: folder + "/b.db", toPath: folder + "/c.db")
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      try await database.backup(to: folder + "/b.db", replacing: true)
      // A hard link to the database itself.
      try FileManager.default.linkItem(atPath: folder + "/a.db", toPath: folder + "/d.db")
      let error = try await failure {
        try await database.backup(to: folder + "/d.db", replacing: true)
      }
      #expect(error.code == .busy)
      try await database.close()
      for (name, count) in [("b.db", 1), ("c.db", 0), ("d.db", 1)] {
        let file = try await Database(path: "\(folder)/\(name)", key: Self.key)
        #expect(
          try await file.values("SELECT count(*) FROM sqlite_schema") == [.integer(Int64(count))])
        try await file.close()
      }
    }
  }

  @Test("the converted copy of a restore is readable only by its owner")
  func privateConversion() async throws {
    try await withTemporaryDirectory { folder throws in
      let backup = folder + "/backup.db"
      try runSQL(Self.script, on: backup, key: "x'\(testKeyBytes.hexadecimal)'")
      // An encrypted file may be readable by everyone.
      try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: backup)
      let place = folder + "/place"
      try FileManager.default.createDirectory(
        atPath: place, withIntermediateDirectories: false)
      let database = try await Database(path: place + "/plain.db", key: nil)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: place + "/plain.db")
      let seen = Fractions()
      try await database.restore(from: backup, key: Self.key) { _ in
        for name in (try? names(in: place)) ?? [] where name.contains("miniorm-") {
          seen.append(Double((try? Self.permissions("\(place)/\(name)")) ?? 0))
        }
      }
      #expect(!seen.all.isEmpty && seen.all.allSatisfy { $0 == Double(0o600) }, "\(seen.all)")
      #expect(try Self.permissions(place + "/plain.db") == 0o600)
      #expect(try await database.values("SELECT count(*) FROM t") == [.integer(3000)])
      try await database.close()
    }
  }

  #if os(Linux)
    /// True if any process holds a lock on a file.
    private static func isLocked(_ path: String) throws -> Bool {
      var information = stat()
      #expect(stat(path, &information) == 0)
      // /proc/locks is read in several parts, and a single reading can miss a lock that exists
      // throughout.
      for _ in 0..<200 {
        let file = try #require(fopen("/proc/locks", "r"))
        defer { fclose(file) }
        var (all, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = fread(&part, 1, part.count, file), count > 0 {
          all += part[..<count]
        }
        if String(decoding: all, as: UTF8.self).contains(":\(information.st_ino) ") { return true }
        usleep(10_000)
      }
      return false
    }

    // SQLite treats a file of 1 byte as empty, but reads its bytes.
    @Test(
      "a byte copy is exact, and never replaces a file",
      arguments: [0, 2, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 7])
    func bytes(count: Int) async throws {
      try await withTemporaryDirectory { folder in
        let (from, to) = (folder + "/from", folder + "/to")
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) })
        try bytes.write(to: URL(fileURLWithPath: from))
        #expect(DatabaseFile.copy(from, to: to) == nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: to)) == bytes)
        #expect(DatabaseFile.copy(from, to: to) != nil)
        #expect(DatabaseFile.copy(folder + "/none", to: folder + "/other") != nil)
        #expect(!FileManager.default.fileExists(atPath: folder + "/other"))
      }
    }

    @Test("a database opened during salvage keeps its locks")
    func openedMeanwhile() async throws {
      try await withTemporaryDirectory { folder throws in
        let path = folder + "/a.db"
        try runSQL(Self.script, on: path, key: "x'\(testKeyBytes.hexadecimal)'")
        var configuration = Configuration()
        configuration.journalMode = .delete
        let database = try await Database(
          path: path, key: Self.key, configuration: configuration)
        try await database.write { db in
          try db.execute("DELETE FROM t WHERE a = 1")
          #expect(try Self.isLocked(path))
          do {
            let source = try PageSource(
              path, pageSize: 4096, reserved: 80, cipher: nil, damaged: [])
            #expect(source.page(2)?.count == 4016 && source.page(100_000) == nil)
          }
          // Closing any descriptor of a file drops all of the process's locks on it.
          #expect(try Self.isLocked(path))
        }
        try await database.close()
      }
    }
  #endif
}
