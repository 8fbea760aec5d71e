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

    do {
      try await cities.where { $0.name == "Oslo" }
        .deleteAll(in: database)
      print("Oslo is gone")
    } catch let error as DatabaseError {
      print(error.message, error.code == .constraintForeignKey)
    }
  }
}
