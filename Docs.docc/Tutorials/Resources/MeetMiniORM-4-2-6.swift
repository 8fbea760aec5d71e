import MiniORM

extension DatabaseSchema {
  static let directory = DatabaseSchema(
    version: 3, Company.self, City.self)
}
