import Foundation
import Testing

@testable import MiniORM

/// A text that a caller may pass for any argument.
struct HostileInput: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let text: String

  init(_ description: String, _ text: String) { (testDescription, self.text) = (description, text) }

  static let all = [
    HostileInput("empty", ""), HostileInput("a space", " "), HostileInput("a NUL", "a\0b"),
    HostileInput("controls", "\u{1}\u{7}\u{8}\t\r\n\u{b}\u{1b}[2J\u{7f}\u{9b}31m"),
    HostileInput("right to left", "\u{202e}\u{5d0}\u{5d1}\u{2066}a\u{2069}\u{200f}"),
    HostileInput("combining", "\"\u{301}'\u{600}e\u{301}\u{300}\u{489}\u{200d}\u{fe0f}"),
    HostileInput("one scalar of two", "\u{e9}"),
    HostileInput("unassigned", "\u{378}\u{e000}\u{ffff}\u{10ffff}"),
    HostileInput("beyond the plane", "\u{1f469}\u{200d}\u{1f4bb}\u{1f1e6}\u{e0001}"),
    HostileInput("SQL", "'; DROP TABLE note; --\" OR 1=1 /* ` ] \\ $.a[0]"),
    HostileInput("a format", "%s%n%d%@%%%1$s%99999999d{0}\\(x)${HOME}$(id)"),
    HostileInput("a path", "../no/such/folder"),
    HostileInput("a URI", "file:x?mode=memory&cache=shared#%00"),
    HostileInput("a reserved name", "sqlite_master"), HostileInput("a word of SQL", "select"),
    HostileInput("a search", "NEAR(a b) AND {c}: ^d* NOT -e"),
    HostileInput("a pattern", "%_*?[^a-z]"),
    HostileInput("300 bytes", String(repeating: "n", count: 300)),
    // 10 MB if MINIORM_LIMITS is set, because SQL built from such a text takes a while.
    HostileInput(
      "long",
      String(
        repeating: "ab'\"\u{e9}%",
        count: ProcessInfo.processInfo.environment["MINIORM_LIMITS"] == nil ? 50_000 : 1_500_000)),
  ]
}

@Table("note")
private struct Note: Equatable {
  let id: Int64
  var text: String
  @Column(as: .json) var data: [String: String] = [:]
}

private let notes = Table<Note>()

