import Foundation
import MiniORM

extension Key {
  static func file(_ path: String) throws -> Key {
    .raw(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
