#if os(Linux)
  import Foundation
  import Testing

  /// The lines of Tests/Compiled, as the compiler sees them. Each line is a member of a model, a
  /// type, an expression or a statement. Lines after `>` are the expected first errors at the line
  /// above; without one, the line above compiles without a warning. A line after `//` is a comment.
  ///
  /// The test that fails prints the actual message, which can be copied if it helps the reader.
  @Suite(
    "Declarations and mistakes, compiled",
    .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct CompiledLinesTests {
    @Test(
      "each form of a declaration compiles, or is refused at its line with the expected message")
    func declarations() throws {
      let lines = try CompiledLines(file: "declarations.txt")
      #expect(lines.entries.count >= 340)
      #expect(lines.entries.count { $0.messages.isEmpty } >= 200)
      try lines.check()
    }

    @Test("each typical mistake is refused at its line with the expected message")
    func mistakes() throws {
      let lines = try CompiledLines(file: "mistakes.txt")
      #expect(lines.entries.count { !$0.messages.isEmpty } >= 100)
      #expect(lines.entries.count { $0.kind.hasPrefix("unhelpful") } <= 5)
      try lines.check()
    }
  }

  private struct CompiledLines {
    struct Entry {
      let kind: String
      let text: String
      var messages: [String] = []

      /// The line of Swift.
      /// - Parameter index: A number that makes names unique.
      func source(_ index: Int) -> String {
        switch kind {
        case "member": "@Table struct S\(index) { let key: Int64; \(text) }"
        case "type": text.replacing(/\bS\b/, with: "S\(index)")
        case "expression", "unhelpful expression": "func f\(index)() { _ = \(text) }"
        default: "func f\(index)(_ db: Database) async throws { \(text) }"
        }
      }
    }

    private(set) var preamble: [String] = []
    private(set) var entries: [Entry] = []

    init(file: String) throws {
      let compiler = try #require(Compiler.here)
      let path = compiler.package.appendingPathComponent("Tests/Compiled/\(file)")
      var kind = ""
      for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
        if line.hasPrefix("// ") {
          continue
        } else if line.hasPrefix("# ") {
          kind = String(line.dropFirst(2))
        } else if line.hasPrefix("> "), let last = entries.indices.last {
          entries[last].messages.append(String(line.dropFirst(2)))
        } else if kind == "preamble" {
          preamble.append(String(line))
        } else {
          entries.append(Entry(kind: kind, text: String(line)))
        }
      }
    }

    func check() throws {
      let compiler = try #require(Compiler.here)
      let numbered = Array(entries.enumerated())
      let flags = ["-package-name", "tests"]
      let right = numbered.filter { $0.element.messages.isEmpty }.map {
        $0.element.source($0.offset)
      }
      let unexpected = try compiler.errors(
        in: (preamble + right).joined(separator: "\n"), flags + ["-warnings-as-errors"])
      #expect(unexpected == [])

      let wrong = numbered.filter { !$0.element.messages.isEmpty }
      let source = preamble + wrong.map { $0.element.source($0.offset) }
      var found: [Int: [String]] = [:]
      for error in try compiler.errors(in: source.joined(separator: "\n"), flags) {
        guard let match = error.wholeMatch(of: /source\.swift:(\d+):\d+: error: (.*)/),
          let line = Int(match.1)
        else { continue }
        let message = match.2.components(separatedBy: " (from macro '").first ?? ""
        found[line, default: []].append(message.replacing(/\bS\d+\b/, with: "S"))
      }
      for (index, entry) in wrong.enumerated() {
        let messages = entry.element.messages
        let first = found[preamble.count + index + 1, default: []].prefix(messages.count)
        #expect(Array(first) == messages, "\(entry.element.text)")
      }
    }
  }
#endif
