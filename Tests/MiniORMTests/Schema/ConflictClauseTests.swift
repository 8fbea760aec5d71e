import Foundation
import Testing

@testable import MiniORM

private enum Conflicts {
  /// The key of a row is assigned by the database, also for NULL.
  @Table("tag") struct Tag: Equatable {
    @Column(
      .primaryKey(onConflict: .replace), .notNull(onConflict: .replace),
      .default(sql: "'t' || hex(randomblob(4))"))
    let id: String
    var name: String
  }

  @Table("word") struct Word: Equatable {
    let id: Int64
    @Column(.unique(onConflict: .ignore)) var text: String
    @Column(.unique(onConflict: .replace)) var rank: Int?
    @Column(.notNull(onConflict: .ignore)) var note = "none"
  }

  @Table("pair", primaryKey: ["left", "right"]) struct Pair: Equatable {
    let left: Int
    let right: Int
    var size: Int
    static var constraints: [TableConstraint<Pair>] {
      [TableConstraint(sql: "PRIMARY KEY (\"left\", \"right\") ON CONFLICT REPLACE")]
    }
  }

  @Table("pair", primaryKey: ["right", "left"]) struct Reversed {
    let left: Int
    let right: Int
    static var constraints: [TableConstraint<Reversed>] {
      [TableConstraint(sql: "PRIMARY KEY (\"left\", \"right\") ON CONFLICT REPLACE")]
    }
  }

  @Table("plain") struct Contradiction {
    let id: Int64
    @Column(.notNull(onConflict: .replace)) var name: String?
  }
}

private typealias Draft = Conflicts.Word.Draft

@Suite("ON CONFLICT clauses of constraints")
struct ConflictClauseTests {
  private static let schema = DatabaseSchema(
    Conflicts.Tag.self, Conflicts.Word.self, Conflicts.Pair.self)
  private let words = Table<Conflicts.Word>()

