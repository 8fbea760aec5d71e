import MiniORM

extension Directory {
  static func watch(_ database: Database) async throws {
    var more = ["Fjord", "Echo"]
    let companies = Table<Company>().order { $0.name }
    for try await list in companies.values(in: database) {
      print(list.count, list.map(\.initials))
      guard let name = more.popLast() else { break }
      let initials = String(name.prefix(1))
      try await Table<Company>().insert(
        Company.Draft(name: name, initials: initials),
        in: database)
    }
  }
}
