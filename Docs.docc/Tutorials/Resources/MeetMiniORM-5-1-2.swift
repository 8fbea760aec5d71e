import MiniORM

@main
struct Directory {
  static func main() async throws {
    let key = Key.ask("Passphrase:")
    let database = try await Database(
      path: "directory.db", key: key)
    do {
      try await database.migrate(.directory)
      for record in try await database.migrationHistory() {
        print(record.version, record.name)
      }
    } catch let error as DatabaseError {
      print(error.message)
      return
    }

    let companies = Table<Company>()
    let cities = Table<City>()
    try await database.write { db in
      guard try !companies.exists(in: db) else { return }
      try companies.insert(contentsOf: Company.samples, in: db)

      let oslo = try cities.insert(
        City.Draft(name: "Oslo"), in: db)
      try companies.where { $0.name.isIn(["Acme", "Delta"]) }
        .update { $0.cityID = oslo.id }.run(in: db)
      let vevey = try cities.insert(
        City.Draft(name: "Vevey"), in: db)
      try companies.where { $0.name == "Au Lac" }
        .update { $0.cityID = vevey.id }.run(in: db)
      try cities.insert(City.Draft(name: "Porto"), in: db)
    }

    for company in try await companies.fetchAll(in: database) {
      print(company.initials, company.name)
    }
  }
}
