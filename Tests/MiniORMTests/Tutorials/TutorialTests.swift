import Foundation
import TestSupport
import Testing

@Suite("Tutorials")
struct TutorialTests {
  static let catalog = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Docs.docc")

  @Test("each step is short, changes little and shows an existing file")
  func rules() throws {
    let catalog = try TutorialCatalog(folder: Self.catalog)
    #expect(catalog.problems == [])
    // The number of pages, without the table of contents: guards against skipped pages.
    #expect(catalog.tutorials.count == catalog.paths.count { $0.hasSuffix(".tutorial") } - 1)
    #expect(catalog.tutorials.count >= 6)
    #expect(catalog.tutorials.allSatisfy { $0.steps.count > 10 })
  }

  #if os(Linux)
    @Test(
      "every step compiles, and every command prints the output shown",
      .enabled(if: TutorialCompiler.here != nil, "swiftc is not on the PATH"))
    func replay() async throws {
      let compiler = try #require(TutorialCompiler.here)
      let catalog = try TutorialCatalog(folder: Self.catalog)
      let problems = try await TutorialReplay(catalog, with: compiler).problems()
      #expect(problems == [])
    }
  #endif
}

/// Planted errors, which the rules and the replay must report.
@Suite("Mistakes in tutorials")
struct TutorialMistakeTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let path: String
    let replacement: String?
    let problems: [String]

    /// - Parameter change: Returns the changed text of the file; `nil` deletes the file.
    init(
      _ description: String, in path: String, _ change: (String) -> String?, _ problems: String...
    ) {
      testDescription = description
      self.path = path
      replacement = change(sound[path] ?? "")
      self.problems = problems
    }

    var catalog: TutorialCatalog {
      var files = sound
      files[path] = replacement
      return TutorialCatalog(files: files)
    }
  }

  @Test("a correct catalog has no problems")
  func soundCatalog() {
    #expect(TutorialCatalog(files: sound).problems == [])
  }

  @Test("a volume begins with an empty package")
  func volume() {
    #expect(TutorialCatalog(files: soundVolume).problems == [])
    let catalog = TutorialCatalog(
      files: soundVolume.mapValues { $0.replacingOccurrences(of: "@Volume", with: "@Chapter") })
    #expect(
      catalog.problems == [
        "B.tutorial:9: previousFile is missing, and A-2.swift came before"
      ])
  }

  @Test(arguments: [
    Mistake(
      "a missing file", in: "Tutorials/Resources/A-2.swift", { _ in nil },
      "A.tutorial:9: A-2.swift does not exist"),
    Mistake(
      "an unused file", in: "Tutorials/Resources/B.swift", { _ in "" },
      "Tutorials/Resources/B.swift: no step shows it"),
    Mistake(
      "two files of one name", in: "Images/a-1.swift", { _ in "" },
      "Images/a-1.swift and Tutorials/Resources/A-1.swift: DocC finds files by name alone, and "
        + "shows only one"),
    Mistake(
      "a long file", in: "Tutorials/Resources/A-1.swift",
      { _ in String(repeating: "//\n", count: 76) },
      "A-1.swift: 76 lines, and 75 are allowed",
      "A.tutorial:4: A-1.swift changes 76 lines, and 12 are allowed",
      "A.tutorial:9: A-2.swift changes 76 lines, and 12 are allowed"),
    Mistake(
      "a wide file", in: "Tutorials/Resources/A-2.swift",
      { "//" + String(repeating: "é", count: 64) + "\n" + $0 },
      "A-2.swift:1: 66 columns, and 65 are allowed"),
    Mistake(
      "a step without words", in: "Tutorials/A.tutorial",
      { $0.replacingOccurrences(of: words + "\n@Code(name: \"Ma", with: "No.\n@Code(name: \"Ma") },
      "A.tutorial:4: a step of 1 words, and 25 to 60 are allowed",
      "A.tutorial:9: a step of 1 words, and 25 to 60 are allowed"),
    Mistake(
      "a step of many words", in: "Tutorials/A.tutorial",
      {
        $0.replacingOccurrences(of: "@Code(name: \"Te", with: words + words + "\n@Code(name: \"Te")
      },
      "A.tutorial:14: a step of 113 words, and 25 to 60 are allowed"),
    Mistake(
      "a step that changes nothing", in: "Tutorials/Resources/A-2.swift",
      { _ in sound["Tutorials/Resources/A-1.swift"] },
      "A.tutorial:9: A-2.swift changes nothing"),
    Mistake(
      "changes against another file", in: "Tutorials/A.tutorial",
      { $0.replacingOccurrences(of: ", previousFile: \"A-1.swift\"", with: "") },
      "A.tutorial:9: previousFile is missing, and A-1.swift came before"),
    Mistake(
      "no question", in: "Tutorials/A.tutorial",
      { $0.replacingOccurrences(of: "@MultipleChoice", with: "@Comment") },
      "A.tutorial: it asks nothing at its end"),
    Mistake(
      "a brace too few", in: "Tutorials/A.tutorial", { String($0.dropLast(2)) },
      "A.tutorial: @Tutorial is not closed"),
    Mistake(
      "a tutorial that nobody finds", in: "Tutorials/B.tutorial", { _ in "" },
      "B.tutorial: no table of contents lists it"),
    Mistake(
      "a tutorial that is not there", in: "Tutorials/Contents.tutorial",
      { $0 + "@TutorialReference(tutorial: \"doc:B\")\n" },
      "B.tutorial: a table of contents lists it, and it does not exist"),
  ])
  func rules(mistake: Mistake) {
    #expect(mistake.catalog.problems == mistake.problems)
  }

  #if os(Linux)
    @Test(
      .enabled(if: TutorialCompiler.here != nil, "swiftc is not on the PATH"),
      arguments: [
        Mistake(
          "an error in a step", in: "Tutorials/Resources/A-1.swift",
          { $0.replacingOccurrences(of: "$0.name", with: "$0.nome") },
          """
          A.tutorial:4: A-1.swift does not compile:
          Main.swift:4:36: error: value of type 'City.Columns' has no member 'nome'
          """),
        Mistake(
          "a warning in a step", in: "Tutorials/Resources/A-2.swift",
          { $0.replacingOccurrences(of: "print(q", with: "let a = 1; print(q") },
          """
          A.tutorial:9: A-2.swift does not compile:
          Main.swift:5:7: warning: initialization of immutable value 'a' was never used; \
          consider replacing with assignment to '_' or removing it [#no-usage]
          """),
        Mistake(
          "other outputs and commands that fail, also in a second terminal; other times and names of "
            + "generations, which are allowed",
          in: "Tutorials/Resources/A-3.txt",
          { _ in
            """
            $ swift run
            2
            $ rm nothing
            $ echo 01a223ce3598-c8657d4fbb899f85 2026-11-28 20:17:26.104 +0000 2
            01b334df46a9-d9768e5accba0a96 2026-11-30 07:15:02.986 +0000 2
            $ echo 01a223ce3598-c8657d4fbb899f85 2026-11-28 20:17:26.104 +0000 2
            01a223ce3598-c8657d4fbb899f85 2026-11-28 20:17:26.104 +0000 3
            $ sh -c 'echo 1; until [ -e two ]; do sleep 0.01; done; echo 2'
            1
            2$ touch two
            3
            $ sh -c 'echo 1'
            1
            2$ rm nothing

            """
          },
          """
          A-3.txt: swift run
          prints:
          1
          and the tutorial shows:
          2

          """,
          """
          A-3.txt: rm nothing
          prints:
          rm: cannot remove 'nothing': No such file or directory
          (status 1)
          and the tutorial shows:

          """,
          """
          A-3.txt: echo 01a223ce3598-c8657d4fbb899f85 2026-11-28 20:17:26.104 +0000 2
          prints:
          01a223ce3598-c8657d4fbb899f85 2026-11-28 20:17:26.104 +0000 2
          and the tutorial shows:
          01a223ce3598-c8657d4fbb899f85 2026-11-28 20:17:26.104 +0000 3

          """,
          """
          A-3.txt: sh -c 'echo 1; until [ -e two ]; do sleep 0.01; done; echo 2'
          prints:
          1
          2
          and the tutorial shows:
          1
          3

          """,
          """
          A-3.txt: sh -c 'echo 1'
          prints:
          1
          rm: cannot remove 'nothing': No such file or directory
          (status 1)
          and the tutorial shows:
          1

          """),
      ])
    func replay(mistake: Mistake) async throws {
      let compiler = try #require(TutorialCompiler.here)
      let problems = try await TutorialReplay(mistake.catalog, with: compiler).problems()
      // Compares the compiler's message without the quoted source line.
      let said = problems.map { problem in
        problem.split(separator: "\n", omittingEmptySubsequences: false)
          .prefix(problem.contains("does not compile") ? 2 : .max).joined(separator: "\n")
      }
      #expect(said == mistake.problems)
    }

    @Test(
      "a program's tests run, and a failing test is found",
      .enabled(if: TutorialCompiler.here != nil, "swiftc is not on the PATH"))
    func programTests() async throws {
      let compiler = try #require(TutorialCompiler.here)
      let catalog = TutorialCatalog(files: soundVolume)
      // The only problem: the first program runs, and so does the test that passes.
      #expect(
        try await TutorialReplay(catalog, with: compiler).problems() == [
          """
          B-4.txt: swift test 2>&1 | grep -o 'is[A-Z][a-z]*() [pf]a[a-z]*ed'|sort
          prints:
          isEight() failed
          isSeven() passed
          and the tutorial shows:
          isEight() passed
          isSeven() passed

          """
        ])
    }

    // While linking, `swiftc` writes a file named after the module beside the first object file.
    @Test("a program is linked in its own folder, separate from programs with the same name")
    func ownFolder() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      defer { try? FileManager.default.removeItem(at: folder) }
      let build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      let package = TutorialTests.catalog.deletingLastPathComponent()
      let objects = try libraryObjects(of: package, builtIn: build, linkedIn: folder)
      #expect(objects.count > 100)
      for object in objects {
        #expect(object.hasPrefix(folder.path + "/"))
        #expect(FileManager.default.fileExists(atPath: object), "\(object) is not built")
      }
    }
  #endif
}

