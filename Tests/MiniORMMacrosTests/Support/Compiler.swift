#if os(Linux)
  import Foundation
  import TestSupport

  /// The compiler, and the modules of this build.
  struct Compiler: Sendable {
    let path: String
    let build: URL
    let package: URL

    static let here: Compiler? = {
      let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
      let paths = folders.map { "\($0)/swiftc" }
      guard let path = paths.first(where: FileManager.default.isExecutableFile) else { return nil }
      return Compiler(
        path: path,
        build: URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
        package: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
          .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent())
    }()

    /// The arguments for a source that imports the library.
    private func arguments() throws -> [String] {
      var arguments = [
        "-swift-version", "6", "-parse-as-library", "-module-name", "Client", "-package-name",
        "client",
        "-diagnostic-style", "llvm", "-I", build.appendingPathComponent("Modules").path,
        "-load-plugin-executable",
        build.appendingPathComponent("MiniORMMacros-tool").path + "#MiniORMMacros",
      ]
      arguments += try packageFlags("--cflags").flatMap { ["-Xcc", $0] }
      for library in ["CSQLCipher", "COpenSSL"] {
        let map = package.appendingPathComponent("Sources/\(library)/module.modulemap").path
        arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
      }
      return arguments
    }

    /// Calls a closure with a new folder, and deletes the folder afterwards.
    private func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      return try await body(folder)
    }

    /// Returns the compiler's error lines for a source.
    func errors(in source: String, _ flags: [String] = []) throws -> [String] {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data(source.utf8).write(to: folder.appendingPathComponent("source.swift"))
      let ended = try ChildProcess.runAndWait(
        path, ["-typecheck"] + arguments() + flags + ["source.swift"], in: folder)
      let lines = ended.output.split(separator: "\n").map(String.init)
        .filter { $0.contains("error:") }
      return lines.map { $0.replacingOccurrences(of: folder.path + "/", with: "") }
    }

    /// Compiles a program, links it with the library, and runs it.
    /// - Parameter sources: The text of each source, keyed by name.
    /// - Returns: The output of the compiler and the program; empty on success.
    func run(_ sources: [String: String]) async throws -> String {
      try await withFolder { folder in
        for (name, text) in sources {
          try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        let objects = try libraryObjects(
          of: package, builtIn: build, linkedIn: folder.appendingPathComponent("objects"))
        let compiled = try await ChildProcess.run(
          path,
          ["-wmo", "-num-threads", "2", "-o", "program"] + arguments() + objects
            + packageFlags("--libs") + sources.keys.sorted(), in: folder)
        guard compiled.status == 0, compiled.output.isEmpty else {
          return "swiftc ended with \(compiled.status)\n\(compiled.output)"
        }
        let ended = try await ChildProcess.run(
          folder.appendingPathComponent("program").path, in: folder)
        return ended.status == 0 ? ended.output : "\(ended.status): \(ended.output)"
      }
    }
  }
#endif
