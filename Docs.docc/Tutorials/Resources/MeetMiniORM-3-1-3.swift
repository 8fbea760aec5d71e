import MiniORM

@main
struct Directory {
  static func main() async throws {
    let database = try await Database(
      path: "directory.db", key: .passphrase("open sesame"))
    try await database.migrate(
      DatabaseSchema(Company.self, City.self))

    let companies = Table<Company>()
    try await database.write { db in
      try companies.truncate(in: db)
      try companies.insert(contentsOf: Company.samples, in: db)
    }

    let grown = try await companies
      .where { $0.founded > 1980 }
      .update { $0.employeeCount += 10 }
      .run(in: database)
    print(grown, "companies grew")
    if var lac = try await companies.find(2, in: database) {
      lac.founded = 1998
      print(try await companies.update(lac, in: database))
    }
    let deleted = try await companies
      .where { $0.employeeCount > 1_000 }
      .deleteAll(in: database)
    print(deleted, "deleted")
  }
}
