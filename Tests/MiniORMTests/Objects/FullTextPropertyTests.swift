import Testing

@testable import MiniORM

@Suite("Full-text indexes after changes")
struct FullTextPropertyTests {
  private static let words = ["red", "green", "blue", "wine", "Reims", "oslo", "été"]

  /// Statements of every kind. The few texts and keys often collide.
  private static func statement(_ random: inout SeededRandom) -> SQL {
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    func text() -> String {
      (0..<pick(4)).map { _ in words[pick(words.count)] }.joined(separator: " ")
    }
    let id = pick(40) + 1
    let slug = ["a", "B", "b", "c", "D", "d", "e", "f"][pick(8)] + "\(pick(6))"
    let body = pick(4) == 0 ? DatabaseValue.null : .text(text())
    let views = pick(120)
    let policy = ["", " OR REPLACE", " OR IGNORE", " OR FAIL", " OR ABORT"][pick(5)]
    switch pick(12) {
    case 0...2:
      return """
        INSERT\(raw: policy) INTO article (id, slug, title, body, views)
        VALUES (\(id), \(slug), \(text()), \(body), \(views))
        """
    case 3:
      return """
        INSERT\(raw: policy) INTO article (slug, title, body) VALUES (\(slug), \(text()), \(body))
        """
    case 4:
      return """
        INSERT INTO article (id, slug, title, views) VALUES (\(id), \(slug), \(text()), \(views))
        ON CONFLICT (slug) DO UPDATE SET title = excluded.title, body = \(body)
        ON CONFLICT DO NOTHING
        """
    case 5:
      return """
        INSERT INTO article (id, slug, title) VALUES (\(id), \(slug), \(text()))
        ON CONFLICT (id) DO UPDATE SET title = excluded.title || ' blue', id = \(pick(40) + 1)
        """
    case 6:
      return """
        INSERT\(raw: policy) INTO article (id, slug, title, body)
        SELECT id + 1, slug || 'x', body, title FROM article WHERE id % 5 = \(pick(5)) AND body <> ''
        """
    case 7: return "DELETE FROM article WHERE id = \(id) OR slug = \(slug)"
    case 8: return "UPDATE\(raw: policy) article SET id = \(pick(40) + 1) WHERE id = \(id)"
    case 9:
      return "UPDATE\(raw: policy) article SET slug = \(slug), title = \(text()) WHERE id = \(id)"
    case 10: return "UPDATE\(raw: policy) article SET views = \(views), title = upper(title)"
    default: return "UPDATE article SET body = \(body) WHERE id BETWEEN \(id) AND \(id + 3)"
    }
  }

  @Test(
    "after any inserts, updates, upserts, deletes and REPLACEs, the index equals a new index",
    arguments: [false, true], [1, 2] as [UInt64])
  func changes(recursiveTriggers: Bool, seed: UInt64) async throws {
    try await withArticles { database throws in
      let failures = try await database.write { db in
        _ = try Connection.text("PRAGMA recursive_triggers = \(recursiveTriggers)", db.handle)
        var random = SeededRandom(seed)
        var failures: [String] = []
        var done = 0
        var replaced = 0
        for number in 0..<1_000 {
          let statement = Self.statement(&random)
          let before = try db.value(Int.self, "SELECT count(*) FROM article") ?? 0
          do {
            let count = try db.transaction { db in try db.execute(statement) }
            done += 1
            let after = try db.value(Int.self, "SELECT count(*) FROM article") ?? 0
            if statement.text.contains("REPLACE"), after < before + count { replaced += 1 }
          } catch let error as DatabaseError where error.code.primary == .constraint {
          }
          if number % 10 == 9 {
            do {
              try articleText.run(.integrityCheck, in: db)
            } catch {
              failures.append("\(number): \(statement.text): \(error)")
              try articleText.run(.rebuild, in: db)
            }
          }
        }
        if done < 600 || replaced < 50 {
          failures.append("only \(done) done, \(replaced) replaced")
        }
        return failures
      }
      #expect(failures == [])
      try await expectEqualAnswers(in: database)
    }
  }

  private func expectEqualAnswers(in database: Database) async throws {
    let rows = try await articles.fetchAll(in: database)
    var cases = Self.words.map { word in
      (Match(words: word), "\"\(word)\"", rows.filter { $0.has(word) }.map(\.id))
    }
    for one in Self.words {
      for two in Self.words {
        cases += [
          (
            .phrase(one) && .phrase(two), "\(one) AND \(two)",
            rows.filter { $0.has(one) && $0.has(two) }.map(\.id)
          ),
          (
            Match(words: "\(one) \(two)"), "\(one) \(two)",
            rows.filter { $0.has(one) && $0.has(two) }.map(\.id)
          ),
          (
            Match(words: one) || Match(words: two), "\(one) OR \(two)",
            rows.filter { $0.has(one) || $0.has(two) }.map(\.id)
          ),
          (
            Match(words: one).excluding(Match(words: two)), "\(one) NOT \(two)",
            rows.filter { $0.has(one) && !$0.has(two) }.map(\.id)
          ),
        ]
      }
    }
    for (match, text, ids) in cases {
      let found = try await articles.matching(articleText, match).order { $0.id }
        .select { $0.id }.fetchAll(in: database)
      #expect(found == ids, "\(match.text)")
      let best = try await articles.matching(articleText, match)
        .order { ($0.rank, $0.id) }.select { ($0.id, $0.rank, $0.highlight($0.title, "[", "]")) }
        .fetchAll(in: database)
      let own = try await database.read { db in
        try db.query(
          """
          SELECT rowid, rank, highlight(article_text, 0, '[', ']') FROM article_text(\(text))
          ORDER BY rank, rowid
          """)
      }
      #expect(
        best.map { [.integer($0.0), .real($0.1), $0.2.map(DatabaseValue.text) ?? .null] }
          == own.map(\.values))
    }
    #expect(rows.count > 10 && cases.contains { !$0.2.isEmpty && $0.2.count < rows.count })
  }
}

extension Article {
  fileprivate func has(_ word: String) -> Bool {
    (title + " " + (body ?? "")).lowercased().split(separator: " ").contains {
      $0 == word.lowercased()
    }
  }
}
