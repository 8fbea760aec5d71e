import Foundation
import MiniORM

/// Prints how work on whole encrypted files compares with what SQLCipher's own SQL takes for it.
///
/// `bench-files [--megabytes N] [--rounds N] [--only WORD]`. The contenders of a piece of work take turns,
/// each on files of its own. A ratio is the median of those of the rounds.
@main
struct FileBench {
  static func main() async {
    do {
      try await run()
    } catch {
      print("bench-files: error: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    var (megabytes, rounds) = (200, 5)
    var only: String?
    while let argument = arguments.popFirst() {
      switch argument {
      case "--megabytes": megabytes = arguments.popFirst().flatMap { Int($0) } ?? megabytes
      case "--rounds": rounds = arguments.popFirst().flatMap { Int($0) } ?? rounds
      case "--only": only = arguments.popFirst()
      default: throw BenchFailure("unknown argument \(argument)")
      }
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "miniorm-bench-\(UUID())"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = BenchFiles(folder: folder)
    try files.fill(megabytes: megabytes)
    print("SQLCipher \(try Database.cipherLibrary.version), files of \(files.size >> 20) MiB")
    for work in files.works where only.map({ work.title.contains($0) }) ?? true {
      try await measure(work, rounds: work.isShort ? 4 * rounds : rounds, files)
    }
  }

  /// Runs the contenders in turn, and prints what they took.
  private static func measure(_ work: FileWork, rounds: Int, _ files: BenchFiles) async throws {
    var times = [[Duration]](repeating: [], count: work.contenders.count)
    var processor = times
    for round in 0..<rounds {
      // Another one begins each round: none has the warmer caches every time.
      for step in work.contenders.indices {
        let index = (step + round) % work.contenders.count
        try files.reset()
        let (start, used) = (ContinuousClock.now, processorTime())
        try await work.contenders[index].run()
        times[index].append(ContinuousClock.now - start)
        processor[index].append(processorTime() - used)
      }
    }
    print("\n\(work.title)")
    for (index, contender) in work.contenders.enumerated() {
      let ratios = work.contenders.indices.dropFirst(index + 1).map { other in
        let wall = zip(times[index], times[other]).map { $0 / $1 }.median
        let used = zip(processor[index], processor[other]).map { $0 / $1 }.median
        return "\(wall.short) (\(used.short)) x \(work.contenders[other].name)"
      }
      let seconds = times[index].map { $0 / .seconds(1) }.median
      let used = processor[index].map { $0 / .seconds(1) }.median
      print(
        "  \(contender.name): \(seconds.short) s, \(used.short) s of CPU"
          + (ratios.isEmpty ? "" : "; \(ratios.joined(separator: ", "))"))
    }
  }

  /// What all threads of this process have used so far.
  private static func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

/// A piece of work, and those who do it: MiniORM first.
struct FileWork {
  struct Contender {
    let name: String
    let run: () async throws -> Void
  }

  let title: String
  var isShort = false
  let contenders: [Contender]
}

struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    guard let middle = sorted.indices.dropFirst(sorted.count / 2).first else { return .nan }
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

extension Double {
  var short: String { String(format: "%.2f", self) }
}
