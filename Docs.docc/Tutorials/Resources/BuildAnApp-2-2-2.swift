import Foundation
import MiniORM

struct Importer {
  var ids: [String: Category.ID] = [:]

  mutating func id(
    _ name: String, in db: isolated Connection
  ) throws -> Category.ID {
    if let id = ids[name] { return id }
    let id = try Category.named(name, in: db).id
    ids[name] = id
    return id
  }
}
