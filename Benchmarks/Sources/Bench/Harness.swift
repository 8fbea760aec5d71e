import Foundation

/// One kind of work, and the limit for MiniORM's time as a multiple of the hand-written loop's.
struct Work {
  let title: String
  let target: Double?
  let expected: Int
  /// Runs not timed before each timed one.
  var prepare: ((any Contender) async throws -> Void)?
  /// Who does it.
  var isFor: (any Contender) -> Bool = { _ in true }
  let run: (any Contender) async throws -> Int
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    guard let middle = sorted.indices.dropFirst(sorted.count / 2).first else { return .nan }
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// Runs the contenders in turn, round after round, so that a machine whose speed drifts slows all of them
/// alike. The first contender is the measure.
func measure(_ work: Work, _ contenders: [any Contender], rounds: Int) async throws -> [Double] {
  var times = [[Double]](repeating: [], count: contenders.count)
  let clock = ContinuousClock()
  for round in 0...rounds {
    // Another one begins each round: none has the warmer caches every time.
    for step in contenders.indices {
      let index = (step + round) % contenders.count
      let contender = contenders[index]
      guard work.isFor(contender) else {
        times[index].append(.nan)
        continue
      }
      if let prepare = work.prepare {
        try await prepare(contender)
        // Who commits the thousandth page moves all of the log into the file, also what others have written. Each does it
        // by its own connection, as that of another one would have it read its pages again.
        try await contender.emptyLog()
      }
      let start = clock.now
      let count = try await work.run(contender)
      let duration = clock.now - start
      guard count == work.expected else {
        throw BenchError(
          description: "\(contender.name), \(work.title): \(count) rows instead of \(work.expected)"
        )
      }
      // Round 0 warms up.
      if round > 0 { times[index].append(duration / .seconds(1)) }
    }
  }
  let measured = times.map(\.self)
  return measured.map { own in zip(own, measured[0]).map { $0 / $1 }.median } + [measured[0].median]
}

/// Peak resident memory of this process in MiB.
func peakMemory() -> Double {
  guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
    let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({
      Double($0)
    })
  else { return .nan }
  return kibibytes / 1024
}

/// A ratio, or a dash for what was not measured.
func formatted(_ value: Double) -> String { value.isNaN ? "–" : String(format: "%.2f", value) }

func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}
