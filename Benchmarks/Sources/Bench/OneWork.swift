import Foundation

/// One piece of work, measured in a process of its own.
///
/// In one process for all of them, some measure what others have left: texts that are allocated one by one lie where the
/// heap of the contender's thread has room, and a connection that is opened finds the log that others wrote.
struct OneWork {
  let target: Target
  let scratch: Target
  let folder: String

  init(folder: String, isEncrypted: Bool) {
    let key = isEncrypted ? [UInt8](0..<32) : nil
    self.folder = folder
    target = Target(path: folder + "/read.db", key: key)
    scratch = Target(path: folder + "/write.db", key: key)
  }

  private func contenders() async throws -> [any Contender] {
    var contenders: [any Contender] = [
      try HandWritten(target, scratch: scratch),
      try await MiniORMContender(target, scratch: scratch),
    ]
    #if canImport(GRDB)
      contenders.append(try GRDBContender(target, scratch: scratch, isCodable: false))
      contenders.append(try GRDBContender(target, scratch: scratch, isCodable: true))
    #endif
    return contenders
  }

  /// The version of SQLCipher, which is the same for all contenders, and their names.
  func contents() async throws -> (version: String, names: [String]) {
    let contenders = try await contenders()
    let versions = try await Set(contenders.asyncMap { try await $0.cipherVersion() })
    for contender in contenders { try await contender.close() }
    guard versions.count == 1, let version = versions.first, !version.isEmpty else {
      throw BenchError(description: "The contenders do not use the same SQLCipher: \(versions)")
    }
    return (version, contenders.map(\.name))
  }

  /// Measures it here, and prints the results in a line.
  func printResults(of title: String, rounds: Int) async throws {
    guard let work = Bench.works.first(where: { $0.title == title }) else {
      throw BenchError(description: "no work is named \(title)")
    }
    let contenders = try await contenders()
    let results = try await measure(work, contenders, rounds: rounds)
    for contender in contenders { try await contender.close() }
    print(results.map { String($0) }.joined(separator: " "))
  }

  /// Has what is freed stay in the process, as in one that has run for long. Otherwise glibc's allocator gives it back
  /// after each run, with a page fault for each page in the next, or does not: this depends on what else, such as pages
  /// in SQLite's cache, lies behind it in the heap of the thread, and so differs between the contenders.
  private static let keepsFreedMemory = [
    "MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": "2147483647",
  ]

  /// Measures it in a process of its own.
  /// - Returns: What each contender takes as a multiple of the first, and the seconds that this one takes.
  func results(of work: Work, rounds: Int) throws -> [Double] {
    let arguments = [
      "--work", work.title, folder, "--rounds", String(rounds),
      target.key == nil ? "--plain" : "--encrypted",
    ]
    let line = try OwnProcess.line(arguments, environment: Self.keepsFreedMemory)
    return line.split(separator: " ").compactMap { Double($0) }
  }
}
