import CSQLCipher
import Foundation
import MiniORM

/// What it takes to open a file with a passphrase, from which SQLCipher derives the key for each connection.
struct Opening {
  static let title = "open 1 + 4 connections"
  /// Of the time of one connection by hand.
  private static let target = 1.2
  private static let passphrase = "correct horse battery staple"
  static let readerCount = 4

  private enum Way: String, CaseIterable {
    case byHand = "1 connection by hand"
    case miniORM = "1 + 4 connections, MiniORM"
    case grdb = "1 + 4 connections, GRDB's pool"
  }

  let folder: String

  /// - Returns: What missed its target.
  func run(rounds: Int, title file: String) async throws -> [String] {
    let path = folder + "/passphrase.db"
    let database = try await Database(path: path, key: .passphrase(Self.passphrase))
    try await database.write { db in try db.execute(script: "CREATE TABLE t(a)") }
    try await database.close()

    let clock = ContinuousClock()
    var times: [Way: [Double]] = [:]
    for round in 0..<rounds {
      for step in Way.allCases.indices {
        let way = Way.allCases[(step + round) % Way.allCases.count]
        let duration = try await clock.measure {
          switch way {
          case .byHand: try byHand(path)
          case .miniORM: try await miniORM(path)
          case .grdb: try await openGRDBPool(path, passphrase: Self.passphrase)
          }
        }
        times[way, default: []].append(duration / .milliseconds(1))
      }
    }
    print("\n\(Self.title) with a passphrase, read and close, \(file), medians of \(rounds) rounds")
    func ratio(_ way: Way) -> Double {
      zip(times[way] ?? [], times[.byHand] ?? []).map { $0 / $1 }.median
    }
    for way in Way.allCases {
      print(
        column(way.rawValue, 34) + column(String(format: "%.0f ms", (times[way] ?? []).median), 10)
          + column(String(format: "%.2f", ratio(way)), 8)
          + (way == .miniORM ? String(format: ", target %.2f", Self.target) : ""))
    }
    let result = ratio(.miniORM)
    guard result > Self.target else { return [] }
    return ["\(Self.title) (\(file)) \(String(format: "%.2f", result)) > \(Self.target)"]
  }

  private func byHand(_ path: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    let bytes = Array(Self.passphrase.utf8)
    guard
      sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        == SQLITE_OK,
      miniorm_key(database, bytes, Int32(bytes.count)) == SQLITE_OK,
      sqlite3_exec(database, "SELECT count(*) FROM t", nil, nil, nil) == SQLITE_OK
    else { throw BenchError(description: "the file could not be opened by hand") }
  }

  private func miniORM(_ path: String) async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = Self.readerCount
    let database = try await Database(
      path: path, key: .passphrase(Self.passphrase), configuration: configuration)
    let meeting = Meeting(of: Self.readerCount)
    try await withThrowingTaskGroup(of: Int?.self) { group in
      for _ in 0..<Self.readerCount {
        group.addTask {
          try await database.read { db in
            meeting.wait()
            return try db.value(Int.self, "SELECT count(*) FROM t")
          }
        }
      }
      try await group.waitForAll()
    }
    try await database.close()
  }
}

/// Lets threads go on when all of them are there: so each has a connection of its own.
final class Meeting: Sendable {
  private let group = DispatchGroup()

  init(of count: Int) { for _ in 0..<count { group.enter() } }

  func wait() {
    group.leave()
    group.wait()
  }
}
