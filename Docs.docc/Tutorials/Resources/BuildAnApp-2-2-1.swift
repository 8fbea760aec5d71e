import Foundation
import MiniORM

struct Importer {
  var ids: [String: Category.ID] = [:]

  mutating func id(
    _ name: String, in db: isolated Connection
  ) throws -> Category.ID {
    try Category.named(name, in: db).id
  }
}
