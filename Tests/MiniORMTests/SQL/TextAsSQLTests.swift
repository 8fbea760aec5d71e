import Foundation
import Testing

@testable import MiniORM

@Table("note")
private struct Note: Equatable {
  let id: Int64
  var text: String
  @Column(as: .json) var data: [String: String] = [:]
}

private let notes = Table<Note>()

@Selection
private struct NoteText: Equatable {
  var text: String
}

/// Text in SQL, JSON paths or searches has the same meaning as a bound value.
@Suite("Text in SQL")
struct TextAsSQLTests {
  @Test("a name is used byte by byte", arguments: 1...4 as ClosedRange<UInt64>)
  func identifiers(seed: UInt64) async throws {
    try await withTemporaryDatabase { database throws in
      for name in HostileText.some(100, seed: seed, allowingNUL: false) {
        let (found, columns) = try await database.write { db -> (String?, [[DatabaseValue]]) in
          try db.execute("CREATE TABLE \(identifier: name) (\(identifier: name) TEXT)")
          try db.execute("INSERT INTO \(identifier: name) (\(identifier: name)) VALUES (\(name))")
          let found: String? = try db.value(
            String.self, "SELECT \(identifier: name) FROM \(identifier: name)")
          let columns: [ResultRow] = try db.query("SELECT name FROM pragma_table_info(\(name))")
          let tables = try db.query("SELECT name FROM sqlite_schema")
          #expect(tables.map(\.values) == [[.text(name)]])
          // The declaration is parsed as SQLite parses it.
          let sql = try #require(try db.value(String.self, "SELECT sql FROM sqlite_schema"))
          let definition = try TableDefinition(parsing: sql)
          #expect(definition.name.hasSameBytes(as: name))
          #expect(definition.columns.map { ExactText($0.name) } == [ExactText(name)])
          try db.execute("DROP TABLE \(identifier: name)")
          return (found, columns.map(\.values))
        }
        #expect(found.map { ExactText($0) } == ExactText(name))
        #expect(columns == [[.text(name)]])
      }
    }
  }

  @Test("a literal equals its value, byte by byte", arguments: 1...4 as ClosedRange<UInt64>)
  func literals(seed: UInt64) async throws {
    try await withFile { database throws in
      for text in HostileText.some(250, seed: seed) {
        let value = DatabaseValue.text(text)
        let row = try await database.read { db in
          try db.query("SELECT \(raw: value.literal) IS \(value), typeof(\(raw: value.literal))")
        }
        #expect(row.map(\.values) == [[.integer(1), .text("text")]], "\(value)")
      }
    }
  }

  @Test(
    "a view with a literal finds the same rows as the query with a bound value",
    arguments: 1...2 as ClosedRange<UInt64>)
  func views(seed: UInt64) async throws {
    let texts = HostileText.some(40, seed: seed)
    for text in texts.prefix(20) {
      let query = notes.where { $0.text == text || $0.text.hasPrefix(text) }
      let view = DatabaseView("found", as: query.select { NoteText.Columns(text: $0.text) })
      try await withFile(DatabaseSchema(Note.self, objects: [view])) { database throws in
        try await notes.insert(contentsOf: texts.map { Note.Draft(text: $0) }, in: database)
        let wanted = try await query.fetchAll(in: database).map { ExactText($0.text) }
        let found = try await view.fetchAll(in: database).map { ExactText($0.text) }
        #expect(wanted.contains(ExactText(text)))
        #expect(found == wanted)
        // A stored declaration equals itself.
        let plan = try await database.migrationPlan(for: DatabaseSchema(Note.self, objects: [view]))
        #expect(plan.transactions.isEmpty)
      }
    }
  }

