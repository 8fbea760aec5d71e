import MiniORM

extension DatabaseSchema {
  static let directory = DatabaseSchema(
    version: 2, Company.self, City.self)
}
