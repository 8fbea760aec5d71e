import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(DatabaseSchema(Company.self))

    let companies = Table<Company>()
    let draft = Company.Draft(name: "Acme", employeeCount: 120)
    let acme = try await companies.insert(draft, in: database)
    print(acme)
  }
}
