import Foundation
import GRDB

/// Opens GRDB's pool with as many readers, reads with each at once, and closes it.
func openGRDBPool(_ path: String, passphrase: String) async throws {
  var configuration = GRDB.Configuration()
  configuration.maximumReaderCount = Opening.readerCount
  configuration.prepareDatabase { db in
    try db.execute(sql: "PRAGMA key = '\(passphrase)'")
  }
  let pool = try DatabasePool(path: path, configuration: configuration)
  let meeting = Meeting(of: Opening.readerCount)
  try await withThrowingTaskGroup(of: Int?.self) { group in
    for _ in 0..<Opening.readerCount {
      group.addTask {
        try await pool.read { db in
          meeting.wait()
          return try Int.fetchOne(db, sql: "SELECT count(*) FROM t")
        }
      }
    }
    try await group.waitForAll()
  }
  try pool.close()
}