@Suite("Hostile text")
struct HostileInputTests {
  @Test("a value round-trips byte by byte, at any place", arguments: HostileInput.all)
  func values(_ input: HostileInput) async throws {
    let text = input.text
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await notes.insert(
        contentsOf: [Note(id: 1, text: "other"), Note(id: 2, text: text, data: ["k": text])],
        in: database)
      let found = try await notes.where { $0.text == text }.fetchAll(in: database)
      #expect(found.count == 1 && found[0].text.hasSameBytes(as: text))
      #expect(found.first?.data["k"]?.hasSameBytes(as: text) == true)
      #expect(
        try await notes.where { $0.text.hasPrefix(text) && $0.id == 2 }.count(in: database) == 1)
      #expect(
        try await notes.where { $0.text.hasSuffix(text) && $0.id == 2 }.count(in: database) == 1)
      #expect(
        try await notes.where { $0.text.contains(text) && $0.id == 2 }.count(in: database) == 1)
      #expect(try await notes.where { $0.text.isIn(["x", text]) }.count(in: database) == 1)
      #expect(
        try await notes.where { $0.id == 2 }.update { $0.text = text + text }.run(in: database) == 1
      )
      #expect(
        try await database.values("SELECT text FROM note WHERE text = \(text + text)") == [
          .text(text + text)
        ])
      #expect(try await notes.count(in: database) == 2)
    }
  }

  @Test("a JSON key is found unchanged", arguments: HostileInput.all.dropLast())
  func keys(_ input: HostileInput) async throws {
    let key = input.text
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await notes.insert(
        Note(id: 1, text: "", data: [key: "found", "other": "not"]), in: database)
      let path: JSONPath = "$.\(key)"
      let found = try await database.read { db in
        try db.value(String.self, "SELECT json_extract(data, \(path.text)) FROM note")
      }
      #expect(found == "found")
    }
  }

  @Test(
    "names of tables, columns, indexes, results and attached files are used unchanged, or refused",
    arguments: HostileInput.all)
  func names(_ input: HostileInput) async throws {
    let name = input.text
    try await withTemporaryDirectory { folder throws in
      let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
      try await Self.answer(name) {
        let names = try await database.write { db in
          try db.execute("CREATE TABLE \(identifier: name) (\(identifier: name) TEXT)")
          try db.execute("INSERT INTO \(identifier: name) VALUES (\(name))")
          try db.execute(
            "CREATE INDEX \(identifier: "i" + name) ON \(identifier: name) (\(identifier: name))")
          let rows = try db.query(
            "SELECT \(identifier: name) AS \(identifier: name) FROM \(identifier: name)")
          #expect(rows.map(\.values) == [[.text(name)]])
          return try db.query("SELECT name FROM sqlite_schema WHERE type = 'table'").map(\.values)
        }
        #expect(names == [[.text(name)]])
      }
      try await Self.answer(name) {
        try await database.attach(folder + "/b.db", as: name, key: .raw(testKeyBytes))
        try await database.write { try $0.execute("CREATE TABLE \(identifier: name).t(a)") }
        try await database.detach(name)
      }
      try await Self.answer(name) { try await database.detach(name) }
      try await Self.answer(name) { _ = try await database.values(SQL(raw: name)) }
      try await Self.answer(name) {
        try await database.migrate(
          DatabaseSchema(version: 2, Note.self, steps: [.init(to: 2, name, .dropTable(name))]))
      }
      #expect(try await database.values("PRAGMA integrity_check") == [.text("ok")])
      try await database.close()
    }
  }

  @Test("a passphrase opens its file, and is in no error", arguments: HostileInput.all)
  func passphrases(_ input: HostileInput) async throws {
    let text = input.text
    try await withTemporaryPath { path throws in
      var configuration = Configuration()
      configuration.cipher.kdfIterations = 10
      let made = await Self.refusal {
        let database = try await Database(
          path: path, key: .passphrase(text), configuration: configuration)
        try await database.write { try $0.execute("CREATE TABLE t(a)") }
        try await database.close()
      }
      guard made == nil else {
        #expect(text.isEmpty || text.utf8.contains(0), "\(String(describing: made))")
        return
      }
      let again = try await Database(
        path: path, key: .passphrase(text), configuration: configuration)
      #expect(try await again.values("SELECT name FROM sqlite_schema") == [.text("t")])
      try await again.close()
      let other = await Self.refusal {
        try await Database(path: path, key: .passphrase(text + "x"), configuration: configuration)
          .close()
      }
      #expect(other?.code == .notADatabase)
      // Long enough to exclude a chance match.
      if (7...400).contains(text.utf8.count) {
        #expect(!"\(String(describing: other))".contains(text))
      }
    }
  }

  @Test("a file is created at its exact path, or the path is refused", arguments: HostileInput.all)
  func paths(_ input: HostileInput) async throws {
    try await withTemporaryDirectory { folder throws in
      let path = folder + "/" + input.text
      let made = await Self.refusal {
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        try await database.write { try $0.execute("CREATE TABLE t(a)") }
        try await database.close()
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        try Database.delete(path: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
      }
      if let made { #expect(made.operation == .open, "\(made)") }
      #expect(
        (made == nil)
          == (!input.text.isEmpty && !input.text.utf8.contains(0)
            && !input.text.utf8.contains(UInt8(ascii: "/")) && input.text.utf8.count < 240))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }

  /// Expects success or a `DatabaseError`.
  private static func answer(_ name: String, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as DatabaseError {
      #expect(!error.message.isEmpty)
      #expect(error.description.utf8.count < 100_000 || name.utf8.count > 100_000)
    }
  }

  private static func refusal(_ body: () async throws -> Void) async -> DatabaseError? {
    do {
      try await body()
      return nil
    } catch let error as DatabaseError {
      return error
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }
}
