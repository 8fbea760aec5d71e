import MiniORM

extension Directory {
  static func add(
    _ name: String, to database: Database
  ) async throws {
    let initials = String(name.prefix(1))
    try await Table<Company>().insert(
      Company.Draft(name: name, initials: initials),
      in: database)
  }

  static func staff(
    _ count: Int, in database: Database
  ) async throws {
    try await Table<Company>().where { $0.name == "Acme" }
      .update { $0.employeeCount = count }.run(in: database)
  }
}
