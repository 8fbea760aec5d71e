import Foundation
import MiniORM

extension Key {
  static func ask(_ question: String) -> Key {
    FileHandle.standardError.write(Data("\(question)\n".utf8))
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    let former = settings
    settings.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    defer { tcsetattr(STDIN_FILENO, TCSANOW, [former]) }
    return .passphrase(readLine() ?? "")
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
