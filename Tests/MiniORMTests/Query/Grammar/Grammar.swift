import Foundation
import Testing

@testable import MiniORM

/// The rows of Docs.docc/Grammar.md: a production of SQLite's grammar, the Swift code for the
/// production, and the SQL.
///
/// The neighbouring files have a call for each row, after a comment with the production.
/// ``GrammarTests`` compare the source text of each call with the page, and run each call.
struct Grammar {
  /// A row's statement.
  struct Line: Sendable {
    let sql: SQL
    let run: @Sendable (Database) async throws -> Void

    /// The SQL as printed on the page: the full column list of a table becomes `…`.
    var text: String {
      sql.text.replacing(#/"(\w+)"\."\w+"(?: AS "\w+")?(?:, "\1"\."\w+"(?: AS "\w+")?){3,}/#) { _ in
        "…"
      }
      .replacing(#/SELECT "\w+"(?:, "\w+"){3,}/#) { _ in "SELECT …" }
    }
  }

  private(set) var lines: [Line] = []

  mutating func query<Q: SelectStatement>(_ body: () -> Q) {
    let query = body()
    lines.append(Line(sql: query.sql) { _ = try await query.fetchAll(in: $0) })
  }

  mutating func change(_ body: () -> some Change) {
    let change = body()
    lines.append(Line(sql: change.sql) { _ = try await change.run(in: $0) })
  }

  mutating func returning<Output>(_ body: () -> Returning<Output>) {
    let returning = body()
    lines.append(Line(sql: returning.sql) { _ = try await returning.fetchAll(in: $0) })
  }

  /// Adds an expression over the columns of `Article`.
  mutating func article<Value: Sendable>(_ body: (Market.Article.Columns) -> TypedExpression<Value>)
  {
    expression(Market.articles.select(body), body(Market.Article.columns))
  }

  /// Adds an expression over the columns of `Customer`.
  mutating func customer<Value: Sendable>(
    _ body: (Market.Customer.Columns) -> TypedExpression<Value>
  ) {
    expression(Market.customers.select(body), body(Market.Customer.columns))
  }

  private mutating func expression<Value>(
    _ query: Select<Value>, _ expression: TypedExpression<Value>
  ) {
    lines.append(Line(sql: expression.sql) { _ = try await query.fetchAll(in: $0) })
  }
}

/// A row of a table on the page, or a call in a source file.
struct GrammarRow: Equatable, CustomStringConvertible {
  let production: String
  /// Empty if the production has no Swift form.
  let swift: String
  /// Empty in a source file, or if the production has no Swift form.
  var sql = ""

  /// The row in the page's Markdown.
  var description: String {
    func cell(_ text: String) -> String { text.replacing("|", with: "\\|") }
    func code(_ text: String) -> String { text.isEmpty ? "" : "`\(cell(text))`" }
    return "| \(cell(production)) | \(code(swift)) | \(code(sql)) |"
  }

  /// Reads the rows of a source file.
  static func rows(ofSource text: String) -> [GrammarRow] {
    var rows: [GrammarRow] = []
    var production = ""
    var body: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.trimmingCharacters(in: .whitespaces)
      if let open = body {
        if line == "    }" {
          rows.append(GrammarRow(production: production, swift: joined(open)))
          body = nil
        } else {
          body = open + [words]
        }
      } else if words.hasPrefix("// - ") {
        production = String(words.dropFirst(5))
        if production.contains(" – ") { rows.append(GrammarRow(production: production, swift: "")) }
      } else if words.hasPrefix("grammar.") {
        if words.hasSuffix("}") {
          let inside = words.drop { $0 != "{" }.dropFirst().dropLast()
          rows.append(
            GrammarRow(
              production: production, swift: inside.trimmingCharacters(in: .whitespaces)))
        } else {
          body = []
        }
      }
    }
    return rows
  }

  /// Joins the lines of a closure into a single line.
  private static func joined(_ lines: [String]) -> String {
    lines.reduce(into: "") { text, line in
      let glued = text.isEmpty || text.hasSuffix("(") || line.hasPrefix(".") || line.hasPrefix(")")
      // Only assignments follow each other on separate lines.
      let isNext = line.hasPrefix("$0.") && !text.hasSuffix("{") && !text.hasSuffix("(")
      text += (isNext ? "; " : glued ? "" : " ") + line
    }
  }

