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

    let list = companies
      .where { $0.name.like("A%") && $0.founded != nil }
      .order { $0.name }
      .limit(1)
    print(list.sql.text)
    for company in try await list.fetchAll(in: database) {
      print(company.id, company.name, company.employeeCount)
    }
  }
}
