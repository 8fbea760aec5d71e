import ArgumentParser
import Foundation
import MiniORM

struct Tool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "miniorm",
    abstract: "Inspects, copies and repairs SQLite files, with or without SQLCipher encryption.",
    discussion: """
      The key comes from a prompt, from a file descriptor (--key-fd 3) or from a file that only you can \
      read (--key-file). It never comes from an argument or the environment, which others can see.

      Exit status: \(ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")).
      """,
    version: "miniorm 0.1.0",
    subcommands: [
      Info.self, Check.self, Query.self, Encrypt.self, Decrypt.self, Rekey.self, Upgrade.self,
      Export.self, Backup.self, Restore.self, Follow.self, Backups.self, Salvage.self,
      Models.self, Schema.self,
    ])
}

@main
enum Main {
  private static func end(with error: any Error) -> Never {
    let (status, text) = (Tool.exitCode(for: error), Tool.fullMessage(for: error))
    if !status.isSuccess {
      let reason = text.trimmingPrefix("Error: ")
      if !reason.isEmpty { Terminal.complain(String(reason)) }
    } else if !text.isEmpty, !Terminal.send(text + "\n", to: STDOUT_FILENO) {
      exit(ExitStatus.failed.rawValue)
    }
    exit(status.rawValue)
  }

  /// Suggests the nearest command for a misspelled name.
  private static func checkName(_ arguments: ArraySlice<String>) throws {
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments
    let names = Tool.configuration.subcommands.map { $0._commandName } + ["help"]
    guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return }
    let nearest = names.map { (name: $0, count: word.difference(from: $0).count) }
      .min { $0.count < $1.count }
    let advice =
      nearest.flatMap { $0.count <= max(2, word.count / 3) ? "Did you mean \($0.name)?" : nil }
      ?? "miniorm --help lists the commands"
    throw Failure(.usage, "there is no command \(word.inOneLine). \(advice)")
  }

  static func main() async {
    // With SIGPIPE ignored, a closed output pipe is reported as an error, as a full disk is.
    signal(SIGPIPE, SIG_IGN)
    do {
      try checkName(CommandLine.arguments.dropFirst())
      var command = try Tool.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        nonisolated(unsafe) var running = command
        try await Signals.cancelling { try await running.run() }
        command = running
      } else {
        try command.run()
      }
    } catch {
      guard let (status, message) = Failure.told(error) else { end(with: error) }
      Terminal.complain(message)
      exit(status.rawValue)
    }
  }
}
