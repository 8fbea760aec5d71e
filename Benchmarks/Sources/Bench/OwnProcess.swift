import Foundation

/// This program, started again.
enum OwnProcess {
  /// Runs it, with some variables set, and returns the line that it prints.
  static func line(_ arguments: [String], environment: [String: String] = [:]) throws -> String {
    // Foundation's Process crashes now and then on Linux.
    let variables = environment.map { "\($0)=\($1)" }
    let command = (CommandLine.arguments.prefix(1) + arguments).map {
      "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
    guard let output = popen((variables + command).joined(separator: " "), "r") else {
      throw BenchError(description: "popen failed")
    }
    var buffer = [CChar](repeating: 0, count: 4096)
    let line = fgets(&buffer, Int32(buffer.count), output).map { String(cString: $0) } ?? ""
    guard pclose(output) == 0 else {
      throw BenchError(description: "\(arguments.joined(separator: " ")) failed: \(line)")
    }
    return line.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
