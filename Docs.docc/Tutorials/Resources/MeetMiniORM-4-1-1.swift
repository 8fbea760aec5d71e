import MiniORM

extension Schema {
  static let directory = Schema(
    version: 1, Company.self, City.self)
}
