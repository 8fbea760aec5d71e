import MiniORM

extension Directory {
  static func add(
    _ name: String, to database: Database
  ) async throws {
    let changes = Table<Company>().changes(in: database)
    var iterator = changes.makeAsyncIterator()
    let initials = String(name.prefix(1))
    try await Table<Company>().insert(
      Company.Draft(name: name, initials: initials),
      in: database)
    for table in await iterator.next()?.tables ?? [] {
      print(table.rows.map { "\($0.kind) \($0.rowID)" })
    }
  }

  static func staff(
    _ count: Int, in database: Database
  ) async throws {
    try await Table<Company>().where { $0.name == "Acme" }
      .update { $0.employeeCount = count }.run(in: database)
  }
}
