import Foundation
import Testing

@testable import MiniORM

/// Random operations on an encrypted file through the public API, compared with an oracle in plain
/// Swift.
///
/// `MINIORM_OPERATIONS=100000` runs that many. A failure reports its seed and a shrunk sequence of
/// operations. `MINIORM_SEED=17` runs only that seed.
@Suite("Random operations and an oracle")
struct OperationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seed = environment["MINIORM_SEED"].flatMap { UInt64($0) }
  static let operations = environment["MINIORM_OPERATIONS"].flatMap { Int($0) } ?? 6_000
  private static let lanes = 4
  private static let length = 150

  @Test(
    "a database behaves like the oracle, for any operations in any order", arguments: 0..<lanes)
  func agree(_ lane: Int) async throws {
    if let seed = Self.seed {
      guard lane == 0 else { return }
      if let report = try await Self.failure(seed: seed) { Issue.record("\(report)") }
      return
    }
    var done = 0
    var seed = UInt64(lane)
    while done < Self.operations / Self.lanes {
      if let report = try await Self.failure(seed: seed) { Issue.record("\(report)") }
      done += Self.history(seed).reduce(0) { $0 + $1.count }
      seed += UInt64(Self.lanes)
    }
    if Self.operations > 50_000 {
      print("figure: operations: \(done) in \(seed / UInt64(Self.lanes)) histories, lane \(lane)")
    }
  }

  @Test(
    "a deliberately wrong oracle is detected after few operations",
    arguments: Oracle.Flaw.allCases)
  func flawed(_ flaw: Oracle.Flaw) async throws {
    for seed in 0..<UInt64(40) {
      guard let report = try await Self.failure(seed: seed, flaw: flaw) else { continue }
      #expect(report.description.contains("MINIORM_SEED=\(seed) "))
      // The wrong operation, and the operations that it depends on.
      #expect(report.operations.reduce(0) { $0 + $1.count } <= 8, "\(report)")
      // The reported sequence reproduces the failure.
      #expect(try await LibraryRun.mismatch(report.operations, flaw: flaw) != nil, "\(report)")
      #expect(try await LibraryRun.mismatch(report.operations) == nil, "\(report)")
      return
    }
    Issue.record("\(flaw) was not found")
  }

  // MARK: Histories

  private static func history(_ seed: UInt64) -> [Operation] {
    var random = RandomOperations(seed: seed)
    return random.some(length)
  }

  struct Report: CustomStringConvertible {
    let seed: UInt64
    let operations: [Operation]
    let mismatch: LibraryRun.Mismatch
    var description: String {
      """
      MINIORM_SEED=\(seed) fails, and these \(operations.count) operations are enough:
      \(operations.map { "\($0)" }.joined(separator: "\n"))
      expected: \(mismatch.expected)
      found:    \(mismatch.found)
      """
    }
  }

  /// The failure of a seed's history, shrunk; nil if the history passes.
  private static func failure(seed: UInt64, flaw: Oracle.Flaw? = nil) async throws -> Report? {
    let operations = history(seed)
    guard let mismatch = try await LibraryRun.mismatch(operations, flaw: flaw) else { return nil }
    var shrinking = Shrinking(operations, mismatch, flaw)
    try await shrinking.shrink()
    return Report(seed: seed, operations: shrinking.operations, mismatch: shrinking.mismatch)
  }
}

/// Removes operations while the rest still fails.
private struct Shrinking {
  private(set) var operations: [Operation]
  private(set) var mismatch: LibraryRun.Mismatch
  private let flaw: Oracle.Flaw?
  private var attempts = 400

  init(_ operations: [Operation], _ mismatch: LibraryRun.Mismatch, _ flaw: Oracle.Flaw?) {
    self.operations = Array(operations.prefix(mismatch.index + 1))
    self.mismatch = mismatch
    self.flaw = flaw
  }

  mutating func shrink() async throws {
    var size = operations.count / 2
    while size > 0 {
      var start = 0
      while start < operations.count {
        var fewer = operations
        fewer.removeSubrange(start..<min(start + size, fewer.count))
        if !(try await take(fewer)) { start += size }
      }
      size /= 2
    }
    for index in operations.indices.reversed() where index < operations.count {
      try await simplify(index)
    }
  }

  /// Replaces an operation by simpler forms while the sequence still fails.
  private mutating func simplify(_ index: Int) async throws {
    var found = true
    while found {
      found = false
      for simpler in operations[index].simpler {
        var others = operations
        others[index] = simpler
        if try await take(others) {
          found = true
          break
        }
        guard index < operations.count else { return }
      }
    }
  }

  private mutating func take(_ fewer: [Operation]) async throws -> Bool {
    guard attempts > 0, !fewer.isEmpty else { return false }
    attempts -= 1
    guard let new = try await LibraryRun.mismatch(fewer, flaw: flaw) else { return false }
    (operations, mismatch) = (fewer, new)
    return true
  }
}

extension Operation {
  /// Simpler forms of the operation.
  fileprivate var simpler: [Operation] {
    switch self {
    case .one(let inner): inner.simpler.map { .one($0) }
    case .transaction(let inner, let fails):
      Self.fewer(inner).map { .transaction($0, fails: fails) }
        + (inner.count == 1 && !fails ? [.one(inner[0])] : [])
    case .savepoint(let inner, let fails): Self.fewer(inner).map { .savepoint($0, fails: fails) }
    case .reading(let inner): Self.fewer(inner).map { .reading($0) }
    case .cancelled(let inner, let yields):
      [inner] + inner.simpler.map { .cancelled($0, yields: yields) }
    default: []
    }
  }

  private static func fewer(_ operations: [Operation]) -> [[Operation]] {
    operations.indices.flatMap { index -> [[Operation]] in
      var without = operations
      let inner = without.remove(at: index)
      return [without]
        + inner.simpler.map { simpler in
          var others = operations
          others[index] = simpler
          return others
        }
    }
  }
}
