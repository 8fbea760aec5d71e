import MiniORM

extension Schema {
  static let directory = Schema(
    version: 3, Company.self, City.self)
}
