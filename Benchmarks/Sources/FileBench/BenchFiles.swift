import CSQLCipher
import Foundation
import MiniORM

/// The files that the contenders work on.
struct BenchFiles {
  let folder: String
  private let key = [UInt8](0..<32)
  private let newKey = [UInt8]((0..<32).reversed())
  /// The key derivation is what is measured when a pool opens.
  private let passphrase = "correct horse battery staple"

  private var encrypted: String { folder + "/encrypted.db" }
  private var plain: String { folder + "/plain.db" }
  private var derived: String { folder + "/derived.db" }
  private var target: String { folder + "/target.db" }
  private var work: String { folder + "/work.db" }

  var size: Int {
    ((try? FileManager.default.attributesOfItem(atPath: encrypted)[.size]) as? Int) ?? 0
  }

  /// Makes an encrypted file of about some size, the same without a key, and one with a passphrase.
  ///
  /// Rows of about 250 bytes, two indexes whose order is not that of the rows, a child for each row, and a
  /// table without rowids.
  func fill(megabytes: Int) throws {
    let database = try RawFile(encrypted, key: key)
    try database.run("PRAGMA cache_size = -200000; PRAGMA synchronous = OFF; BEGIN")
    try database.run(
      """
      CREATE TABLE person(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, score REAL, photo BLOB);
      CREATE INDEX person_name ON person(name);
      CREATE TABLE note(
        id INTEGER PRIMARY KEY, person INTEGER NOT NULL REFERENCES person(id), text TEXT);
      CREATE INDEX note_person ON note(person);
      CREATE TABLE word(word TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID;
      CREATE TABLE line(text TEXT);
      """)
    // As many as take a megabyte, counted once.
    let rows = megabytes * 1_910
    try database.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO person SELECT i, 'name ' || (i * 7919 % 1000003),
          (i * 104729 % 15485863) || '@example.com', i / 7.0, randomblob(i % 400) FROM n;
      INSERT INTO note SELECT id, id * 31 % \(rows) + 1, hex(substr(photo, 1, 100)) FROM person;
      INSERT INTO word SELECT 'word ' || (id * 7919 % 1000003), id FROM person
        WHERE id % 4 = 0;
      INSERT INTO line SELECT name || email FROM person WHERE id % 4 = 1;
      COMMIT;
      """)
    try database.run("ATTACH '\(plain)' AS plain KEY ''; SELECT sqlcipher_export('plain')")
    database.close()
    let other = try RawFile(derived, passphrase: passphrase)
    try other.run("PRAGMA journal_mode = WAL; CREATE TABLE person(id INTEGER PRIMARY KEY)")
    other.close()
  }

  /// Deletes what the last contender has made.
  func reset() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasPrefix("target") || name.hasPrefix("work") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  private func copy(_ path: String) throws {
    try FileManager.default.copyItem(atPath: path, toPath: work)
  }

  // MARK: By hand

  private enum Checks { case none, pragmas, contents }

  /// What a careful program does with SQL alone.
  private func export(_ path: String, key: [UInt8]?, _ checks: Checks) throws {
    let database = try RawFile(path, key: key)
    defer { database.close() }
    let literal = newKey.map { String(format: "%02x", $0) }.joined()
    try database.run("ATTACH '\(target)' AS copy KEY \"x'\(literal)'\"")
    try database.run("BEGIN; SELECT sqlcipher_export('copy'); COMMIT")
    if checks != .none {
      guard try database.rows("PRAGMA copy.cipher_integrity_check") == [],
        try database.rows("PRAGMA copy.integrity_check") == ["ok"],
        try database.rows("PRAGMA copy.foreign_key_check") == []
      else { throw BenchFailure("the copy is damaged") }
      for table in ["person", "note", "word", "line"] {
        let count =
          "SELECT (SELECT count(*) FROM main.\(table)) = (SELECT count(*) FROM copy.\(table))"
        guard try database.rows(count) == ["1"] else { throw BenchFailure("rows are missing") }
      }
    }
    if checks == .contents {
      for table in ["person", "note", "word", "line"] {
        let difference = "SELECT count(*) FROM (TABLE main EXCEPT TABLE copy)"
          .replacing("TABLE", with: "SELECT * FROM").replacing("main", with: "main.\(table)")
          .replacing("copy", with: "copy.\(table)")
        guard try database.rows(difference) == ["0"] else { throw BenchFailure("rows differ") }
      }
    }
    try database.run("DETACH copy")
    try RawFile.synchronize(target)
  }

  // MARK: Works

  var works: [FileWork] {
    let (key, newKey, passphrase) = (Key.raw(key), Key.raw(newKey), Key.passphrase(passphrase))
    return [
      FileWork(
        title: "open with a passphrase", isShort: true,
        contenders: [
          .init(name: "pool of 1 + 4") { try await openPool(passphrase, readers: 4) },
          .init(name: "pool of 1 + 1") { try await openPool(passphrase, readers: 1) },
          .init(name: "one connection by hand") {
            let one = try RawFile(derived, passphrase: self.passphrase)
            _ = try one.rows("SELECT count(*) FROM person")
            one.close()
          },
        ]),
      FileWork(
        title: "export with another key",
        contenders: [
          .init(name: "MiniORM") {
            let database = try await Database(path: encrypted, key: key)
            try await database.export(to: target, key: newKey)
            try await database.close()
          },
          .init(name: "SQL with every cell compared") {
            try export(encrypted, key: self.key, .contents)
          },
          .init(name: "SQL with PRAGMAs and counts") {
            try export(encrypted, key: self.key, .pragmas)
          },
          .init(name: "bare sqlcipher_export") { try export(encrypted, key: self.key, .none) },
        ]),
      FileWork(
        title: "encrypt in place",
        contenders: [
          .init(name: "MiniORM") {
            try copy(plain)
            try await Database.encrypt(path: work, key: newKey)
          },
          .init(name: "SQL with PRAGMAs and counts") {
            try copy(plain)
            try export(work, key: nil, .pragmas)
            rename(target, work)
          },
          .init(name: "bare sqlcipher_export") {
            try copy(plain)
            try export(work, key: nil, .none)
            rename(target, work)
          },
        ]),
      FileWork(
        title: "rekey",
        contenders: [
          .init(name: "MiniORM") {
            try copy(encrypted)
            let database = try await Database(path: work, key: key)
            try await database.changeKey(to: newKey)
            try await database.close()
          },
          .init(name: "PRAGMA rekey") {
            try copy(encrypted)
            let raw = try RawFile(work, key: self.key)
            try raw.run("PRAGMA journal_mode = WAL")
            try raw.rekey(self.newKey)
            try raw.run("PRAGMA wal_checkpoint(TRUNCATE)")
            raw.close()
          },
        ]),
      FileWork(
        title: "backup with the same key",
        contenders: [
          .init(name: "MiniORM") {
            let database = try await Database(path: encrypted, key: key)
            try await database.backup(to: target)
            try await database.close()
          },
          .init(name: "sqlite3_backup") {
            let (from, to) = (
              try RawFile(encrypted, key: self.key), try RawFile(target, key: self.key)
            )
            try to.copy(from)
            from.close()
            to.close()
            try RawFile.synchronize(target)
          },
          .init(name: "bare sqlcipher_export") { try export(encrypted, key: self.key, .none) },
        ]),
    ]
  }

  /// Opens a database, and has as many readers read at once: a connection is opened when it is needed.
  private func openPool(_ key: Key, readers: Int) async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    let database = try await Database(path: derived, key: key, configuration: configuration)
    let meeting = Meeting(readers)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<readers {
        group.addTask {
          try await database.read { db in
            _ = try db.query("SELECT count(*) FROM person")
            meeting.wait()
          }
        }
      }
      try await group.waitForAll()
    }
    try await database.close()
  }
}
