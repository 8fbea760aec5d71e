import Foundation
import Testing

@testable import MiniORM

/// Runs each FuzzTarget on bytes mixed from its corpus: no fuzzer is needed, and the input is
/// reproducible. `MINIORM_FUZZ=100000` runs more.
@Suite("Fuzzed input")
struct FuzzTests {
  static let runs =
    ProcessInfo.processInfo.environment["MINIORM_FUZZ"].flatMap { Int($0) } ?? 2_000

  @Test(
    "fuzzed bytes crash nothing, and mean the same to MiniORM as to SQLite and Foundation",
    arguments: FuzzTarget.allCases)
  func mixed(_ target: FuzzTarget) async throws {
    var random = SeededRandom(15)
    let corpus = target.corpus.map { Array($0.utf8) }
    for bytes in corpus { await Self.run(target, bytes) }
    // A file takes as long as a hundred texts.
    for _ in 0..<(target == .files ? Self.runs / 50 : Self.runs) {
      await Self.run(target, Self.mixed(corpus, using: &random))
    }
    if Self.runs > 2_000 {
      print(
        "figure: \(target): \(corpus.count + (target == .files ? Self.runs / 50 : Self.runs)) inputs"
      )
    }
  }

  private static func run(_ target: FuzzTarget, _ bytes: [UInt8]) async {
    do {
      try await target.run(bytes)
    } catch {
      Issue.record("\(target): \(error), for the bytes \(bytes)")
    }
  }

  /// Random slices of the corpus, cut, joined and mutated.
  static func mixed(_ corpus: [[UInt8]], using random: inout some RandomNumberGenerator) -> [UInt8]
  {
    func pick(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }
    var bytes: [UInt8] = []
    for _ in 0...pick(3) {
      let piece = corpus[pick(corpus.count)]
      switch pick(4) {
      case 0: bytes += piece
      case 1: bytes += piece.prefix(pick(piece.count + 1))
      case 2: bytes += piece.dropFirst(pick(piece.count + 1))
      default: bytes += Array(HostileText.random(using: &random).utf8)
      }
    }
    for _ in 0..<pick(4) where !bytes.isEmpty {
      switch pick(4) {
      case 0: bytes[pick(bytes.count)] = UInt8(pick(256))
      case 1: bytes.remove(at: pick(bytes.count))
      case 2: bytes.insert(UInt8(pick(128)), at: pick(bytes.count + 1))
      default:
        let start = pick(bytes.count)
        bytes += bytes[start..<min(bytes.count, start + pick(9))]
      }
    }
    return bytes
  }

  @Test(
    "unclosed brackets are parsed",
    arguments: ["(", "[", "((a)", "\"", "/*", "'", "a.", "x'"])
  func deep(_ text: String) async throws {
    let sql = "CREATE TABLE t(a CHECK " + String(repeating: text, count: 20_000)
    _ = try? TableDefinition(parsing: sql)
    _ =
      IndexDefinition(
        name: "i", table: "t", sql: "CREATE INDEX i ON t (" + String(repeating: text, count: 2_000)
      ).clause
    _ = sql.removingQualifier("t")
  }

  @Test("any number of parentheses around an index term is ignored")
  func parentheses() {
    let plain = IndexDefinition(name: "i", table: "t", sql: "CREATE INDEX i ON t (lower(a) DESC)")
    let count = 2_000
    let wrapped =
      String(repeating: "(", count: count) + "lower(a)" + String(repeating: ")", count: count)
    let index = IndexDefinition(name: "i", table: "t", sql: "CREATE INDEX i ON t (\(wrapped) DESC)")
    #expect(index.clause.tokens.map(\.text) == plain.clause.tokens.map(\.text))
  }

  @Test(
    "an incomplete constraint ends the parsing",
    arguments: ["PRIMARY", "FOREIGN", "PRIMARY (a)", "FOREIGN x"])
  func constraints(_ words: String) async throws {
    #expect(throws: DatabaseError.self) {
      try TableDefinition(parsing: "CREATE TABLE t(a, \(words))")
    }
    let schema = DatabaseSchema(version: 1, Torn.self)
    let error = try await failure { try await withFile(schema) { _ throws in } }
    #expect(error.operation == .migrate || error.operation == .prepare, "\(error)")
  }

  @Test("a sign after e is an operator in a hexadecimal number, and otherwise part of the number")
  func numbers() {
    #expect(SQLToken.all(in: "0x1e+1").map(\.text) == ["0x1e", "+", "1"])
    #expect(SQLToken.all(in: "1e+1").map(\.text) == ["1e+1"])
    #expect(SQLToken.all(in: ".5E-3-1").map(\.text) == [".5e-3", "-", "1"])
  }
}

/// A CHECK with unbalanced parentheses.
@Table("torn")
private struct Torn {
  let id: Int64
  @Column(.check("a > 0), PRIMARY (a")) var a: Int
}
