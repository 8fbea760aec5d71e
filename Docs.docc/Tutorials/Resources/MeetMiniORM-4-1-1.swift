import MiniORM

extension DatabaseSchema {
  static let directory = DatabaseSchema(
    version: 1, Company.self, City.self)
}
