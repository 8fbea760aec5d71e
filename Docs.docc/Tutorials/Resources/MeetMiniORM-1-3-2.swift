import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(DatabaseSchema(Company.self))
  }
}
