import Foundation
import MiniORM

extension Key {
  static func environment(_ name: String) -> Key? {
    ProcessInfo.processInfo.environment[name]
      .map { .passphrase($0) }
  }

  static func file(_ path: String) throws -> Key {
    .raw(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
