import Foundation
import Testing

@testable import MiniORM

@Table("event")
private struct Event: Equatable {
  let id: Int64
  @Column(as: .unixSeconds) var begin: Date?
  @Column(as: .uuidBytes) var uuid: UUID
  @Column(as: .json) var tags: [String] = []
  var day: Date
  var ratio = 1.0
  var count = 1
}

@Table("word")
private struct Word: Identifiable {
  let id: Int64
  var text: String
  @Column(.collate(.nocase)) var folded: String
}

extension Word {
  static var indexes: [Index<Word>] { [Index { $0.text }, Index { $0.folded }] }
}

@Suite("Expressions")
struct ExpressionTests {
  private func ids(
    _ condition: @Sendable (Person.Columns) -> any SQLCondition
  ) async throws -> [Int64] {
    try await withPeople { database, table throws in
      try await table.where(condition).order { $0.id }.fetchAll(in: database).map(\.id)
    }
  }

  @Test("IN takes no value, one value, many values, and nil")
  func isIn() async throws {
    #expect(try await ids { $0.id.isIn([]) } == [])
    #expect(try await ids { !$0.id.isIn([]) } == [1, 2, 3, 4, 5])
    #expect(try await ids { $0.id.isIn([3]) } == [3])
    #expect(try await ids { $0.id.isIn(3...4) } == [3, 4])
    #expect(try await ids { $0.name.isIn(Set(["Ada", "'; --"])) } == [1])
    #expect(try await ids { $0.level.isIn([3, nil]) } == [1, 4], "NULL is in no list")
  }

