import Foundation
import MiniORM

extension Key {
  static func ask(_ question: String) -> Key {
    FileHandle.standardError.write(Data("\(question)\n".utf8))
    return .passphrase(readLine() ?? "")
  }
}
