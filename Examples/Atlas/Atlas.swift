import Foundation
import MiniORM

/// The program: reads the command line, runs the command, and turns failures into words and an
/// exit status.
@main
struct Atlas {
  static func main() async {
    exit(await run(CommandLine.arguments.dropFirst()).rawValue)
  }

  /// Runs the program.
  /// - Parameter arguments: The arguments, without the program's own name.
  /// - Returns: The status to exit with.
  static func run(_ arguments: some Sequence<String>) async -> Status {
    do {
      return try await run(Invocation(arguments))
    } catch {
      let (status, text) = explanation(of: error)
      complain(text)
      return status
    }
  }

  /// What to say about a failure, and the status to exit with.
  static func explanation(of error: any Error) -> (Status, String) {
    switch error {
    case let error as UsageError:
      (.usage, "atlas: \(error.message)\nTry 'atlas --help'.")
    case let error as DatabaseError:
      // The two texts that an alert would show: what failed, and why.
      (.failure, "atlas: \(error.errorDescription ?? "")\n\(error.failureReason ?? "")")
    default:
      (.failure, "atlas: \(error.localizedDescription)")
    }
  }

  private static func run(_ invocation: Invocation) async throws -> Status {
    switch invocation.command {
    case .help:
      print(Invocation.help)
      return .success
    case .demo:
      try await Demo.run()
      return .success
    case .build:
      return try await build(invocation.file)
    case .search(let words):
      return try await search(words, limit: invocation.limit, in: invocation.file)
    case .show(let codePoint):
      return try await show(codePoint, in: invocation.file)
    }
  }
}

/// What the shell is told.
enum Status: Int32 {
  case success = 0
  /// Something failed, or nothing was found.
  case failure = 1
  /// The arguments make no sense: EX_USAGE.
  case usage = 64
}
