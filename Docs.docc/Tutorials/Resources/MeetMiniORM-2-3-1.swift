import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(DatabaseSchema(Company.self))

    let companies = Table<Company>()
    try await database.write { db in
      try companies.truncate(in: db)
      try companies.insert(contentsOf: Company.samples, in: db)
    }

    let third = try await companies.find(3, in: database)
    print(third?.name ?? "no third company")
  }
}