  @Test("a JSON key is used byte by byte", arguments: 1...4 as ClosedRange<UInt64>)
  func jsonKeys(seed: UInt64) async throws {
    let keys = HostileText.some(60, seed: seed)
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      for key in keys {
        try await notes.deleteAll(in: database)
        try await notes.insert(Note.Draft(text: "other", data: ["x": "y"]), in: database)
        try await notes.insert(Note.Draft(text: "this", data: [key: "found"]), in: database)
        let found = try await notes.select { $0.data.json("$.\(key)", as: String.self) }
          .fetchAll(in: database)
        #expect(found == [nil, "found"], "\(ExactText(key).string.unicodeScalars.map(\.value))")
        let gone = try await notes.where { $0.data.json("$.\(key)", as: String.self) == "no" }
          .delete().run(in: database)
        #expect(gone == 0)
      }
    }
  }

  @Test(
    "typed search text is never syntax", arguments: 1...4 as ClosedRange<UInt64>
  )
  func searches(seed: UInt64) async throws {
    let index = FullTextIndex("note_text", of: Note.self) { $0.text }
    try await withFile(DatabaseSchema(Note.self, objects: [index])) { database throws in
      try await notes.insert(Note.Draft(text: "secret bees"), in: database)
      for text in HostileText.some(100, seed: seed) {
        let searches = [
          Match(words: text), Match(words: text, prefix: true), Match(words: "zzz " + text),
          .phrase("zzz " + text), .near(["zzz", text]),
          .phrase("zzz", atStart: true) && .phrase(text),
        ]
        for (number, search) in searches.enumerated() {
          let found = try await notes.matching(index, search).fetchAll(in: database)
          // A prefix search for a single letter can match a word.
          if number != 1 { #expect(found.isEmpty, "\(search.text)") }
        }
      }
    }
  }

  @Test("names in queries are used byte by byte", arguments: 1...3 as ClosedRange<UInt64>)
  func namesInQueries(seed: UInt64) async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      try await notes.insert(
        contentsOf: [Note.Draft(text: "b"), Note.Draft(text: "a")], in: database)
      for name in HostileText.some(60, seed: seed, allowingNUL: false) {
        let alias = notes.alias(name)
        #expect(
          try await alias.where { $0.text == "a" }.order { $0.id }.select { $0.id }
            .fetchAll(in: database) == [2])
        let table = CommonTableExpression(name, as: notes.where { $0.text == "b" })
        #expect(try await table.select { $0.id }.fetchAll(in: database) == [1])
        let windowed = notes.window(name) { WindowDefinition(orderBy: $0.text) }
          .select { ($0.id, SQL.rowNumber().over(name)) }
        let rows = try await windowed.fetchAll(in: database)
        #expect(rows.map { [$0.0, Int64($0.1)] }.sorted { $0[1] < $1[1] } == [[2, 1], [1, 2]])
      }
    }
  }

  @Test("names of functions and collations are used byte by byte")
  func functions() async throws {
    for name in HostileText.some(25, seed: 9, allowingNUL: false) {
      var configuration = Configuration()
      let collation = Collation(name) { left, right in
        left == right ? .orderedSame : left < right ? .orderedDescending : .orderedAscending
      }
      configuration.collations = [collation]
      try await withTemporaryDatabase(configuration: configuration) { database throws in
        try await database.migrate(DatabaseSchema(Note.self))
        try await notes.insert(
          contentsOf: [Note.Draft(text: "a"), Note.Draft(text: "b")], in: database)
        let texts = try await notes.order { $0.text.collate(collation) }.fetchAll(in: database)
          .map(\.text)
        #expect(texts == ["b", "a"])
      }
    }
  }

  @Test("names in migrations are used byte by byte", arguments: 1...2 as ClosedRange<UInt64>)
  func migrations(seed: UInt64) async throws {
    for name in HostileText.some(12, seed: seed, allowingNUL: false) {
      try await withTemporaryPath { path in
        let database = try await Database(path: path, key: .raw(testKeyBytes))
        try await database.write { db in
          try db.execute("CREATE TABLE note (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL)")
          try db.execute("INSERT INTO note (text) VALUES ('kept')")
        }
        try await database.adopt(version: 1)
        let steps = [
          DatabaseSchema.Step(
            to: 2, name, .addColumn(name, String?.self, to: "note"),
            .backfill("note") { _ in [name: name] }),
          DatabaseSchema.Step(to: 3, "away", .renameTable("note", to: name)),
        ]
        try await database.migrate(DatabaseSchema(version: 3, steps: steps))
        let values = try await database.values(
          "SELECT \(identifier: name) FROM \(identifier: name)")
        #expect(values == [.text(name)])
        let history = try await database.values("SELECT name FROM miniorm_migrations")
        #expect(history.contains(.text(name)))
        try await database.close()
      }
    }
  }
}

