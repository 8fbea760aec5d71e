#if os(Linux)
  import Foundation

  /// The compiler, with what it takes to use the module of this build.
  struct TutorialCompiler: Sendable {
    let swift: String
    let package: URL
    private let build: URL
    /// What `pkg-config` says of SQLCipher.
    private let cFlags: [String]
    private let linkerFlags: [String]

    static let here: TutorialCompiler? = try? TutorialCompiler()

    private struct Missing: Error {}

    private init() throws {
      let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
      let paths = folders.map { "\($0)/swiftc" }
      guard let swiftc = paths.first(where: FileManager.default.isExecutableFile) else {
        throw Missing()
      }
      swift = String(swiftc.dropLast(1))
      package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      func packages(_ option: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["pkg-config", option, "sqlcipher", "libcrypto"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
          decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split { $0 == " " || $0 == "\n" }.map(String.init)
      }
      cFlags = try packages("--cflags")
      linkerFlags = try packages("--libs")
    }

    /// Compiles a program.
    /// - Parameters:
    ///   - sources: The text of each source, by its name.
    ///   - isManifest: Whether it is the manifest of a package.
    ///   - folder: A folder that does not exist yet, for the sources.
    ///   - program: Where the program goes; `nil` when it is only checked.
    /// - Returns: What the compiler says: nothing where it compiles without a warning.
    func compile(
      _ sources: [String: String], isManifest: Bool = false, in folder: URL, to program: URL? = nil
    ) async throws -> String {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let names = sources.keys.sorted()
      for name in names {
        try Data((sources[name] ?? "").utf8).write(to: folder.appendingPathComponent(name))
      }
      var arguments = ["-swift-version", "6", "-wmo", "-diagnostic-style", "llvm"]
      if isManifest {
        let manifests = URL(fileURLWithPath: swift).resolvingSymlinksInPath()
          .deletingLastPathComponent().appendingPathComponent("../lib/swift/pm/ManifestAPI")
        arguments += ["-I", manifests.path, "-package-description-version", "6.3.0"]
      } else {
        arguments += [
          "-parse-as-library", "-module-name", "Directory",
          "-I", build.appendingPathComponent("Modules").path, "-load-plugin-executable",
          build.appendingPathComponent("MiniORMMacros-tool").path + "#MiniORMMacros",
        ]
        for library in ["CSQLCipher", "COpenSSL"] {
          let map = package.appendingPathComponent("Sources/\(library)/module.modulemap").path
          arguments += ["-Xcc", "-fmodule-map-file=\(map)"]
        }
        arguments += cFlags.flatMap { ["-Xcc", $0] }
      }
      if let program {
        arguments += ["-o", program.path] + (try objects()) + linkerFlags
      } else {
        arguments.append("-typecheck")
      }
      let (status, output) = try await run(swift + "c", arguments + names, in: folder)
      return status != 0 && output.isEmpty ? "swiftc ended with \(status)" : output
    }

    /// The library's object files. One that is left over from a source that has gone is none.
    private func objects() throws -> [String] {
      let sources = package.appendingPathComponent("Sources/MiniORM")
      return try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        .filter { $0.hasSuffix(".swift") }.sorted()
        .map { path in
          let name = path.split(separator: "/").last ?? ""
          return build.appendingPathComponent("MiniORM.build/\(name).o").path
        }
    }

    /// Runs a program, and waits for it without holding a thread.
    /// - Returns: Its status, and what it wrote to its standard output and error together.
    func run(
      _ executable: String, _ arguments: [String], in folder: URL,
      _ environment: [String: String]? = nil
    ) async throws -> (status: Int32, output: String) {
      // A file, since a pipe that nobody reads meanwhile would fill up.
      let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try Data().write(to: url)
      defer { try? FileManager.default.removeItem(at: url) }
      let output = try FileHandle(forWritingTo: url)
      defer { try? output.close() }
      let status: Int32 = try await withCheckedThrowingContinuation { continuation in
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do {
          try process.run()
        } catch {
          continuation.resume(throwing: error)
        }
      }
      return (status, String(decoding: try Data(contentsOf: url), as: UTF8.self))
    }
  }
#endif
