import MiniORM

extension Schema {
  static let directory = Schema(
    version: 2, Company.self, City.self)
}
