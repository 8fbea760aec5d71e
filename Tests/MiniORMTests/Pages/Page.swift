import Foundation

/// A documentation page: the programs in its Swift blocks, with the blocks of SQL and output.
///
/// Programs are assembled as in `scripts/check-snippets`. Between the blocks they call functions of
/// ``PageRun``, which attribute statements and output to blocks.
struct Page: Sendable {
  /// A block of SQL, or a block of output, which has no language.
  struct Shown: Sendable {
    let line: Int
    /// The line of the preceding Swift block.
    let swiftLine: Int
    /// The statements or lines. The Swift block must run or print each of them.
    let statements: [String]
  }

  let name: String
  /// The source of each program.
  private(set) var programs: [String] = []
  private(set) var blocks: [Shown] = []
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - name: The page's name in messages.
  ///   - text: The page's Markdown.
  init(name: String, text: String) {
    self.name = name
    var program: [Substring] = []
    var isHidden = false
    var excuse: Int?
    var fence: (language: Substring, line: Int, indent: Int)?
    var code: [Substring] = []
    var swiftLine: Int?
    var models: [Substring] = []
    var tables = PageTables(page: name)

    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) {
      let start = line.drop { $0 == " " }
      if let (language, first, indent) = fence {
        guard start == "```" else {
          code.append(line.dropFirst(indent))
          continue
        }
        fence = nil
        if language == "swift", code.first?.hasPrefix("// Package.swift") != true {
          swiftLine = first
          program += Self.program(code, at: first, of: name, &models)
        } else if language == "sql", excuse != first - 1 {
          if let swiftLine {
            blocks.append(
              Shown(line: first, swiftLine: swiftLine, statements: Self.statements(in: code)))
          } else {
            problems.append("\(name):\(first): no Swift stands above this SQL")
          }
        } else if language.isEmpty, code.first?.prefixMatch(of: Self.verb) != nil {
          problems.append("\(name):\(first): a block of SQL begins with ```sql")
        } else if language.isEmpty, excuse != first - 1, let swiftLine {
          let lines = code.filter { $0 != "…" }.map(Self.normalized)
          blocks.append(Shown(line: first, swiftLine: swiftLine, statements: lines))
        }
      } else if isHidden {
        isHidden = line != "-->"
        if isHidden { program.append(line) }
      } else if line.hasPrefix("<!-- check-snippets") {
        isHidden = true
        if line.hasSuffix(" new program") {
          programs.append(program.joined(separator: "\n"))
          program = []
        }
      } else if line.hasPrefix("<!-- not run: ") {
        excuse = number + 1
      } else if let row = tables.row(line, at: number) {
        program += row.program
        blocks.append(row.block)
      } else if start.hasPrefix("```") {
        fence = (start.dropFirst(3), number + 1, line.count - start.count)
        code = []
        if excuse == number, start != "```sql", start != "```" {
          problems.append("\(name):\(number): \"not run\" stands above another block")
        }
      }
    }
    programs.append(program.joined(separator: "\n"))
    problems += tables.problems
    programs.removeAll { !$0.contains("pageBlock(") }
  }

  /// The lines of a block, with calls that report its queries and models.
  private static func program(
    _ code: [Substring], at line: Int, of page: String, _ models: inout [Substring]
  ) -> [Substring] {
    let text = code.joined(separator: "\n")
    let declared = text.matches(of: /@Table[^{]*?\bstruct (\w+)/).map(\.1)
    models += declared
    let extended = text.matches(of: /(?m)^extension (\w+)/).map(\.1)
      .filter { models.contains($0) && !declared.contains($0) }
    var program = ["pageBlock(\(line))", "#sourceLocation(file: \"\(page)\", line: \(line))"]
    program += code.map(String.init) + ["#sourceLocation()"]
    for match in text.matches(of: /(?m)^(?:let|var) (\w+)/) {
      program.append("pageQuery(\(match.1))")
    }
    let shown = (declared + extended).map { "\($0).self" }.joined(separator: ", ")
    if !shown.isEmpty { program.append("try await pageModels(DatabaseSchema(\(shown)))") }
    return program.map { $0[...] }
  }

  /// The first keyword of a statement.
  private static var verb: Regex<Substring> {
    /(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WITH|PRAGMA|BEGIN|COMMIT)\b/
  }

  /// The statements of a block: each begins with a verb at the margin. Skips comments, and lines
  /// with only an ellipsis, which stand for omitted statements.
  private static func statements(in code: [Substring]) -> [String] {
    var statements: [String] = []
    for line in code where line != "…" {
      let line = line.prefix(upTo: line.firstRange(of: "-- ")?.lowerBound ?? line.endIndex)
      if statements.isEmpty || line.prefixMatch(of: Self.verb) != nil { statements.append("") }
      statements[statements.count - 1] += " " + line
    }
    return statements.map(normalized).filter { !$0.isEmpty }
  }

  /// Normalizes the white space and the final semicolon.
  static func normalized(_ sql: some StringProtocol) -> String {
    sql.split { $0.isWhitespace }.joined(separator: " ")
      .replacing(#/ ?([(),]) ?/#) { $0.1 }.replacing(#/;$/#, with: "")
  }

  /// The statements and lines that the page shows but no program ran or printed.
  /// - Parameter ran: The statements and output of each Swift block, by its line.
  func differences(from ran: [Int: [String]]) -> [String] {
    var differences: [String] = []
    for block in blocks {
      let candidates = ran[block.swiftLine, default: []].map(Self.normalized)
      for statement in block.statements {
        // An ellipsis matches any text. The SQLCipher version on pages matches any version.
        let parts = statement.replacing("4.6.1 community", with: "… community")
          .split(separator: "…", omittingEmptySubsequences: false)
        guard !candidates.contains(where: { Self.matches($0, parts) }) else { continue }
        let verb = statement.prefix { $0 != " " }
        let near = candidates.filter { $0.hasPrefix(verb) }
        differences.append(
          ([
            "\(name):\(block.line): the code of line \(block.swiftLine) does not run "
              + "\(statement)"
          ] + near).joined(separator: "\n  "))
      }
    }
    return differences
  }

  /// True if a text consists of the parts with any text in between.
  private static func matches(_ text: String, _ parts: [Substring]) -> Bool {
    guard let first = parts.first, let last = parts.last, parts.count > 1 else {
      return parts.first.map { $0 == text } ?? false
    }
    guard text.hasPrefix(first), text.hasSuffix(last), text.count >= first.count + last.count
    else { return false }
    var rest = text.dropFirst(first.count).dropLast(last.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