  /// Reads the rows of the page's tables.
  static func rows(ofPage text: String) -> [GrammarRow] {
    text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Production") }
      .map { line in
        let cells = line.replacing("\\|", with: "\u{1}").split(separator: "|").map {
          $0.replacing("\u{1}", with: "|").trimmingCharacters(in: .whitespaces)
        }
        func code(_ index: Int) -> String {
          guard cells.indices.contains(index) else { return "" }
          return cells[index].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            .trimmingCharacters(in: .whitespaces)
        }
        return GrammarRow(production: cells.first ?? "", swift: code(1), sql: code(2))
      }
  }
}

extension Market {
  @Table("visit", columns: .snakeCase)
  struct Visit: Identifiable, Equatable {
    let id: Int64
    var day = 0
    var count = 1
    var isCounted = true
  }

  static let visits = Table<Visit>()
  static let articleText: FullTextIndex<Article> = FullTextIndex("article_text", of: Article.self) {
    ($0.name, $0.madeBy)
  }
}

extension Market.Visit {
  static var indexes: [Index<Market.Visit>] {
    [Index("visit_on_day", unique: true, where: { $0.isCounted }) { $0.day }]
  }
}

@Suite("The grammar table")
struct GrammarTests {
  private static let parts: [(file: String, make: @Sendable (inout Grammar) -> Void)] = [
    ("SelectGrammar", Market.selectGrammar), ("ExpressionGrammar", Market.expressionGrammar),
    ("WriteGrammar", Market.writeGrammar),
  ]

  /// The market's schema, with the objects that some rows need.
  private static let schema = DatabaseSchema(
    Market.City.self, Market.Customer.self, Market.Branch.self, Market.Article.self,
    Market.Purchase.self, Market.Item.self, Market.Visit.self, objects: [Market.articleText])

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.functions = [
      SQLFunction("regexp", deterministic: true) { (pattern: String, text: String) in
        try text.firstMatch(of: Regex(pattern)) != nil
      }
    ]
    return configuration
  }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  @Test("each line of the page compiles, produces the SQL beside it, and runs")
  func page() async throws {
    let page = Self.folder.appendingPathComponent("../../../../Docs.docc/Grammar.md")
    let found = GrammarRow.rows(ofPage: try String(contentsOf: page, encoding: .utf8))
    var expected: [GrammarRow] = []
    var lines: [Grammar.Line] = []
    var counts: [(String, Int)] = []
    for (file, make) in Self.parts {
      let source = Self.folder.appendingPathComponent("\(file).swift")
      var rows = GrammarRow.rows(ofSource: try String(contentsOf: source, encoding: .utf8))
      var grammar = Grammar()
      make(&grammar)
      let said = rows.indices.filter { !rows[$0].swift.isEmpty }
      try #require(said.count == grammar.lines.count, "\(file)")
      for (index, line) in zip(said, grammar.lines) { rows[index].sql = line.text }
      expected += rows
      counts.append((file, rows.count))
      lines += grammar.lines
    }
    for (one, other) in zip(found, expected) where one != other {
      Issue.record("The page has\n\(one)\nand the sources have\n\(other)")
      break
    }
    if ProcessInfo.processInfo.environment["GRAMMAR"] != nil {
      print("GRAMMAR-ROWS-BEGIN")
      var rest = expected[...]
      for (file, count) in counts {
        print("## \(file)")
        for row in rest.prefix(count) { print(row) }
        rest = rest.dropFirst(count)
      }
      print("GRAMMAR-ROWS-END")
    }
    #expect(found.count == expected.count)
    #expect(found.filter { !$0.swift.isEmpty }.count > 100)
    try await withTemporaryDatabase(configuration: Self.configuration) { database throws in
      try await database.migrate(Self.schema)
      for line in lines {
        do {
          try await line.run(database)
        } catch {
          Issue.record("\(line.sql.text): \(error)")
        }
      }
    }
  }
}
