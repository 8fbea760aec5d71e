import Foundation
import MiniORM

/// Prints what a row costs in a table of ten million beside one of a hundred thousand, and what a schema of a
/// thousand models costs.
///
/// `bench-large [--rows N] [--plain] [--only growth|models|bulk]`. What is large is made once, so that each figure is that
/// of one run; what is small is repeated.
@main
struct LargeBench {
  static func main() async {
    do {
      try await run()
    } catch {
      print("bench-large: error: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    var rows = 10_000_000
    var key: [UInt8]? = Array(0..<32)
    var only: String?
    while let argument = arguments.popFirst() {
      switch argument {
      case "--rows": rows = arguments.popFirst().flatMap { Int($0) } ?? rows
      case "--plain": key = nil
      case "--only": only = arguments.popFirst()
      default: throw LargeBenchError(description: "unknown argument \(argument)")
      }
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "miniorm-bench-\(UUID())"
    ).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    print("SQLCipher \(try Database.cipherLibrary.version), \(key == nil ? "plain" : "encrypted")")
    var missed: [String] = []
    if only == nil || only == "models" {
      missed += try await ManyModels(folder: folder, key: key.map { .raw($0) }).run()
    }
    if only == nil || only == "growth" {
      missed += try await Growth(folder: folder, key: key, rows: rows).run()
    }
    if only == nil || only == "bulk" {
      missed += try await Bulk(folder: folder, key: key, rows: rows).run()
    }
    print(missed.isEmpty ? "\nEvery target holds." : "\nMissed: \(missed.joined(separator: "; "))")
  }
}

struct LargeBenchError: Error, CustomStringConvertible {
  let description: String
}

func column(_ text: String, _ width: Int) -> String {
  String(repeating: " ", count: max(0, width - text.count)) + text
}

extension [Double] {
  var median: Double {
    let sorted = sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }
}