private let words = Array(repeating: "word", count: 38).joined(separator: " ")

/// A catalog without errors.
private let sound = [
  "Tutorials/Contents.tutorial": """
  @Tutorials(name: "All") {
  }
  @TutorialReference(tutorial: "doc:A")

  """,
  "Tutorials/A.tutorial": """
  @Tutorial(time: 1) {
  @Steps {

  @Step {
  \(words)
  @Code(name: "Main.swift", file: "A-1.swift")
  }

  @Step {
  \(words)
  @Code(name: "Main.swift", file: "A-2.swift", previousFile: "A-1.swift")
  }

  @Step {
  \(words)
  @Code(name: "Terminal", file: "A-3.txt", reset: true)
  }
  }
  @MultipleChoice {
  }
  }

  """,
  "Tutorials/Resources/A-1.swift": """
  import MiniORM
  @Table struct City { var name: String }
  @main struct Program { static func main() {
    let q = Table<City>().where { $0.name == "" }
    _ = q
  } }

  """,
  "Tutorials/Resources/A-2.swift": """
  import MiniORM
  @Table struct City { var name: String }
  @main struct Program { static func main() {
    let q = Table<City>().where { $0.name == "" }
    print(q.sql.text.contains("WHERE") ? 1 : 0)
  } }

  """,
  "Tutorials/Resources/A-3.txt": """
  $ swift run
  1

  """,
]

