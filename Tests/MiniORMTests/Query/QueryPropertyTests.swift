import Testing

@testable import MiniORM

@Suite("Generated queries")
struct QueryPropertyTests {
  @Test(
    "5,200 random queries return the same rows as hand-written SQL", arguments: 0..<8
  )
  func random(seed: Int) async throws {
    try await withFile(DatabaseSchema(Alpha.self, Beta.self, Gamma.self)) { database throws in
      try await GeneratedRows(seed: UInt64(seed)).insert(into: database)
      let (differences, filled, texts) = try await database.read { db in
        var generator = QueryGenerator(seed: UInt64(seed) + 9_000)
        var (differences, filled, texts): ([String], Int, Set<String>) = ([], 0, [])
        for _ in 0..<650 {
          let query = generator.query()
          let (count, report) = try query.difference(in: db)
          if count > 0 { filled += 1 }
          if let report, differences.count < 3 { differences.append(report) }
          texts.insert(query.text)
        }
        return (differences, filled, texts.count)
      }
      #expect(differences == [])
      // Guards against repeated queries and empty results.
      #expect(texts > 600)
      #expect(filled > 350)
    }
  }
}
