import Foundation
import MiniORM

extension Key {
  static func journal(_ name: String) throws -> Key {
    let files = FileManager.default
    if files.fileExists(atPath: "\(name).db"),
      !files.fileExists(atPath: "\(name).key")
    {
      return .passphrase(Terminal.ask("Passphrase:"))
    }
    return try file("\(name).key")
  }
  static func file(_ path: String) throws -> Key {
    let files = FileManager.default
    if !files.fileExists(atPath: path) {
      let bytes = (0..<32).map { _ in UInt8.random(in: 0...255) }
      _ = files.createFile(
        atPath: path, contents: Data(bytes),
        attributes: [.posixPermissions: 0o600])
    }
    return .raw(try Data(contentsOf: URL(fileURLWithPath: path)))
  }
}
