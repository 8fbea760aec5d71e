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
      if !text.isEmpty { Terminal.complain(text) }
    } else if !text.isEmpty, !Terminal.write(text + "\n", to: STDOUT_FILENO) {
      exit(ExitStatus.failed.rawValue)
    }
    exit(status.rawValue)
  }

  static func main() async {
    // With SIGPIPE ignored, a closed output pipe is reported as an error, as a full disk is.
    signal(SIGPIPE, SIG_IGN)
    do {
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
      Terminal.complain("miniorm: \(message)")
      exit(status.rawValue)
    }
  }
}
