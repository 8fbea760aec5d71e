#if os(Linux)
  package import Foundation

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
    ///   - environment: All its variables; those of the tests by default.
    ///   - limit: What it may take before it is killed.
    package static func run(
      _ program: String, _ arguments: [String] = [], in folder: URL? = nil,
      _ environment: [String: String]? = nil, limit: Duration = .seconds(900)
    ) async throws -> Ended {
      let output = try OutputFile()
      let child = try spawn(program, arguments, in: folder, environment, output)
      let deadline = ContinuousClock.now + limit
      do {
        while true {
          if let status = try status(of: child, WNOHANG) { return output.ended(status) }
          if .now > deadline { _ = kill(child, SIGKILL) }
          try await Task.sleep(for: .milliseconds(5))
        }
      } catch {
        _ = kill(child, SIGKILL)
        _ = try? status(of: child, 0)
        throw error
      }
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
      let child = try spawn(program, arguments, in: folder, nil, output)
      while true {
        if let status = try status(of: child, 0) { return output.ended(status) }
      }
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
      let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
      var child: pid_t = 0
      try withCStrings(command) { arguments in
        try withCStrings(variables) { variables in
          try check(
            "posix_spawn \(program)",
            posix_spawnp(&child, command[0], &actions, &attributes, arguments, variables))
        }
      }
      return child
    }

    /// How a program ended; `nil` while it runs.
    private static func status(of child: pid_t, _ options: Int32) throws -> Int32? {
      var status: Int32 = 0
      switch waitpid(child, &status, options) {
      case 0: return nil
      case child:
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
      default:
        if errno == EINTR { return nil }
        throw Failure(call: "waitpid", code: errno)
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