  @Test("IN works with 100,000 values")
  func many() async throws {
    let people = (1...2000).map { Person(id: $0 * 100, name: "P\($0)") }
    try await withPeople(people) { database, table throws in
      let values = Array(Int64(1)...100_000)
      #expect(try await table.where { $0.id.isIn(values) }.count(in: database) == 1000)
      #expect(try await table.where { !$0.id.isIn(values) }.count(in: database) == 1000)
      let names = (1...100_000).map { "P\($0 * 2)" }
      #expect(try await table.where { $0.name.isIn(names) }.count(in: database) == 1000)
      #expect(try await table.where { $0.id.isIn(values) }.deleteAll(in: database) == 1000)
      #expect(
        try await table.where { $0.id.isIn(values + [100_100]) }.update { $0.age = 1 }
          .run(in: database) == 1)
    }
  }

  @Test("NULL is neither less nor greater than a value, and nil equals nil")
  func nulls() async throws {
    #expect(try await ids { $0.level < 9 } == [1, 2, 4, 5])
    #expect(try await ids { $0.level > 0 } == [1, 2, 4, 5])
    #expect(try await ids { $0.level == nil } == [3])
    #expect(try await ids { $0.level != nil } == [1, 2, 4, 5])
    #expect(try await ids { $0.level != 3 } == [2, 3, 5])
    #expect(try await ids { $0.level == $0.level } == [1, 2, 3, 4, 5])
    #expect(try await ids { $0.level != $0.level } == [])
    #expect(try await ids { !$0.level.isNil } == [1, 2, 4, 5])
    #expect(try await ids { ($0.nickname ?? "none") == "none" } == [2, 5])
  }

  @Test("values with a custom storage are compared in their stored form")
  func representations() async throws {
    try await withFile(DatabaseSchema(Event.self)) { database throws in
      let table = Table<Event>()
      let (early, late) = (Date(timeIntervalSince1970: 100), Date(timeIntervalSince1970: 2e9))
      let uuid = UUID()
      try await table.insert(
        contentsOf: [
          Event(id: 1, begin: early, uuid: uuid, tags: ["a"], day: early),
          Event(id: 2, begin: nil, uuid: UUID(), day: late),
          Event(id: 3, begin: late, uuid: UUID(), day: late),
        ], in: database)
      func ids(_ table: Table<Event>) async throws -> [Int64] {
        try await table.order { $0.id }.fetchAll(in: database).map(\.id)
      }
      #expect(try await ids(table.where { $0.begin == early }) == [1])
      #expect(try await ids(table.where { $0.begin == nil }) == [2])
      #expect(try await ids(table.where { $0.begin > early }) == [3])
      #expect(try await ids(table.where { $0.begin.between(early, and: late) }) == [1, 3])
      #expect(try await ids(table.where { $0.begin.isIn([early, late]) }) == [1, 3])
      #expect(try await ids(table.where { ($0.begin ?? late) == late }) == [2, 3])
      #expect(try await ids(table.where { ($0.begin ?? early) < late }) == [1, 2])
      #expect(try await ids(table.where { $0.uuid == uuid }) == [1])
      #expect(try await ids(table.where { $0.tags == ["a"] }) == [1])
      #expect(try await ids(table.where { $0.day < late }) == [1])
      #expect(try await table.max(of: { $0.begin }, in: database) == late)
      #expect(try await table.min(of: { $0.begin ?? early }, in: database) == early)
      #expect(try await table.max(of: { $0.day }, in: database) == late)
      #expect(
        try await table.where { $0.id == 2 }
          .update {
            $0.begin = early
            $0.tags = ["x", "y"]
            $0.uuid = uuid
          }.run(in: database) == 1)
      #expect(
        try await table.find(2, in: database)
          == Event(id: 2, begin: early, uuid: uuid, tags: ["x", "y"], day: late))
    }
  }

  @Test("arithmetic is as in C, and division by zero gives NULL")
  func arithmetic() async throws {
    #expect(try await ids { $0.age / 7 == 5 } == [1, 5])
    #expect(try await ids { $0.age % 2 == 1 } == [4, 5])
    #expect(try await ids { $0.age - $0.age * 2 < -40 } == [4, 5])
    #expect(try await ids { ($0.score / 2) == 4.75 } == [1, 5])
    #expect(try await ids { $0.age / ($0.age - 20) > 0 } == [1, 4, 5])
    try await withPeople { database, table throws in
      #expect(try await table.max(of: { $0.age / ($0.age - $0.age) }, in: database) == nil)
      let zero = 0
      let errors = [
        try await failure { try await table.max(of: { $0.age / zero }, in: database) },
        try await failure { try await table.max(of: { $0.age % zero }, in: database) },
        try await failure { try await table.where { $0.age / zero == 1 }.fetchAll(in: database) },
        try await failure { try await table.update { $0.age = $0.age / zero }.run(in: database) },
      ]
      #expect(
        Set(errors.map(\.message)) == [
          "A division by 0 is NULL in SQL, but the result is not optional: divide by another value"
        ])
      #expect(try await table.update { $0.score = $0.score / 0 }.run(in: database) == 5)
      #expect(try await table.where { $0.score == nil }.count(in: database) == 5)
    }
    try await withFile(DatabaseSchema(Event.self)) { database throws in
      let row = Event(id: 1, uuid: UUID(), day: Date(), ratio: 2.567, count: -3)
      try await Table<Event>().insert(row, in: database)
      #expect(try await Table<Event>().max(of: { $0.ratio.round(1) }, in: database) == 2.6)
      #expect(try await Table<Event>().max(of: { $0.ratio.round() }, in: database) == 3)
      #expect(try await Table<Event>().max(of: { $0.count.abs() }, in: database) == 3)
    }
  }

  @Test("LIKE and GLOB")
  func patterns() async throws {
    #expect(try await ids { $0.name.like("a%") } == [1])
    #expect(try await ids { $0.name.like("_i_") } == [3])
    #expect(try await ids { $0.name.glob("[A-C]*") } == [1, 2, 3])
    #expect(try await ids { $0.name.glob("a*") } == [])
    #expect(try await ids { $0.nickname.like("%") } == [1, 3, 4])
    #expect(try await ids { $0.name.collate(.nocase) == "ADA" } == [1])
    let texts = ["100%", "100x", "a_b", "axb", #"\"#]
    try await withPeople(texts.enumerated().map { Person(id: Int64($0), name: $1) }) {
      database, table throws in
      #expect(
        try await table.where { $0.name.like(#"100\%"#, escape: #"\"#) }.fetchAll(in: database)
          .map(\.name) == ["100%"])
      #expect(
        try await table.where { $0.name.like("a!_b", escape: "!") }.fetchAll(in: database)
          .map(\.name) == ["a_b"])
      let error = try await failure {
        try await table.where { $0.name.like("pattern", escape: "👨‍👩‍👧") }.count(in: database)
      }
      #expect(error.summary == "step 1 -.- -: ESCAPE expression must be a single character")
    }
  }

  @Test("a prefix search uses an index, also at each boundary of UTF-8")
  func prefixIndex() async throws {
    let edges = [
      "\0", "\u{7F}", "\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}",
      "\u{10000}", "\u{10FFFF}", "Z", "[", "z", "{", "a",
    ]
    let texts = [""] + edges + edges.flatMap { first in edges.map { first + $0 } }
    let words = texts.enumerated().map { Word(id: Int64($0), text: $1, folded: $1) }
    let (table, c) = (Table<Word>(), Word.columns)
    let a = c.text.hasPrefix("a")
    #expect(
      a.sql.text
        == #"(((("word"."text" COLLATE BINARY) >= ?) AND (("word"."text" COLLATE BINARY) < ?)) "#
        + #"AND (ifnull(substr(CAST("word"."text" AS BLOB), ?, ?), "word"."text") = ?))"#)
    #expect(
      try a.sql.values
        == [.text("a"), .text("b"), .integer(1), .integer(1), .blob([UInt8(ascii: "a")])])
    try await withFile(DatabaseSchema(Word.self)) { database throws in
      try await table.insert(contentsOf: words, in: database)
      for prefix in texts {
        let expected = texts.filter { $0.utf8.starts(with: prefix.utf8) }
        for condition in [c.text.hasPrefix(prefix), c.folded.hasPrefix(prefix)] {
          let found = try await table.where { _ in condition }.order { $0.id }
            .fetchAll(in: database)
          #expect(found.map(\.text) == expected)
        }
      }
      let plan = try await table.where { $0.text.hasPrefix("a") }.queryPlan(in: database)
      #expect(plan.uses(index: "index_word_on_text"))
      #expect(plan.searches("word"))
    }
  }

  @Test("prefixes, suffixes and substrings match as in Swift, byte by byte")
  func parts() async throws {
    let texts = [
      "", "a", "A", "ab", "abc", "b", "%", "a%", "_", "a_b", "😀", "a😀", "😀b", "日本語", "é",
      "a\0b", "\0", "b\0", ".", "'",
    ]
    let people = texts.enumerated().map { Person(id: Int64($0 + 1), name: $1, nickname: $1) }
    try await withPeople(people + [Person(id: 99, name: "x", nickname: nil)]) {
      database, table throws in
      for part in texts {
        func names(_ table: Table<Person>) async throws -> [String] {
          try await table.where { $0.id < 99 }.order { $0.id }.fetchAll(in: database).map(\.name)
        }
        func bytes(_ matches: (String.UTF8View) -> Bool) -> [String] {
          texts.filter { matches($0.utf8) }
        }
        let prefixed = bytes { $0.starts(with: part.utf8) }
        let suffixed = bytes { $0.reversed().starts(with: part.utf8.reversed()) }
        let containing = texts.filter { part.isEmpty || $0.utf8.contains(part.utf8) }
        #expect(try await names(table.where { $0.name.hasPrefix(part) }) == prefixed)
        #expect(try await names(table.where { $0.name.hasSuffix(part) }) == suffixed)
        #expect(try await names(table.where { $0.name.contains(part) }) == containing)
        #expect(
          try await names(table.where { !$0.name.hasPrefix(part) })
            == texts.filter { !prefixed.contains($0) })
        #expect(
          try await names(table.where { !$0.name.hasSuffix(part) })
            == texts.filter { !suffixed.contains($0) })
        // A condition on a NULL text is neither true nor false.
        for condition in [
          Person.columns.nickname.hasPrefix(part), Person.columns.nickname.hasSuffix(part),
          Person.columns.nickname.contains(part),
        ] {
          #expect(
            try await table.where { $0.id == 99 && (condition || !condition) }.count(in: database)
              == 0)
        }
      }
    }
  }

  @Test("functions on text")
  func functions() async throws {
    try await withPeople([Person(id: 1, name: " aÉb ", nickname: nil)]) { database, table throws in
      #expect(try await table.max(of: { $0.name.lower() }, in: database) == " aÉb ")
      #expect(try await table.max(of: { $0.name.upper() }, in: database) == " AÉB ")
      #expect(try await table.max(of: { $0.name.trim() }, in: database) == "aÉb")
      #expect(try await table.max(of: { $0.name.length() }, in: database) == 5)
      #expect(try await table.max(of: { $0.nickname.length() }, in: database) == nil)
      #expect(try await table.max(of: { $0.name.substr(2, 2) }, in: database) == "aÉ")
      #expect(
        try await table.max(of: { $0.name.replace("a", with: "'") }, in: database) == " 'Éb ")
      #expect(
        try await table.max(of: { $0.name.trim().appending("!") }, in: database) == "aÉb!")
      #expect(try await table.max(of: { $0.nickname.appending("!") }, in: database) == nil)
    }
  }
}

extension Collection where Element: Equatable {
  fileprivate func contains(_ other: some Collection<Element>) -> Bool {
    indices.contains { self[$0...].starts(with: other) }
  }
}
