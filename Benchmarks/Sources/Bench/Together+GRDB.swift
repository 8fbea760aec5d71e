import Foundation
import GRDB

// GRDB's and MiniORM's names are alike: what uses GRDB stands apart.

final class TogetherGRDB: TogetherContender {
  let name = "GRDB's pool"
  private let pool: DatabasePool

  init(_ target: Target) throws {
    pool = try GRDBContender.open(
      target, readerCount: Together.readerCount, synchronous: "FULL")
  }

  func read(_ task: Int) async throws -> Int {
    try await pool.read { try GRDBMixed.fetchAll($0).count }
  }
  func lookUp(_ keys: [Int64], _ task: Int) async throws -> Int {
    var found = 0
    for key in keys where try await pool.read({ try GRDBIntegers.fetchOne($0, key: key) }) != nil {
      found += 1
    }
    return found
  }
  func write(_ rows: [Integers]) async throws {
    for row in rows { try await pool.write { try GRDBIntegers(row: row).insert($0) } }
  }
  func clear() async throws {
    try await pool.write { try $0.execute(sql: "DELETE FROM integers WHERE id > 1000000") }
  }
  func close() async throws { try pool.close() }
}
