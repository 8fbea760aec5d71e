import Foundation

/// Runs one piece of work some number of times, for scripts/maintainer/bench-instructions: what Valgrind counts for
/// two numbers of runs differs by what the runs between them take.
enum Instructions {
  private static func files(in folder: String) -> (target: Target, scratch: Target) {
    (Target(path: folder + "/read.db", key: nil), Target(path: folder + "/write.db", key: nil))
  }

  static func fill(folder: String) async throws {
    let (target, scratch) = files(in: folder)
    try await Bench.fill(target)
    let raw = try RawConnection(scratch)
    try raw.createTables()
    raw.close()
  }

  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 4, let count = Int(arguments[0]),
      let work = Bench.works.first(where: { $0.title == arguments[2] })
    else { throw BenchError(description: "--repeat N FOLDER WORK CONTENDER") }
    let (target, scratch) = files(in: arguments[1])
    let contender: any Contender =
      arguments[3] == "MiniORM"
      ? try await MiniORMContender(target, scratch: scratch)
      : try HandWritten(target, scratch: scratch)
    for _ in 0..<count {
      try await work.prepare?(contender)
      guard try await work.run(contender) == work.expected else {
        throw BenchError(description: "\(work.title): other rows than expected")
      }
    }
    try await contender.close()
  }
}
