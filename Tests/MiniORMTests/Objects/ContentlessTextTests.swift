import Testing

@testable import MiniORM

@Table("page_words")
private struct PageWords: Equatable {
  var title: String?
  var body: String?
}

@Table("strict_words")
private struct StrictWords {
  var title: String
}

@Suite("Contentless full text")
struct ContentlessTextTests {
  private let words = FullTextIndex(contentless: PageWords.self, tokenizer: .porter())

  @Test("rows are found by rowid and read as nil; deleted rows are no longer found")
  func search() async throws {
    try await withFile(DatabaseSchema(objects: [words])) { database throws in
      let table = Table<PageWords>()
      for (title, body) in [
        ("Wine", "red wines"), ("Beer", "a brown one"), ("Tea", "wine's rival"),
      ] {
        try await table.insert(PageWords(title: title, body: body)).run(in: database)
      }
      let found = table.matching(words, "wine")
      let number = SQL.rowID(of: PageWords.self)
      func numbers() async throws -> [Int64] {
        try await found.order { _ in number }.select { _ in number }.fetchAll(in: database)
      }
      #expect(try await numbers() == [1, 3])
      #expect(try await found.limit(1).fetchAll(in: database) == [PageWords()])
      #expect(try await table.where { _ in number == 1 }.delete().run(in: database) == 1)
      #expect(try await numbers() == [3])
      #expect(try await database.schemaReport(for: DatabaseSchema(objects: [words])).isEmpty)
    }
  }

  @Test("a non-optional property is refused, because no text is stored")
  func optionals() async throws {
    let error = try await failure {
      try await withFile(DatabaseSchema(objects: [FullTextIndex(contentless: StrictWords.self)])) {
        _ in
      }
    }
    #expect(
      error.summary
        == "migrate 21 strict_words.- -: The full-text table strict_words stores no text, so title "
        + "reads as nil: declare it as optional")
  }
}
