import MiniORM

extension Directory {
  static func watch(_ database: Database) async throws {
    let companies = Table<Company>()
      .leftJoin(Table<City>()) { $0.cityID == $1.id }
      .order { company, _ in company.name }
      .select { company, city in (company.name, city.name) }
    let screens = database.values { db in
      let list = try companies.fetchAll(in: db)
      let cities = try Table<City>().count(in: db)
      return ["\(list.count) companies, \(cities) cities"]
        + list.map { "\($0): \($1 ?? "–")" }
    }
    for try await lines in screens {
      Screen.show(lines)
      if lines.count > 6 { break }
    }
  }
}
