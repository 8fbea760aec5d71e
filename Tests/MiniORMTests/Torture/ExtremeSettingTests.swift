import Foundation
import Testing

@testable import MiniORM

@Suite("Extreme settings")
struct ExtremeSettingTests {
  private static let durations: [Duration] = [
    .seconds(Int64.max) * 18, .seconds(Int64.max), .nanoseconds(Int64.max), .zero,
    .nanoseconds(-1), .seconds(Int64.min), .seconds(Int64.min) * 18,
  ]

  @Test(
    "the longest and shortest time limits, and the largest and smallest numbers",
    arguments: durations)
  func configuration(_ duration: Duration) async throws {
    var configuration = Configuration()
    configuration.synchronous = .off
    configuration.busyTimeout = duration
    configuration.otherChangesInterval = duration
    configuration.maximumReaderCount = duration > .zero ? .max : .min
    configuration.statementCacheCapacity = duration > .zero ? .max : .min
    // A zero timeout would fail every request that finds no free connection.
    configuration.readerTimeout = duration > .zero ? duration : .seconds(60)
    try await withTemporaryDatabase(configuration: configuration, script: "CREATE TABLE t(a)") {
      database throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            try await database.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
            _ = try await database.values("SELECT count(*) FROM t")
          }
        }
        try await group.waitForAll()
      }
      let values = database.integers("SELECT count(*) FROM t")
      var iterator = values.makeAsyncIterator()
      #expect(try await iterator.next() == [20])
      try await database.write { try $0.execute("DELETE FROM t") }
      #expect(try await iterator.next() == [0])
      // A task waits for the writer, with or without a timeout.
      let isOver = await Result.catching {
        try await withTimeLimit(duration) { try await database.values("SELECT 1") }
      }
      if duration > .zero { #expect(try isOver.get() == [.integer(1)]) }
    }
  }
}

extension Result where Failure == any Error {
  fileprivate static func catching(_ body: () async throws -> Success) async -> Result {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
