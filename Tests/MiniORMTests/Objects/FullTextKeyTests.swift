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

@Table private struct Scrap {
  var text: String
  var place: String
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
          "INSERT OR REPLACE INTO memo (rowid, id, title, text) VALUES (\(row), \(UUID.v7(), as: .text), 'd', 'last')"
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

  @Test(
    "search ignores case and accents beyond ASCII by default",
    arguments: [
      ("angstrom", 1), ("ÅNGSTRÖM", 1), ("ångström", 1), ("a\u{30a}ngstro\u{308}m", 1),
      ("naive", 2), ("NAÏVE", 2), ("ecole", 3), ("école", 3), ("viet", 4), ("αθηνα", 5),
      ("straße", 6), ("istanbul", 7), ("東京都", 8), ("cafe", 9), ("café", 9),
      // Letters that are not a letter with an accent: ß is not ss, and α with tonos is not α.
      ("strasse", nil), ("STRASSE", nil),
      // A text without spaces is a single word.
      ("東京", nil),
    ] as [(String, Int64?)])
  func accents(_ words: String, _ id: Int64?) async throws {
    let texts = [
      "Ångström", "naïve", "ÉCOLE", "Việt Nam", "ΑΘΗΝΑ", "Straße", "İstanbul", "東京都",
      "cafe\u{301}",
    ]
    let index = FullTextIndex<Phrase>("phrase_words") { $0.text }
    try await withFile(DatabaseSchema(Phrase.self, objects: [index])) { database throws in
      try await Phrase.all.insert(contentsOf: texts.map { Phrase.Draft(text: $0) }, in: database)
      let ids = try await Phrase.all.matching(index, Match(words: words)).select { $0.id }
        .fetchAll(in: database)
      #expect(ids == (id.map { [$0] } ?? []))
    }
  }

  @Test(
    "trigrams find Chinese and Japanese text, also with one and two characters",
    arguments: [
      ("全文検索", [1]), ("加密很", [2]), ("übers", [3]), ("検索", [1]), ("加", [2]), ("東京", [4, 5]),
      ("東京都", [4]), ("東 京都庁", [4]), ("京", [4, 5]), ("ガ", [6]), ("ba", [7]), ("BA", [7]), ("", []),
      ("東京 x", []), ("犬", []),
    ] as [(String, [Int64])])
  func trigrams(_ words: String, _ ids: [Int64]) async throws {
    let texts = [
      "全文検索は便利です", "数据库加密很重要", "ÜBERSICHT", "東京都庁", "東京", "ガラス", "Bar %_ 100",
    ]
    let index = FullTextIndex<Phrase>("phrase_parts", tokenizer: .trigram()) { $0.text }
    try await withFile(DatabaseSchema(Phrase.self, objects: [index])) { database throws in
      try await Phrase.all.insert(contentsOf: texts.map { Phrase.Draft(text: $0) }, in: database)
      for match in [Match(words: words), Match(words: words, prefix: true)] {
        let found = try await Phrase.all.matching(index, match).order { $0.id }
          .select { ($0.id, $0.highlight($0.text, "<", ">"), $0.rank) }.fetchAll(in: database)
        #expect(found.map(\.0) == ids)
        // Right of a left join, a row without a match gives nil.
        let joined = try await Phrase.all.alias("p")
          .leftJoin(Phrase.all.matching(index, match)) { $0.id == $1.id }
          .select { $1.id }.fetchAll(in: database)
        #expect(joined.compactMap { $0 }.sorted() == ids && joined.count == texts.count)
      }
      guard !words.contains(" ") else { return }
      let phrases = try await Phrase.all.matching(index, .phrase(words)).order { $0.id }
        .select { $0.id }.fetchAll(in: database)
      #expect(phrases == ids)
    }
  }

  @Test("a full-text table finds words of one and two characters, and compares their case")
  func storedTrigrams() async throws {
    let parts = FullTextIndex(
      storing: Scrap.self, tokenizer: .trigram(caseSensitive: true), unindexed: { $0.place })
    try await withFile(DatabaseSchema(objects: [parts])) { database throws in
      try await Table<Scrap>().insert(
        contentsOf: [Scrap(text: "東京 Aa", place: "犬"), Scrap(text: "京都 aa", place: "")],
        in: database)
      for (words, texts) in [
        ("京", ["東京 Aa", "京都 aa"]), ("Aa", ["東京 Aa"]), ("京 aa", ["京都 aa"]), ("犬", []),
      ] {
        let found = try await Table<Scrap>().matching(parts, Match(words: words))
          .order { $0.text.descending }.fetchAll(in: database)
        #expect(found.map(\.text).sorted() == texts.sorted(), "\(words)")
      }
    }
  }
}
