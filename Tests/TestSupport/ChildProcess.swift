#if os(Linux)
  package import Foundation
  import Synchronization

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Programs that a test runs beside itself.
  ///
  /// They are spawned by `posix_spawn`. `Process.run()` of Foundation crashes now and then on Linux
  /// in Swift 6.3.1, as it reads past the end of a directory entry; `make lint` forbids it.
  package enum ChildProcess {
    /// How a program ended.
    package struct Ended: Sendable, Equatable {
      /// What it exits with; where a signal ends it, 128 and the signal's number, as in a shell.
      package let status: Int32
      /// What it wrote to its standard output and error together.
      package let output: String

      package init(status: Int32, output: String) {
        self.status = status
        self.output = output
      }
    }

    /// A program that could not be run: the call that failed, and the code that it gave.
    package struct Failure: Error, CustomStringConvertible {
      package let call: String
      package let code: Int32

      package var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    /// Runs a program, and waits for it without holding a thread. A task that is cancelled kills it.
    /// - Parameters:
    ///   - program: Its path, or a name to look for on the PATH.
    ///   - arguments: Its arguments, without its name.
    ///   - folder: Its working directory; that of the tests by default.
    ///   - environment: All its variables; those of the tests by default, with TMPDIR in the folder.
    ///   - limit: What it may take before it is killed.
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

    /// Runs a program, and waits for it on the thread of the caller.
    /// - Parameters:
    ///   - program: Its path, or a name to look for on the PATH.
    ///   - arguments: Its arguments, without its name.
    ///   - folder: Its working directory; that of the tests by default.
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

      // The threads of a dispatch queue block signals, which a program would inherit.
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
        // Swift sees no posix_spawn_file_actions_addchdir_np.
        command = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder.path] + command
      }
      var variables = environment ?? ProcessInfo.processInfo.environment
      // What it leaves behind goes with its folder.
      if environment == nil, let folder { variables["TMPDIR"] = folder.path }
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

    /// A program that runs.
    ///
    /// Somebody waits for it on a thread from the beginning. Swift Testing waits for all children of the process, and asks
    /// again and again, with all of a processor, as long as one that has ended was not waited for.
    private final class Child: Sendable {
      private let id: pid_t
      /// Whether its number may be another program's by now.
      private let isOver = Mutex(false)

      init(_ id: pid_t) { self.id = id }

      func end() {
        isOver.withLock { isOver in
          if !isOver { _ = kill(id, SIGKILL) }
        }
      }

      /// Waits until it has ended.
      /// - Returns: How.
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

    /// Calls a closure with C strings and the null that ends them.
    private static func withCStrings(
      _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Void
    ) rethrows {
      let copies = strings.map { strdup($0) }
      defer { for copy in copies { free(copy) } }
      try body(copies + [nil])
    }

    /// A file without a name, which takes what a program writes: a pipe that nobody reads meanwhile
    /// would fill up.
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
