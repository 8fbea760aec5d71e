import Foundation
import Testing

@testable import MiniORM

@Table("memo") private struct Memo: Identifiable, Equatable {
  var id: UUID = .v7()
  @Column(.unique) var title: String
  var text = ""
}

private enum LaterMemos {
  @Table("memo") struct Memo: Identifiable, Equatable {
    var id: UUID = .v7()
    @Column(.unique) var title: String
    @Column(.check("length(text) < 1000")) var text = ""
  }
  static let text = FullTextIndex<Memo>("memo_text") { ($0.title, $0.text) }
}

private let text = FullTextIndex<Memo>("memo_text") { ($0.title, $0.text) }

@Table("phrase") private struct Phrase: Identifiable, Equatable {
  let id: Int64
  var text: String
}

@Suite("Full-text search: keys that are not integers, and languages")
struct FullTextKeyTests {
  private func found(_ words: String, in database: Database) async throws -> [String] {
    try await Memo.all.matching(text, Match(words: words)).order { $0.title }
      .select { $0.title }.fetchAll(in: database)
  }

  private static let schema = DatabaseSchema(Memo.self, objects: [text])

  @Test("the index follows insertions, updates, upserts, REPLACE and deletions")
  func changes() async throws {
    try await withFile(Self.schema) { database throws in
      let memos = ["a", "b", "c"].map { Memo(title: $0, text: "word \($0)") }
      try await Memo.all.insert(contentsOf: memos, in: database)
      let found1 = try await found("word", in: database)
      #expect(found1 == ["a", "b", "c"])
      var edited = memos[1]
      edited.text = "other"
      try await Memo.all.update(edited, in: database)
      let found2 = try await found("other", in: database)
      #expect(found2 == ["b"])
      // REPLACE deletes the row with the same title, and gives the new row a rowid.
      try await Memo.all.insert(Memo(title: "a", text: "fresh")).or(.replace).run(in: database)
      let found3 = try await found("fresh", in: database)
      #expect(found3 == ["a"])
      let found4 = try await found("word", in: database)
      #expect(found4 == ["c"])
      // REPLACE by rowid.
      try await database.write { db in
        let row = try db.value(Int.self, "SELECT rowid FROM memo WHERE title = 'c'") ?? 0
        try db.execute(
          "INSERT OR REPLACE INTO memo (rowid, id, title, text) VALUES (\(row), \(UUID.v7()), 'd', 'last')"
        )
        try db.execute("UPDATE memo SET rowid = 77 WHERE title = 'd'")
      }
      let found5 = try await found("word", in: database)
      #expect(found5 == [])
      let found6 = try await found("last", in: database)
      #expect(found6 == ["d"])
      edited.text = "upserted"
      try await Memo.all.upsert(edited, in: database)
      let found7 = try await found("upserted", in: database)
      #expect(found7 == ["b"])
      try await Memo.where { $0.title == "b" }.deleteAll(in: database)
      let found8 = try await found("upserted", in: database)
      #expect(found8 == [])
      try await text.run(.integrityCheck, in: database)
    }
  }

  @Test("rank, highlight and joins of a table with a UUID key")
  func ranks() async throws {
    try await withFile(Self.schema) { database throws in
      try await Memo.all.insert(
        contentsOf: [Memo(title: "once", text: "sea"), Memo(title: "sea", text: "sea, sea")],
        in: database)
      let rows = try await Memo.all.matching(text, "sea").order { $0.rank }
        .select { ($0.title, $0.highlight($0.text, "<", ">")) }.fetchAll(in: database)
      #expect(rows.map(\.0) == ["sea", "once"])
      #expect(rows.map(\.1) == ["<sea>, <sea>", "<sea>"])
    }
  }

  @Test("rowids, and so the index, survive VACUUM, an export, a backup and a rebuilt table")
  func rowIDs() async throws {
    try await withTemporaryDirectory { folder in
      let database = try await Database(path: folder + "/a.db", key: .raw(testKeyBytes))
      try await database.migrate(Self.schema)
      try await Memo.all.insert(
        contentsOf: (0..<300).map { Memo(title: "t\($0)", text: "word\($0)") }, in: database)
      try await Memo.all.where(sql: "rowid % 3 <> 1").deleteAll(in: database)
      try await database.vacuum()
      try await text.run(.integrityCheck, in: database)
      let found9 = try await found("word297", in: database)
      #expect(found9 == ["t297"])
      try await database.export(to: folder + "/b.db", key: nil)
      try await database.backup(to: folder + "/c.db")
      try await database.restore(from: folder + "/c.db")
      let later = DatabaseSchema(version: 2, LaterMemos.Memo.self, objects: [LaterMemos.text])
      try await database.migrate(later, allowingDrops: true)
      try await text.run(.integrityCheck, in: database)
      let found10 = try await found("word297", in: database)
      #expect(found10 == ["t297"])
      let copy = try await Database(path: folder + "/b.db", key: nil)
      try await text.run(.integrityCheck, in: copy)
      let found11 = try await found("word297", in: copy)
      #expect(found11 == ["t297"])
      try await copy.close()
      try await database.close()
    }
  }

  @Test("search ignores case and accents beyond ASCII, with unicode61")
  func accents() async throws {
    let index = FullTextIndex<Phrase>(
      "phrase_words", tokenizer: .unicode61(removeDiacritics: 2)
    ) { $0.text }
    try await withFile(DatabaseSchema(Phrase.self, objects: [index])) { database throws in
      for text in ["ÉCOLE Straße", "Việt Nam", "ΑΘΗΝΑ"] {
        try await Phrase.insert(.init(text: text), in: database)
      }
      for (words, id) in [("ecole", 1), ("école", 1), ("viet", 2), ("αθηνα", 3)] {
        let ids = try await Phrase.all.matching(index, Match(words: words)).select { $0.id }
          .fetchAll(in: database)
        #expect(ids == [Int64(id)], "\(words)")
      }
    }
  }

  @Test("trigrams find Chinese and Japanese text; shorter words need contains")
  func trigrams() async throws {
    let index = FullTextIndex<Phrase>("phrase_parts", tokenizer: .trigram()) { $0.text }
    try await withFile(DatabaseSchema(Phrase.self, objects: [index])) { database throws in
      for text in ["全文検索は便利です", "数据库加密很重要", "ÜBERSICHT"] {
        try await Phrase.insert(.init(text: text), in: database)
      }
      func search(_ words: String) async throws -> [Int64] {
        let rows =
          words.count < 3
          ? Phrase.where { $0.text.contains(words, caseInsensitive: true) }.select { $0.id }
          : Phrase.all.matching(index, .phrase(words)).select { $0.id }
        return try await rows.fetchAll(in: database)
      }
      let ids12 = try await search("全文検索")
      #expect(ids12 == [1])
      let ids13 = try await search("加密很")
      #expect(ids13 == [2])
      let ids14 = try await search("übers")
      #expect(ids14 == [3])
      let ids15 = try await search("検索")
      #expect(ids15 == [1])
      let ids16 = try await search("加")
      #expect(ids16 == [2])
      let short = try await Phrase.all.matching(index, .phrase("検索")).exists(in: database)
      #expect(!short)
    }
  }
}