  @Test("are declared by the model, and are no difference afterwards")
  func declared() async throws {
    #expect(
      try Conflicts.Tag.createSQL() == [
        """
        CREATE TABLE "tag" (
          "id" TEXT PRIMARY KEY ON CONFLICT REPLACE NOT NULL ON CONFLICT REPLACE \
        DEFAULT ('t' || hex(randomblob(4))),
          "name" TEXT NOT NULL
        ) STRICT
        """
      ])
    #expect(
      try Conflicts.Word.createSQL() == [
        """
        CREATE TABLE "word" (
          "id" INTEGER PRIMARY KEY NOT NULL,
          "text" TEXT NOT NULL UNIQUE ON CONFLICT IGNORE,
          "rank" INTEGER UNIQUE ON CONFLICT REPLACE,
          "note" TEXT NOT NULL ON CONFLICT IGNORE DEFAULT ('none')
        ) STRICT
        """
      ])
    try await withFile(Self.schema) { database throws in
      #expect(try await database.migrationPlan(for: Self.schema).isEmpty)
      #expect(try await database.schemaReport(for: Self.schema).isEmpty)
    }
  }

  @Test("of another program's file are kept if they are equal, and changed if they differ")
  func compared() async throws {
    let declared = try Conflicts.Word.createSQL()[0]
    let cases: [(file: String, report: String?)] = [
      (declared, nil),
      (
        #"CREATE TABLE word (note TEXT DEFAULT ('none') NOT NULL ON CONFLICT IGNORE, id INTEGER "#
          + #"PRIMARY KEY ON CONFLICT ABORT, text TEXT NOT NULL, rank INT NULL ON CONFLICT FAIL, "#
          + #"UNIQUE (rank) ON CONFLICT REPLACE, UNIQUE (text) ON CONFLICT IGNORE) STRICT"#,
        "type"
      ),
      (
        declared.replacing("UNIQUE ON CONFLICT IGNORE", with: "UNIQUE"),
        "table word: ON CONFLICT is NOT NULL (note) ON CONFLICT IGNORE, UNIQUE (rank) ON CONFLICT "
          + "REPLACE in the file and NOT NULL (note) ON CONFLICT IGNORE, UNIQUE (rank) ON CONFLICT "
          + "REPLACE, UNIQUE (text) ON CONFLICT IGNORE in the model"
      ),
      // The same clauses, at other columns.
      (
        declared.replacing("IGNORE,", with: "-").replacing("REPLACE", with: "IGNORE")
          .replacing("-", with: "REPLACE,"), "UNIQUE (text) ON CONFLICT REPLACE in the file"
      ),
      (declared.replacing("CONFLICT IGNORE DEFAULT", with: "CONFLICT FAIL DEFAULT"), "(note)"),
    ]
    for (file, report) in cases {
      let sql = file.replacing("rank INT ", with: "rank INTEGER ")
      try await withTemporaryDatabase(
        script: sql + "; INSERT INTO word (id, text, note) VALUES (1, 'a', 'x')"
      ) {
        database throws in
        try await database.adopt(version: 1)
        let schema = DatabaseSchema(Conflicts.Word.self)
        let found = try await database.schemaReport(for: schema).description
        let isEqual = report == nil || report == "type"
        #expect(isEqual ? found.isEmpty : found.contains(report ?? ""), "\(found)")
        #expect(
          try await database.migrationPlan(for: schema).transactions.allSatisfy {
            !isEqual || !$0.statements.contains { $0.contains("CREATE TABLE \"") }
          })
        try await database.migrate(schema)
        #expect(try await database.schemaReport(for: schema).isEmpty)
      }
    }
  }

  @Test("skip and replace no row while a table is rebuilt", arguments: ["IGNORE", "REPLACE"])
  func rebuilt(action: String) async throws {
    let script = """
      CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL, rank INTEGER, note TEXT NOT NULL);
      INSERT INTO word VALUES (1, 'a', 1, ''), (2, '\(action == "IGNORE" ? "a" : "b")', 1, '');
      """
    try await withTemporaryDatabase(script: script) { database throws in
      try await database.adopt(version: 1)
      let error = try await failure {
        try await database.migrate(DatabaseSchema(Conflicts.Word.self))
      }
      #expect(error.code == .constraintUnique && error.table == "word", "\(error)")
      #expect(
        try await database.values("SELECT id FROM word ORDER BY id") == [.integer(1), .integer(2)])
    }
  }

  @Test("are kept by steps that rebuild a table, and can be added with a column")
  func steps() async throws {
    let script = """
      CREATE TABLE word (
        id INTEGER PRIMARY KEY NOT NULL, text INTEGER NOT NULL ON CONFLICT FAIL UNIQUE ON CONFLICT IGNORE,
        rank INTEGER UNIQUE ON CONFLICT REPLACE, extra TEXT) STRICT;
      INSERT INTO word VALUES (1, 5, 1, NULL), (2, 6, 2, NULL);
      """
    try await withTemporaryDatabase(script: script) { database throws in
      try await database.adopt(version: 1)
      let schema = DatabaseSchema(
        version: 2, Conflicts.Word.self,
        steps: [
          .init(
            to: 2, "text",
            .convertColumn("text", to: String.self, in: "word", using: "text || 'x'"),
            .dropColumn("extra", from: "word"),
            .addColumn(
              "note", String.self, .notNull(onConflict: .ignore), .default("none"), to: "word"))
        ])
      let plan = try await database.migrationPlan(for: schema).description
      #expect(plan.contains("TEXT NOT NULL ON CONFLICT FAIL UNIQUE ON CONFLICT IGNORE"), "\(plan)")
      try await database.migrate(schema)
      #expect(
        try await words.order { $0.id }.fetchAll(in: database) == [
          .init(id: 1, text: "5x", rank: 1), .init(id: 2, text: "6x", rank: 2),
        ])
    }
  }

  @Test("that contradict the model are refused")
  func refused() async throws {
    let cases: [(any Model.Type, String)] = [
      (
        Conflicts.Contradiction.self,
        "A column with .notNull(onConflict:) is NOT NULL: declare the property without an optional, "
          + "or leave the constraint out"
      ),
      (
        Conflicts.Reversed.self,
        "A constraint declares the key (left, right), and the model has the key (right, left): name "
          + "the same columns in the same order"
      ),
    ]
    for (model, message) in cases {
      try await withTemporaryDatabase { database throws in
        let error = try await failure { try await database.migrate(DatabaseSchema([model])) }
        #expect(error.operation == .migrate && error.message == message, "\(error)")
      }
    }
  }

  @Test("IGNORE: a skipped row is not counted, and an insertion that returns its row throws")
  func ignoring() async throws {
    try await withFile(Self.schema) { database throws in
      let first = try await words.insert(Draft(text: "a", rank: nil), in: database)
      let draft = Draft(text: "a", rank: nil, note: "second")
      let row = Conflicts.Word(id: 99, text: "a", rank: 9)
      let errors = [
        try await failure { try await words.insert(draft, in: database) },
        try await failure { try await words.upsert(row, onConflict: { $0.id }, in: database) },
      ]
      for error in errors {
        #expect(
          error.message.hasPrefix("The row was not stored: a trigger or an ON CONFLICT clause"))
      }
      #expect(try await words.insert(draft).run(in: database) == 0)
      #expect(try await words.insert(draft).returning { $0.id }.fetchAll(in: database).isEmpty)
      for count in [2, 40, 1_500] {
        let drafts = (0..<count).map { Draft(text: $0 % 2 == 0 ? "a" : "\(count) \($0)") }
        let inserted = try await database.write { [words] db in
          try words.insert(contentsOf: drafts, in: db)
        }
        #expect(inserted == count / 2)
      }
      #expect(try await words.insert(contentsOf: [draft, draft], in: database) == 0)
      let other = try #require(try await words.where { $0.text == "2 1" }.fetchOne(in: database))
      var changed = other
      changed.text = "a"
      #expect(try await words.update(changed, in: database) == false)
      #expect(try await words.update(contentsOf: [changed, first], in: database) == 1)
      #expect(try await words.find(other.id, in: database) == other)
      #expect(try await words.find(first.id, in: database) == first)
      // An upsert's own target takes precedence over the clause.
      let upserted = try await words.upsert(draft, onConflict: { $0.text }, in: database)
      #expect(upserted.row == .init(id: first.id, text: "a", rank: nil, note: "second"))
      // So does a resolution of the statement.
      let failed = try await failure { try await words.insert(draft).or(.abort).run(in: database) }
      #expect(failed.code == .constraintUnique)
      #expect(
        try await database.write {
          try $0.execute("INSERT INTO word (text, note) VALUES ('z', NULL)")
        }
          == 0)
    }
  }

  @Test("REPLACE: the new row is returned, and observers see that the old row is gone")
  func replacing() async throws {
    try await withFile(Self.schema) { database throws in
      let first = try await words.insert(Draft(text: "a", rank: 1), in: database)
      let other = try await words.insert(Draft(text: "b", rank: 2), in: database)
      let observed = try await ObservedQuery(in: database) { [words] db in
        "\(try words.find(first.id, in: db) as Any)"
      }
      var changes = words.changes(in: database).makeAsyncIterator()
      let second = try await words.insert(Draft(text: "c", rank: 1), in: database)
      #expect(observed.isChanged)
      #expect(try await observed.rows() == ["nil"])
      let change = try #require(await changes.next())
      #expect(change.tables.map(\.isComplete) == [false])
      #expect(second.id > other.id)
      #expect(try await words.order { $0.id }.fetchAll(in: database) == [other, second])
      // An update replaces rows too.
      var moved = other
      moved.rank = 1
      #expect(try await words.update(moved, in: database))
      #expect(try await words.fetchAll(in: database) == [moved])
      #expect(
        try await words.insert(
          contentsOf: [Draft(text: "d", rank: 1), Draft(text: "e", rank: 1)], in: database)
          == 2)
      #expect(try await words.fetchAll(in: database).map(\.text) == ["e"])

      let tags = Table<Conflicts.Tag>()
      let tag = try await tags.insert(Conflicts.Tag.Draft(id: nil, name: "new"), in: database)
      #expect(tag.id.hasPrefix("t") && tag.id.count == 9)
      try await database.write { try $0.execute("INSERT INTO tag VALUES (NULL, 'by SQL')") }
      #expect(
        try await tags.insert(Conflicts.Tag(id: tag.id, name: "replaced"), in: database).name
          == "replaced")
      #expect(try await tags.count(in: database) == 2)
      let pairs = Table<Conflicts.Pair>()
      for size in 1...2 {
        let pair = try await pairs.insert(
          Conflicts.Pair(left: 1, right: 2, size: size), in: database)
        #expect(pair.size == size)
      }
      #expect(try await pairs.find((1, 2), in: database)?.size == 2)
      #expect(try await pairs.count(in: database) == 1)
    }
  }
}
