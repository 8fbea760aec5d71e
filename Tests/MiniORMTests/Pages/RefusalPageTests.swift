import Foundation
import Testing

/// Docs.docc/Refusals.md lists the messages of the sources.
@Suite("The page of refusals")
struct RefusalPageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The sources of the errors that `migrate` throws.
  private static func sources() throws -> [(name: String, text: String)] {
    let folder = "Sources/MiniORM/Operations/Migration"
    let names = try FileManager.default.contentsOfDirectory(
      atPath: root.appendingPathComponent(folder).path)
    let others = [
      "Base/Errors/DatabaseError+Description", "Core/Authorization/Authorizer",
      "Core/Schema/ColumnSchema", "Core/Schema/SQLObject", "Core/Schema/TableParser",
      "Engine/Connection/Connection+Open",
      "Language/Models/ColumnSchema+Affinity", "Language/Models/ModelTable",
      "Language/SchemaObjects/Trigger",
    ]
    return try
      (names.sorted().map { "\(folder)/\($0)" }
      + others.map { "Sources/MiniORM/\($0).swift" }).map { ($0, try text($0)) }
  }

  /// The first cell of each row of the page, as the messages in backticks.
  private static func listed() throws -> [String] {
    try text("Docs.docc/Refusals.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
      .flatMap { line in
        line.dropFirst(2).prefix { $0 != "|" }.matches(of: /`([^`]+)`/).map { String($0.1) }
      }
  }

  /// Cancellations, and texts before or after a message of the page.
  private static let others = [
    "The task was cancelled", "The migration was cancelled", "… … of … ", "NULL …",
  ]

  /// Replaces interpolations by `…`, and joins literals that are joined by `+`.
  private static func messages(in text: Substring) -> String {
    let interpolation = /\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/
    let literal = /"(?:\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\\[^(]|[^"\\\n])*"/
    var result = ""
    var end = text.startIndex
    for match in text.matches(of: literal) {
      let gap = text[end..<match.range.lowerBound]
      let isJoined = gap.allSatisfy { $0 == "+" || $0.isWhitespace }
      result +=
        (isJoined ? "" : "\n") + match.0.dropFirst().dropLast().replacing(interpolation, with: "…")
      end = match.range.upperBound
    }
    return result.replacing("\\\"", with: "\"")
  }

  /// The arguments of a call, without its last parenthesis. The parentheses of messages balance.
  private static func arguments(_ text: Substring) -> Substring {
    var depth = 0
    let end = text.indices.first { index in
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      return depth == 0 && text[index] == ")"
    }
    return text[..<(end ?? text.endIndex)]
  }

  @Test("each error of a migration is on the page, and each message of the page is in the sources")
  func complete() throws {
    let listed = try Self.listed()
    #expect(listed.count > 60)
    let site =
      /DatabaseError\(\s*\.migrate\b|\bmisuse\(\s*["s]|\brefusal\(\s*"|Obstacle\(\s*condition|\brefuse\(\s*"/
    var count = 0
    var all = ""
    for (name, text) in try Self.sources() {
      all += Self.messages(in: text[...]) + "\n"
      for match in text.matches(of: site) {
        let messages = Self.messages(in: Self.arguments(text[match.range.lowerBound...]))
        // Without a text, the call passes a message on.
        guard messages.contains(/[a-z]{2,}[ ]/) else { continue }
        count += 1
        let isListed = (listed + Self.others).contains { messages.contains($0) }
        #expect(isListed, "\(name): \(messages.prefix(200))")
      }
    }
    #expect(count > 40)
    let refused = try Self.text("Sources/MiniORM/Core/Authorization/Pragma.swift")
    all += Self.messages(in: refused[...])
    for message in listed { #expect(all.contains(message), "\(message)") }
  }
}
