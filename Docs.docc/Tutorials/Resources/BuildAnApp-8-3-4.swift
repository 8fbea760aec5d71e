import Foundation
import MiniORM

extension Journal {
  static let name =
    ProcessInfo.processInfo.environment["JOURNAL"] ?? "journal"
  static func open(_ key: Key) async throws -> Database {
    var configuration = Configuration()
    configuration.otherChangesInterval = .milliseconds(500)
    let database = try await Database(
      path: "\(name).db", key: key, configuration: configuration)
    try await database.migrate(.journal)
    return database
  }
}
