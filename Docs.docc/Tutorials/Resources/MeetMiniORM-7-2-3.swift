import MiniORM

extension Directory {
  static func watch(_ database: Database) async throws {
    let companies = Table<Company>()
      .leftJoin(Table<City>()) { $0.cityID == $1.id }
      .order { company, _ in company.name }
      .select { company, city in (company.name, city.name) }
    for try await list in companies.values(in: database) {
      Screen.show(list.map { "\($0): \($1 ?? "–")" })
      if list.count > 6 { break }
    }
  }
}
