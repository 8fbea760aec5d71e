import Foundation
import MiniORM
import MiniORMBackup
import Synchronization

/// A measurement in a process of its own, for `scripts/maintainer/bench-backup`. Prints JSON.
@main struct BackupBench {
  private static let usage = """
    bench-backup fill FILE MEGABYTES key|plain
    bench-backup write FILE STORE|- TRANSACTIONS ROWS
    bench-backup idle FILE STORE SECONDS
    bench-backup lag FILE STORE|- FOLDER COMMITS
    bench-backup restore STORE FILE
    bench-backup follow FILE STORE COPY COMMITS
    bench-backup slow FILE STORE SECONDS LOG-MEGABYTES
    """

  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    let numbers = words.map { Int($0) ?? 0 }
    do {
      switch (words.first, words.count) {
      case ("fill", 4): try await fill(words[1], numbers[2], isPlain: words[3] == "plain")
      case ("write", 5):
        try await Writing(words[1], store: store(words[2])).run(numbers[3], rows: numbers[4])
      case ("idle", 4): try await idle(words[1], FolderStore(words[2]), seconds: numbers[3])
      case ("lag", 5):
        try await Lag(words[1], store: store(words[2]), folder: words[3]).run(numbers[4])
      case ("restore", 3): try await restore(FolderStore(words[1]), to: words[2])
      case ("follow", 5):
        try await Following(words[1], FolderStore(words[2]), copy: words[3]).run(numbers[4])
      case ("slow", 5):
        try await SlowRun(words[1], FolderStore(words[2])).run(
          seconds: numbers[3], megabytes: numbers[4])
      default:
        print(usage)
        exit(2)
      }
    } catch {
      print("bench-backup: error: \(error)")
      exit(1)
    }
  }

  private static func store(_ path: String) throws -> FolderStore? {
    path == "-" ? nil : try FolderStore(path)
  }

  /// Creates a file of about a number of megabytes, in rows of about 250 bytes.
  private static func fill(_ path: String, _ megabytes: Int, isPlain: Bool) async throws {
    let database = try await Database(path: path, key: isPlain ? nil : key)
    try await database.write { db in
      try db.execute(
        """
        CREATE TABLE entry (id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount REAL, note TEXT);
        """)
      try db.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(megabytes * 4_200))
        INSERT INTO entry SELECT i, 'name ' || i, i / 7.0, hex(randomblob(105)) FROM n
        """)
    }
    try await database.checkpoint(.truncate)
    try await database.close()
  }

  private static func idle(_ path: String, _ store: FolderStore, seconds: Int) async throws {
    let database = try await Database(path: path, key: key)
    let backup = ContinuousBackup(of: database, to: store)
    try await backup.start()
    try await change(database, rows: 10, seed: 1)
    try await backup.flush()
    // The pause after the last commit is over, and unused threads have ended.
    try await Task.sleep(for: .seconds(10))
    let switches = threadSwitches()
    let used = processorTime()
    sleep(UInt32(seconds))
    let usedLater = processorTime()
    let switchesLater = threadSwitches()
    report(["cpu": (usedLater - used) / .seconds(1), "switches": Double(switchesLater - switches)])
    await backup.stop()
  }

  private static func restore(_ store: FolderStore, to path: String) async throws {
    let (start, used) = (ContinuousClock.now, processorTime())
    try await Database.restore(from: store, to: path, keys: [key])
    report([
      "wall": (.now - start) / .seconds(1), "cpu": (processorTime() - used) / .seconds(1),
      "peak": memory("VmHWM"),
    ])
  }
}

/// Writes with or without a backup.
struct Writing {
  private let path: String
  private let store: FolderStore?

  init(_ path: String, store: FolderStore?) { (self.path, self.store) = (path, store) }

  func run(_ transactions: Int, rows: Int) async throws {
    let database = try await Database(path: path, key: key)
    // Without a backup, the writer has also run a commit before the measurement.
    try await insert(1, from: 0, into: database)
    let memoryBefore = memory("VmRSS")
    var backup: ContinuousBackup?
    if let store {
      let running = ContinuousBackup(of: database, to: store, retention: nil)
      try await running.start()
      try await running.flush()
      backup = running
    }
    let before = try frameBytesInStore()
    let pages = database.statistics().pagesWritten
    let (start, used) = (ContinuousClock.now, processorTime())
    for number in 0..<transactions { try await insert(rows, from: number * rows, into: database) }
    let wall = ContinuousClock.now - start
    try await backup?.flush()
    report([
      "wall": wall / .seconds(1), "cpu": (processorTime() - used) / .seconds(1),
      "memory": memory("VmHWM") - memoryBefore,
      "log": Double((database.statistics().pagesWritten - pages) * (4_096 + 24)),
      "shipped": try frameBytesInStore() - before,
    ])
    await backup?.stop()
  }

  private func insert(_ rows: Int, from first: Int, into database: Database) async throws {
    try await database.write { db in
      for number in first..<first + rows {
        try db.execute(
          """
          INSERT INTO entry (name, amount, note)
          VALUES (\("name \(number)"), \(Double(number) / 7), \(noteText))
          """)
      }
    }
  }

  /// The size of all objects that are not part of a base.
  private func frameBytesInStore() throws -> Double {
    guard let store else { return 0 }
    return try store.list("").reduce(0) { sum, name in
      let words = name.split(separator: "-")
      guard words.count == 4, name.split(separator: "/").count == 2, words[2] != "base",
        words[2] != "part"
      else { return sum }
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(store.path)/\(name)")
      return sum + Double(attributes[.size] as? Int ?? 0)
    }
  }
}

/// The time from a commit to a new file in a folder, which a backup or another program writes.
struct Lag {
  private let path: String
  private let store: FolderStore?
  private let folder: String

  init(_ path: String, store: FolderStore?, folder: String) {
    (self.path, self.store, self.folder) = (path, store, folder)
  }

  func run(_ commits: Int) async throws {
    let database = try await Database(path: path, key: store == nil ? nil : key)
    var random = SplitMix(state: 1)
    var backup: ContinuousBackup?
    let start = ContinuousClock.now
    if let store {
      let running = ContinuousBackup(of: database, to: store, retention: nil)
      try await running.start()
      try await running.flush()
      backup = running
    }
    let base = ContinuousClock.now - start
    var (lags, flushes): ([Duration], [Duration]) = ([], [])
    for commit in 0..<commits {
      try await Task.sleep(for: .milliseconds(.random(in: 300...1_500, using: &random)))
      let known = newest()
      try await change(database, rows: 1, seed: commit)
      let commitTime = ContinuousClock.now
      while newest() == known {
        guard ContinuousClock.now - commitTime < .seconds(30) else {
          throw BenchFailure("no new file in \(folder) within 30 s")
        }
        usleep(500)
      }
      lags.append(.now - commitTime)
    }
    // The same changes for each program, so that their stores can be compared.
    for number in 0..<2_000 { try await change(database, rows: 5, seed: 1_000 + number) }
    if let backup {
      for number in 0..<commits {
        try await backup.flush()
        try await change(database, rows: 1, seed: number)
        let commitTime = ContinuousClock.now
        try await backup.flush()
        flushes.append(.now - commitTime)
      }
      await backup.stop()
    }
    try await database.close()
    report([
      "base": base / .seconds(1), "median": lags.median, "worst": lags.worst,
      "flush": flushes.median, "worstFlush": flushes.worst,
    ])
  }

  /// The last complete object of each folder. The stores write under a temporary name first, and
  /// number their objects in order. A list of one level of names takes milliseconds for 40,000
  /// objects, and a walk through the folders a second.
  private func newest() -> [String?] {
    func names(_ folder: String) -> [String] {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return all.filter { $0.hasSuffix(".ltx") || !$0.contains(".") }
    }
    let top = names(folder).sorted()
    let folders = top.filter { !$0.contains(".") }
    return [top.last] + folders.map { names(folder + "/" + $0).max() }
  }
}

// MARK: - Common parts

let key = Key.raw([UInt8](0..<32))
let noteText = String(repeating: "0123456789abcdef", count: 4)

/// Changes rows at random places of a filled file.
func change(_ database: Database, rows: Int, seed: Int, of count: Int = 40_000) async throws {
  try await database.write { db in
    var random = SplitMix(state: UInt64(seed))
    for _ in 0..<rows {
      let id = Int.random(in: 1...count, using: &random)
      let note = String(random.next(), radix: 16) + noteText + String(random.next(), radix: 16)
      try db.execute("UPDATE entry SET amount = amount + 1, note = \(note) WHERE id = \(id)")
    }
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

struct BenchFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension [Duration] {
  /// In milliseconds.
  var median: Double { isEmpty ? 0 : sorted()[count / 2] / .milliseconds(1) }
  var worst: Double { (self.max() ?? .zero) / .milliseconds(1) }
}

func report(_ figures: [String: Double]) {
  let fields = figures.map { "\"\($0.key)\": \($0.value)" }.sorted()
  print("{\(fields.joined(separator: ", "))}")
}

/// The time that all threads of this process have used.
func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// A line of `/proc/self/status` in mebibytes.
func memory(_ name: String) -> Double {
  (numbers("/proc/self/status", "\(name):").first ?? .nan) / 1_024
}

/// How often all threads except the main thread were scheduled.
func threadSwitches() -> Int {
  let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
  return threads.filter { $0 != "\(getpid())" }.reduce(0) { sum, thread in
    let path = "/proc/self/task/\(thread)/status"
    let counts = numbers(path, "voluntary_ctxt") + numbers(path, "nonvoluntary_ctxt")
    return sum + Int(counts.reduce(0, +))
  }
}

private func numbers(_ path: String, _ prefix: String) -> [Double] {
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
  return text.split(separator: "\n").filter { $0.hasPrefix(prefix) }
    .compactMap {
      $0.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
    }
}
