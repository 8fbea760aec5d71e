import Foundation
import Testing

@testable import MiniORM
@testable import MiniORMRepair

@Suite("Plain text left by file operations")
struct SentinelTests {
  private static let key = Key.raw(testKeyBytes)
  private static let newKey = Key.raw(testKeyBytes.reversed())

  /// The files in some folders that contain a text, in UTF-8 or UTF-16.
  private static func files(holding text: String, in folders: [String]) throws -> [String] {
    let patterns = [
      Data(text.utf8), Data(text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }),
    ]
    var found: [String] = []
    for folder in folders {
      let names = FileManager.default.enumerator(atPath: folder)
      while let name = names?.nextObject() as? String {
        // Other processes may delete their files during the scan.
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
        if patterns.contains(where: { data.range(of: $0) != nil }) { found.append(name) }
      }
    }
    return found.sorted()
  }

  /// Rows that need a sort, and thus temporary storage, and that are long enough for overflow
  /// pages.
  private static func script(_ text: String) -> String {
    """
    CREATE TABLE secret(id INTEGER PRIMARY KEY, text TEXT, long TEXT);
    CREATE INDEX secret_text ON secret(text);
    CREATE VIRTUAL TABLE found USING fts5(text);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
      INSERT INTO secret SELECT i, '\(text) ' || i, replace(hex(zeroblob(300)), '00', '\(text)') FROM n;
    INSERT INTO found SELECT text FROM secret;
    """
  }

  @Test("no file operation leaves a plain row, unless asked to")
  func rows() async throws {
    try await withTemporaryDirectory { folder throws in
      // A unique text per run, because the temporary folder is shared.
      let text = "sentinel\(UInt64.random(in: .min ... .max))"
      let temporary = FileManager.default.temporaryDirectory.path
      let folders = [folder, temporary] + (temporary == "/var/tmp" ? [] : ["/var/tmp"])
      func holding() throws -> [String] {
        // The temporary folder may be large: scans only SQLite's and MiniORM's names, and new
        // files.
        try Self.files(holding: text, in: [folder])
          + folders.dropFirst().flatMap { place in
            try (names(in: place)).filter { name in
              guard
                name.hasPrefix("etilqs_") || name.hasPrefix("sqlite") || name.contains("miniorm-")
              else { return false }
              let data = FileManager.default.contents(atPath: "\(place)/\(name)")
              return data?.range(of: Data(text.utf8)) != nil
            }
          }
      }
      let path = folder + "/a.db"
      let database = try await Database(path: path, key: Self.key)
      try await database.write { try $0.execute(script: Self.script(text)) }
      #expect(try holding() == [])

      // Scans during and after each operation.
      func during(
        _ what: String, _ body: (@escaping @Sendable (Double) -> Void) async throws -> Void
      )
        async throws
      {
        let seen = Fractions()
        try await body { fraction in
          if (try? Self.files(holding: text, in: [folder])) != [] { seen.append(fraction) }
        }
        #expect(seen.all == [], "while \(what) runs")
        #expect(try holding() == [], "after \(what)")
      }
      try await during("backup") { try await database.backup(to: folder + "/b.db", progress: $0) }
      try await during("backup with another key") {
        try await database.backup(to: folder + "/c.db", key: Self.newKey, progress: $0)
      }
      try await during("export") {
        try await database.export(to: folder + "/d.db", key: Self.newKey, progress: $0)
      }
      try await during("restore") {
        try await database.restore(from: folder + "/c.db", key: Self.newKey, progress: $0)
      }
      try await during("vacuum") { _ in try await database.vacuum() }
      try await during("optimize") { _ in try await database.optimize() }
      try await during("a check") { _ throws in
        #expect(try await database.integrityReport().isEmpty)
      }
      try await during("verify") { _ throws in
        #expect(try await Database.verify(path: folder + "/b.db", key: Self.key).isEmpty)
      }
      try await during("a change of key") { _ in
        try await database.changeKey(to: Self.newKey)
      }
      try await during("restore into memory") { progress in
        let memory = try await Database.inMemory()
        try await memory.restore(from: folder + "/b.db", key: Self.key, progress: progress)
        #expect(try await memory.values("SELECT count(*) FROM secret") == [.integer(120)])
        try await memory.close()
      }
      try await database.close()
      try await during("verify of a damaged file") { _ in
        try FileManager.default.copyItem(atPath: folder + "/b.db", toPath: folder + "/e.db")
        try damage(folder + "/e.db", pages: [20, 30])
        let report = try await Database.verify(path: folder + "/e.db", key: Self.key)
        #expect(report.problems.compactMap(\.page) == [20, 30])
        #expect(!report.description.contains(text))
      }

      for version in 1...3 {
        let path = "\(folder)/version\(version).db"
        try runSQL(
          "PRAGMA cipher_compatibility = \(version);" + Self.script(text), on: path, key: "old")
        #expect(try holding() == [])
        try await during("an upgrade from SQLCipher \(version)") { progress in
          let old = try await Database.upgrade(
            path: path, key: .passphrase("old"), progress: progress)
          #expect(old == version)
        }
      }
      // The log is copied too.
      var withLog = Configuration()
      withLog.journalMode = .wal
      let logged = try await Database(
        path: folder + "/e.db", key: Self.key, configuration: withLog)
      _ = try? await logged.write { db in
        try db.execute("CREATE TABLE more AS SELECT \(text) AS text, randomblob(9000)")
      }
      for ending in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder + "/e.db" + ending, toPath: folder + "/logged.db" + ending)
      }
      try await logged.close()
      try await during("salvage") { progress in
        let report = try await Database.salvage(
          path: folder + "/logged.db", key: Self.key, to: folder + "/salvaged.db",
          progress: progress)
        #expect(report.tables.contains { $0.rowCount > 0 } && !"\(report)".contains(text))
        let salvaged = try await Database(path: folder + "/salvaged.db", key: Self.key)
        #expect(try await salvaged.values("SELECT count(*) FROM more") == [.integer(1)])
        try await salvaged.close()
      }
      try await during("the rotation of keys") { _ in
        let (rotated, index) = try await Database.open(
          path: folder + "/c.db", keys: [Self.key, Self.newKey])
        #expect(index == 1)
        // A checkpoint, and files created by SQL.
        try await rotated.write { try $0.execute("UPDATE secret SET long = long || \(text)") }
        try await rotated.checkpoint(.truncate)
        try await rotated.withoutTransaction { db in
          try db.execute("VACUUM INTO \(folder + "/vacuumed.db")")
        }
        try await rotated.attach(folder + "/attached.db", as: "other", key: Self.newKey)
        try await rotated.write { try $0.execute("CREATE TABLE other.t AS SELECT * FROM secret") }
        try await rotated.close()
      }
      try await during("changes that are undone") { _ in
        var configuration = Configuration()
        configuration.journalMode = .persist
        let undone = try await Database(
          path: folder + "/vacuumed.db", key: Self.key, configuration: configuration)
        let error = try await failure {
          try await undone.write { db in
            try db.execute("UPDATE secret SET text = text || text")
            try db.execute("INSERT INTO secret(id, text) VALUES (1, \(text))")
          }
        }
        // The message names the column but not the value.
        #expect(error.code.primary == .constraint && !"\(error)".contains(text))
        try await undone.close()
      }

      // Control: the scan finds plain text.
      try await Database.decrypt(path: folder + "/b.db", key: Self.key)
      #expect(try holding() == ["b.db"])
      let plain = try await Database(path: folder + "/b.db", key: nil)
      try await plain.export(to: folder + "/f.db", key: nil)
      try await plain.backup(to: folder + "/g.db", key: Self.key)
      try await plain.close()
      #expect(try holding() == ["b.db", "f.db"])
      try await Database.encrypt(path: folder + "/b.db", key: Self.key)
      #expect(try holding() == ["f.db"])
      // The backup is plain and the database is encrypted, so a converted copy is made beside the
      // database.
      let again = try await Database(path: path, key: Self.newKey)
      let watching = Fractions()
      try await again.restore(from: folder + "/f.db", key: nil) { fraction in
        if (try? Self.files(holding: text, in: [folder])) != ["f.db"] { watching.append(fraction) }
      }
      #expect(watching.all == [])
      try await again.close()
      #expect(try holding() == ["f.db"])
    }
  }
}
