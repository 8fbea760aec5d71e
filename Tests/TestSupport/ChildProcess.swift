#if os(Linux)
  package import Foundation
  import Synchronization

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Programs that a test runs as child processes.
  ///
  /// They are spawned by `posix_spawn`. Foundation's `Process.run()` sometimes crashes on Linux in
  /// Swift 6.3.1, because of a read past the end of a directory entry. `make lint` forbids it.
  package enum ChildProcess {
    /// A program's exit status and output.
    package struct Ended: Sendable, Equatable {
      /// The exit code; 128 plus the signal's number after a signal, as in a shell.
      package let status: Int32
      /// Standard output and standard error, interleaved.
      package let output: String

      package init(status: Int32, output: String) {
        self.status = status
        self.output = output
      }
    }

    /// A failed call, and the error code.
    package struct Failure: Error, CustomStringConvertible {
      package let call: String
      package let code: Int32

      package var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    /// Runs a program and waits for it without blocking a thread. Cancelling the task kills the program.
    /// - Parameters:
    ///   - program: A path, or a name to find on the PATH.
    ///   - arguments: The arguments, without the program's name.
    ///   - folder: The working directory; by default, this process's.
    ///   - environment: All environment variables; by default, this process's, with TMPDIR set to the
    ///     folder. LC_ALL is always C, because tests compare messages that other locales translate.
    ///   - limit: The time after which the program is killed.
    package static func run(
      _ program: String, _ arguments: [String] = [], in folder: URL? = nil,
      _ environment: [String: String]? = nil, limit: Duration = .seconds(900)
    ) async throws -> Ended {
      let output = try OutputFile()
      let child = Child(try spawn(program, arguments, in: folder, environment, output))
      let timer = Task {
        try await Task.sleep(for: limit)
        child.end()
      }
      defer { timer.cancel() }
      let status = try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          Thread.detachNewThread { continuation.resume(with: Result { try child.wait() }) }
        }
      } onCancel: {
        child.end()
      }
      try Task.checkCancellation()
      return output.ended(status)
    }

    /// Runs a program and blocks the calling thread until it ends.
    /// - Parameters:
    ///   - program: A path, or a name to find on the PATH.
    ///   - arguments: The arguments, without the program's name.
    ///   - folder: The working directory; by default, this process's.
    package static func runAndWait(
      _ program: String, _ arguments: [String] = [], in folder: URL? = nil
    ) throws -> Ended {
      let output = try OutputFile()
      let child = Child(try spawn(program, arguments, in: folder, nil, output))
      return output.ended(try child.wait())
    }

    private static func spawn(
      _ program: String, _ arguments: [String], in folder: URL?, _ environment: [String: String]?,
      _ output: borrowing OutputFile
    ) throws -> pid_t {
      var actions = posix_spawn_file_actions_t()
      try check("posix_spawn_file_actions_init", posix_spawn_file_actions_init(&actions))
      defer { posix_spawn_file_actions_destroy(&actions) }
      try check(
        "posix_spawn_file_actions_addopen",
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
      for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
        try check(
          "posix_spawn_file_actions_adddup2",
          posix_spawn_file_actions_adddup2(&actions, output.descriptor, descriptor))
      }

      // Dispatch threads block signals, and a child would inherit the mask.
      var attributes = posix_spawnattr_t()
      try check("posix_spawnattr_init", posix_spawnattr_init(&attributes))
      defer { posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      sigemptyset(&none)
      try check("posix_spawnattr_setsigmask", posix_spawnattr_setsigmask(&attributes, &none))
      try check(
        "posix_spawnattr_setflags",
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK)))

      var command = [program] + arguments
      if let folder {
        // Swift does not import posix_spawn_file_actions_addchdir_np.
        command = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder.path] + command
      }
      var variables = environment ?? ProcessInfo.processInfo.environment
      // Leftover temporary files are deleted with the folder.
      if environment == nil, let folder { variables["TMPDIR"] = folder.path }
      variables["LC_ALL"] = "C"
      var child: pid_t = 0
      try withCStrings(command) { arguments in
        try withCStrings(variables.map { "\($0)=\($1)" }) { variables in
          try check(
            "posix_spawn \(program)",
            posix_spawnp(&child, command[0], &actions, &attributes, arguments, variables))
        }
      }
      return child
    }

    /// A running program.
    ///
    /// A thread waits for the program from the start. Swift Testing waits for all children of the
    /// process, and spins at full processor load while an ended child has not been reaped.
    private final class Child: Sendable {
      private let id: pid_t
      /// True once the process ID may belong to another program.
      private let isOver = Mutex(false)

      init(_ id: pid_t) { self.id = id }

      func end() {
        isOver.withLock { isOver in
          if !isOver { _ = kill(id, SIGKILL) }
        }
      }

      /// Waits until the program has ended.
      /// - Returns: The exit status.
      func wait() throws -> Int32 {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0 {
          guard errno == EINTR else { throw Failure(call: "waitid", code: errno) }
        }
        return try isOver.withLock { isOver in
          isOver = true
          var status: Int32 = 0
          guard waitpid(id, &status, 0) == id else { throw Failure(call: "waitpid", code: errno) }
          let signal = status & 0x7f
          return signal == 0 ? (status >> 8) & 0xff : 128 + signal
        }
      }
    }

    private static func check(_ call: String, _ code: Int32) throws {
      guard code == 0 else { throw Failure(call: call, code: code) }
    }

    /// Calls a closure with a null-terminated array of C strings.
    private static func withCStrings(
      _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Void
    ) rethrows {
      let copies = strings.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      try body(copies + [nil])
    }

    /// An unlinked file for a program's output. A pipe without a reader would fill up and block the
    /// program.
    private struct OutputFile: ~Copyable {
      let descriptor: Int32

      init() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure(call: "open", code: errno) }
        unlink(path)
      }

      deinit { close(descriptor) }

      func ended(_ status: Int32) -> Ended {
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        lseek(descriptor, 0, SEEK_SET)
        let bytes = (try? file.readToEnd()) ?? Data()
        return Ended(status: status, output: String(decoding: bytes, as: UTF8.self))
      }
    }
  }
#endif
