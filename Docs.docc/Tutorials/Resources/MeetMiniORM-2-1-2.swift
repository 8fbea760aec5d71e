import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(DatabaseSchema(Company.self))

    let companies = Table<Company>()
    try await companies.truncate(in: database)
    try await companies.insert(
      contentsOf: Company.samples, in: database)
  }
}
