import Foundation
import MiniORM

@Table("category")
struct Category: Identifiable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String

}

extension Category {
  static func named(
    _ name: String, in db: isolated Connection
  ) throws -> Category {
    let categories = Table<Category>()
    let found = try categories.where { $0.name == name }
      .fetchOne(in: db)
    return try found
      ?? categories.insert(Draft(name: name), in: db)
  }
}
