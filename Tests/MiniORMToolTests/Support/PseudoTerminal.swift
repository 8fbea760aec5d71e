#if os(Linux)
  import Foundation
  import TestSupport

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// A pseudoterminal on which a test types.
  final class PseudoTerminal: Sendable {
    private let descriptor: Int32
    private let path: String

    private struct Failure: Error {
      let call: String
      let code: Int32
    }

    /// The expected prompt did not appear.
    private struct NotAsked: Error {
      let shown: String
    }

    init() throws {
      descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      // TIOCSPTLCK unlocks the terminal, TIOCGPTN returns its number. Swift does not import
      // posix_openpt.
      var (lock, number): (Int32, UInt32) = (0, 0)
      guard descriptor >= 0, ioctl(descriptor, 0x4004_5431, &lock) == 0,
        ioctl(descriptor, 0x8004_5430, &number) == 0
      else { throw Failure(call: "/dev/ptmx", code: errno) }
      path = "/dev/pts/\(number)"
    }

    deinit { close(descriptor) }

    /// Runs the tool on the terminal.
    /// - Parameter answers: Prompts to wait for, and the text to type after each.
    /// - Returns: The output on the terminal.
    func run(
      _ tool: ToolRun, _ arguments: [String], _ answers: [(wait: String, text: String)],
      program: String = ToolRun.program
    ) async throws -> ChildProcess.Ended {
      // The first terminal that a session leader opens becomes its controlling terminal.
      async let ended = ChildProcess.run(
        "setsid",
        ["-w", "/bin/sh", "-c", "exec \"$0\" \"$@\" <\(path) >\(path) 2>&1", program] + arguments,
        in: tool.folder, limit: .seconds(300))
      var (shown, all) = ("", "")
      for (wait, text) in answers {
        let deadline = ContinuousClock.now + .seconds(240)
        while !shown.contains(wait), .now < deadline {
          shown += read()
          try await Task.sleep(for: .milliseconds(10))
        }
        guard shown.contains(wait) else { throw NotAsked(shown: all + shown) }
        all += shown
        shown = ""
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
          throw Failure(call: "write", code: errno)
        }
      }
      let status = try await ended.status
      return ChildProcess.Ended(status: status, output: all + shown + read())
    }

    private func sysRead(_ buffer: inout [UInt8]) -> Int {
      #if canImport(Musl)
        Musl.read(descriptor, &buffer, buffer.count)
      #else
        Glibc.read(descriptor, &buffer, buffer.count)
      #endif
    }

    private func read() -> String {
      var output: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&waiting, 1, 0) > 0, waiting.revents & Int16(POLLIN) != 0 {
        let count = sysRead(&buffer)
        guard count > 0 else { break }
        output += buffer[..<count]
      }
      return String(decoding: output, as: UTF8.self)
    }
  }
#endif
