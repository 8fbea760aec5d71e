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
}
