import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(.directory)

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

    do {
      try await cities.where { $0.name == "Oslo" }
        .deleteAll(in: database)
      let free = companies.where { $0.cityID == nil }
      print("Oslo is gone;", try await free.count(in: database))
    } catch let error as DatabaseError {
      print(error.message, error.code == .constraintForeignKey)
    }
  }
}
