import Foundation
import MiniORM

extension Journal {
  static func importFile(
    _ path: String, into database: Database
  ) async throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline)
    print(lines.count, "lines")
  }
}