/// The same catalog with tests and with a second program that has a file of the same name.
private let soundVolume = sound.merging([
  "Tutorials/Contents.tutorial": """
  @Tutorials(name: "All") {
  @TutorialReference(tutorial: "doc:A")
  @Volume(name: "More") {
  @TutorialReference(tutorial: "doc:B")
  }
  }

  """,
  "Tutorials/B.tutorial": """
  @Tutorial(time: 1) {
  @Steps {

  @Step {
  \(words)
  @Code(name: "Package.swift", file: "B-1.swift")
  }

  @Step {
  \(words)
  @Code(name: "Main.swift", file: "B-2.swift")
  }

  @Step {
  \(words)
  @Code(name: "MainTests.swift", file: "B-3.swift")
  }

  @Step {
  \(words)
  @Code(name: "Terminal", file: "B-4.txt", reset: true)
  }
  }
  @MultipleChoice {
  }
  }

  """,
  "Tutorials/Resources/B-1.swift": """
  import PackageDescription
  let package = Package(name: "Seven")

  """,
  "Tutorials/Resources/B-2.swift": """
  let seven = 7
  @main struct Program { static func main() { print(seven) } }

  """,
  "Tutorials/Resources/B-3.swift": """
  import Testing
  @testable import Seven
  @Test func isSeven() { #expect(seven == 7) }
  @Test func isEight() { #expect(seven == 8) }

  """,
  "Tutorials/Resources/B-4.txt": """
  $ swift test 2>&1 | grep -o 'is[A-Z][a-z]*() [pf]a[a-z]*ed'|sort
  isEight() passed
  isSeven() passed

  """,
]) { _, new in new }
