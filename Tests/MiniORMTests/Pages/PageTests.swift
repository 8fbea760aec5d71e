import Foundation
import Testing

@Suite("SQL and output in the documentation")
struct PageTests {
  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// README and each page of Docs.docc, in order.
  private static func pages() throws -> [Page] {
    let catalog = package.appendingPathComponent("Docs.docc")
    let names = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
      .filter { $0.hasSuffix(".md") }.sorted().map { "Docs.docc/\($0)" }
    return try (["README.md"] + names).map { name in
      try Page(
        name: name,
        text: String(contentsOf: package.appendingPathComponent(name), encoding: .utf8))
    }
  }

  #if os(Linux)
    @Test(
      "each block of SQL or output matches the Swift code above it",
      .enabled(if: TutorialCompiler.here != nil, "swiftc is not on the PATH"))
    func pages() async throws {
      let compiler = try #require(TutorialCompiler.here)
      let pages = try Self.pages()
      #expect(pages.reduce(0) { $0 + $1.blocks.count } > 40)
      let problems = try await PageRun(compiler: compiler).problems(of: pages)
      #expect(problems == [])
    }

    struct Mistake: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let text: String
      let problem: String

      init(_ description: String, _ old: String, _ new: String, _ problem: String) {
        testDescription = description
        text = sound.replacingOccurrences(of: old, with: new)
        self.problem = problem
      }
    }

    @Test(
      .enabled(if: TutorialCompiler.here != nil, "swiftc is not on the PATH"),
      arguments: [
        Mistake("nothing", "", "", ""),
        Mistake(
          "another statement", #"= ?)"#, #"<> ?)"#,
          """
          A.md:16: the code of line 3 does not run SELECT "id","name" FROM "city" \
          WHERE("city"."name" <> ?)
          """),
        Mistake(
          "another column of a table", #""name" TEXT"#, #""nome" TEXT"#,
          """
          A.md:16: the code of line 3 does not run CREATE TABLE "city"(\
          "id" INTEGER PRIMARY KEY NOT NULL,"nome" TEXT NOT NULL)STRICT
          """),
        Mistake(
          "a statement of another block", "DELETE FROM", "SELECT * FROM",
          #"A.md:35: the code of line 26 does not run SELECT * FROM "…""#),
        Mistake(
          "SQL of a shell without its excuse", "<!-- not run: typed into a shell -->\n", "",
          "A.md:39: the code of line 26 does not run PRAGMA key = 'secret'"),
        Mistake(
          "an excuse above something else", "shell -->\n```sql", "shell -->\n```sh",
          #"A.md:39: "not run" stands above another block"#),
        Mistake(
          "another output", "Reims!\n", "Rheims!\n",
          "A.md:31: the code of line 26 does not run Rheims!"
        ),
        Mistake(
          "another function of an expression", "`lower`", "`upper`",
          "A.md:47: the code of line 47 does not run …upper…"),
        Mistake(
          "a table of expressions without its table", "<!-- expressions of cities -->", "",
          "A.md:47: a comment has to say of which table these are expressions"),
        Mistake(
          "SQL without Swift", "# A\n", "# A\n```sql\nSELECT 1\n```\n",
          "A.md:3: no Swift stands above this SQL"),
        Mistake(
          "SQL that is not marked as such", "```sql\nDELETE", "```\nDELETE",
          "A.md:35: a block of SQL begins with ```sql"),
        Mistake(
          "code that does not compile", "$0.name ==", "$0.nome ==", "A.md: it does not compile:"),
        Mistake(
          "code that ends with an error", "try await database.migrate(", "print(",
          "A.md: its program ends with"),
      ])
    func mistakes(mistake: Mistake) async throws {
      let compiler = try #require(TutorialCompiler.here)
      let page = Page(name: "A.md", text: mistake.text)
      let problems = try await PageRun(compiler: compiler).problems(of: [page])
      // The message continues with the block's statements or the compiler's output.
      #expect(
        problems.map { $0.prefix { $0 != "\n" } }
          .joined(separator: "\n").hasPrefix(mistake.problem))
      #expect(problems.isEmpty == mistake.problem.isEmpty)
    }
  #endif
}

/// A page without errors.
private let sound = """
  # A
  ```swift
  import MiniORM

  @Table("city") struct City: Identifiable {
    let id: Int64
    var name: String
  }
  let database = try await Database.inMemory()
  try await database.migrate(DatabaseSchema(City.self))
  let cities = Table<City>()
  let found = try await cities.where { $0.name == "Reims" }.fetchAll(in: database)
  ```

  ```sql
  CREATE TABLE "city" (
    "id" INTEGER PRIMARY KEY NOT NULL,
    "name" TEXT NOT NULL
  ) STRICT

  SELECT "id", "name" FROM "city"
  WHERE ("city"."name" = ?)  -- a comment
  ```

  ```swift
  let deletion = cities.delete()
  print("Reims!")
  ```

  ```
  Reims!
  ```

  ```sql
  DELETE FROM "…"
  ```

  <!-- not run: typed into a shell -->
  ```sql
  PRAGMA key = 'secret'
  ```

  <!-- expressions of cities -->

  | for | write | SQL |
  |---|---|---|
  | comparing | `$0.name.lower()`, or a collation | `lower` |
  """
