import Foundation
import GRDB

final class ObserversGRDB: ObserversContender {
  let name = "GRDB's pool"
  private let pool: DatabasePool

  init(_ target: Target) throws { pool = try GRDBContender.open(target) }

  func write(_ key: Int64, _ value: Int64, _ end: @escaping @Sendable () -> Void) async throws {
    try await pool.write { db in
      try db.execute(sql: "UPDATE integers SET f = ? WHERE id = ?", arguments: [value, key])
      end()
    }
  }
  func observe(_ key: Int64, _ tell: @escaping @Sendable (Int64) -> Void) async throws {
    let observation = ValueObservation.tracking { db in
      try GRDBIntegers.filter(key: key).fetchAll(db)
    }
    do {
      for try await rows in observation.values(in: pool) {
        if let row = rows.first { tell(row.row.f) }
      }
    } catch is CancellationError {}
  }
  func close() async throws { try pool.close() }
}
