import Foundation

enum Terminal {
  static func ask(_ question: String) -> String {
    FileHandle.standardError.write(Data("\(question)\n".utf8))
    return readLine() ?? ""
  }
}
