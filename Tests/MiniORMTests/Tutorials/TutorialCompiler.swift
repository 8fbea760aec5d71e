#if os(Linux)
  import Foundation
  import TestSupport

  /// The compiler, with what it takes to use the module of this build.
  struct TutorialCompiler: Sendable {
    let swift: String
    let package: URL
    private let build: URL
    /// The command-line tool.
    var tool: URL { build.appendingPathComponent("miniorm") }
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
      cFlags = try packageFlags("--cflags")
      linkerFlags = try packageFlags("--libs")
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
      let ended = try await ChildProcess.run(swift + "c", arguments + names, in: folder)
      return ended.status != 0 && ended.output.isEmpty
        ? "swiftc ended with \(ended.status)" : ended.output
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
  }
#endif
