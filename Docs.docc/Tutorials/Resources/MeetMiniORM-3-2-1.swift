import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(
      DatabaseSchema(Company.self, City.self))

    let companies = Table<Company>()
    let cities = Table<City>()
    try await database.write { db in
      try companies.truncate(in: db)
      try cities.truncate(in: db)
      try companies.insert(contentsOf: Company.samples, in: db)
    }

    for company in try await companies.fetchAll(in: database) {
      print(company.name, company.cityID.map { "\($0)" } ?? "–")
    }
  }
}