@Table("pupil")
private struct Pupil: Equatable {
  @Column(.primaryKey) var name: String
}

@Table("mark")
private struct Mark: Equatable {
  let id: Int64
  @Column(.references(Pupil.self)) var pupil: String
}

/// é as a single scalar and as two: equal in Swift, different in SQLite.
private let (composed, decomposed) = ("\u{e9}", "e\u{301}")

@Suite("Texts equal in Swift and different in SQLite")
struct ExactTextTests {
  @Test("raw SQL with such texts is two statements")
  func statements() async throws {
    try await withFile { database throws in
      try await database.write { db in
        try db.execute("CREATE TABLE t (x TEXT)")
        try db.execute("INSERT INTO t VALUES (\(composed)), (\(decomposed))")
        for text in [composed, decomposed] {
          let found = try db.query("SELECT x FROM t WHERE x = \(raw: "'\(text)'")")
          #expect(found.map(\.values) == [[.text(text)]])
        }
        #expect(try db.execute("DELETE FROM t WHERE x = \(raw: "'\(composed)'")") == 1)
        #expect(try db.execute("DELETE FROM t WHERE x = \(raw: "'\(decomposed)'")") == 1)
      }
    }
  }

  @Test("prepared queries and JSON keys with such texts")
  func sharedTexts() async throws {
    try await withFile(DatabaseSchema(Note.self)) { database throws in
      let data = [ExactText(composed): "one", ExactText(decomposed): "two"]
      try await database.write { db in
        try db.execute(
          """
          INSERT INTO note (text, data)
          VALUES ('x', json_object(\(composed), 'one', \(decomposed), 'two'))
          """)
      }
      for (key, value) in data {
        let query = notes.select { $0.data.json("$.\(key.string)", as: String.self) }
        #expect(try await query.fetchAll(in: database) == [value])
        let prepared = PreparedQuery { query }
        #expect(try await prepared.fetchAll(in: database) == [value])
      }
    }
  }

  @Test("related rows, values, row names and attached databases with such texts")
  func keys() async throws {
    try await withFile(DatabaseSchema(Pupil.self, Mark.self)) { database throws in
      try await Table<Pupil>().insert(
        contentsOf: [Pupil(name: composed), Pupil(name: decomposed)], in: database)
      try await Table<Mark>().insert(
        contentsOf: [
          Mark(id: 1, pupil: composed), Mark(id: 2, pupil: decomposed),
          Mark(id: 3, pupil: composed),
        ], in: database)
      let rows = try await Table<Pupil>().order { $0.name }.including(Table<Mark>().order { $0.id })
        .fetchAll(in: database)
      #expect(rows.map { $0.1.map(\.id) } == [[2], [1, 3]])
      let row = try #require(
        try await database.read { db in
          try db.query("SELECT 1 AS \(identifier: composed), 2 AS \(identifier: decomposed)")
        }.first)
      #expect(row[composed] == .integer(1))
      #expect(row[decomposed] == .integer(2))
    }
    #expect(DatabaseValue.text(composed) != .text(decomposed))
    #expect(Set([DatabaseValue.text(composed), .text(decomposed)]).count == 2)
    #expect(Table<Note>(in: composed).schema !== Table<Note>(in: decomposed).schema)
    #expect(Table<Note>(in: composed).schema === Table<Note>(in: composed).schema)
  }

  @Test("columns of a file with such names are two columns")
  func columns() async throws {
    let definition = try TableDefinition(
      parsing: "CREATE TABLE t (\(composed) TEXT, \(decomposed) INTEGER, UNIQUE (\(decomposed)))")
    #expect(definition.column(composed)?.type == "TEXT")
    #expect(definition.column(decomposed)?.type == "INTEGER")
    let other = try TableDefinition(
      parsing: "CREATE TABLE t (\(composed) TEXT, \(decomposed) INTEGER, UNIQUE (\(composed)))")
    #expect(definition.differences(from: other, keys: { _ in [] }).count == 1)
  }
}
