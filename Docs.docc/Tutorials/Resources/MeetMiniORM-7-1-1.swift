import MiniORM

extension Directory {
  static func watch(_ database: Database) async throws {
    let companies = Table<Company>().order { $0.name }
    for try await list in companies.values(in: database) {
      print(list.count, list.map(\.initials))
    }
  }
}
