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
}
