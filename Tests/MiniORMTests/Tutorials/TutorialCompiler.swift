#if os(Linux)
  import Foundation
  import TestSupport

  /// The compiler, with what it takes to use the module of this build.
  struct TutorialCompiler: Sendable {
    let swift: String
    let package: URL
    private let build: URL
    /// The folder `usr` of the compiler.
    private let toolchain: URL
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
      toolchain = URL(fileURLWithPath: swift).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
      package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      build = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      cFlags = try packageFlags("--cflags")
      linkerFlags = try packageFlags("--libs")
    }

    /// Checks the manifest of a package.
    /// - Parameters:
    ///   - sources: Its text, by its name.
    ///   - folder: A folder that does not exist yet, for the manifest.
    /// - Returns: What the compiler says: nothing where it compiles without a warning.
    func check(_ sources: [String: String], in folder: URL) async throws -> String {
      let manifests = toolchain.appendingPathComponent("lib/swift/pm/ManifestAPI")
      return try await run(
        ["-wmo", "-typecheck", "-I", manifests.path, "-package-description-version", "6.3.0"],
        sources, in: folder)
    }

    /// Compiles a program.
    /// - Parameters:
    ///   - sources: The text of each source, by its name. With `main.swift` it is a script: warnings are
    ///     not reported.
    ///   - module: What its package calls it.
    ///   - fileByFile: Whether each source is compiled by itself, as in a build that follows a small
    ///     change. Some mistakes are found only so, and it takes longer.
    ///   - folder: A folder that does not exist yet, for the sources.
    ///   - program: Where the program goes; `nil` when it is only checked.
    /// - Returns: What the compiler says: nothing where it compiles without a warning.
    func compile(
      _ sources: [String: String], as module: String, fileByFile: Bool = false, in folder: URL,
      to program: URL? = nil
    ) async throws -> String {
      let output = try program.map { ["-o", $0.path] + (try objects(in: folder)) + linkerFlags }
      return try await run(
        [fileByFile ? "-disable-batch-mode" : "-wmo", "-module-name", module]
          + [sources["main.swift"] == nil ? "-parse-as-library" : "-suppress-warnings"]
          + moduleFlags + (output ?? ["-typecheck"]), sources, in: folder)
    }

    /// Compiles the tests of a program, as `swift test` does: the program's `main` gets another name.
    /// - Parameters:
    ///   - tests: The text of each source of the tests, by its name.
    ///   - module: What the package calls the program.
    ///   - sources: The text of each source of the program, by its name.
    ///   - folder: A folder that does not exist yet, for the sources.
    ///   - program: Where the program that runs the tests goes; `nil` when they are only checked.
    /// - Returns: What the compiler says: nothing where it compiles without a warning.
    func compile(
      tests: [String: String], of module: String, _ sources: [String: String], in folder: URL,
      to program: URL? = nil
    ) async throws -> String {
      let said = try await run(
        ["-wmo", "-module-name", module, "-enable-testing", "-emit-module"]
          + (program == nil ? [] : ["-c", "-o", "tested.o"])
          + ["-Xfrontend", "-entry-point-function-name", "-Xfrontend", "\(module)_main"]
          + ["-parse-as-library"] + moduleFlags, sources, in: folder)
      guard said.isEmpty else { return said }
      let runner = """
        import Testing
        @main struct Runner {
          static func main() async { await Testing.__swiftPMEntryPoint() as Never }
        }
        """
      let output = try program.map {
        ["-o", $0.path, "tested.o"] + (try objects(in: folder)) + linkerFlags
      }
      let plugins = toolchain.appendingPathComponent("lib/swift/host/plugins/testing")
      return try await run(
        ["-wmo", "-module-name", "\(module)Tests", "-I", ".", "-plugin-path", plugins.path]
          + ["-parse-as-library"]
          + moduleFlags + (output ?? ["-typecheck"]),
        tests.merging(["Runner.swift": runner]) { test, _ in test }, in: folder)
    }

    /// What a program needs to import the library.
    private var moduleFlags: [String] {
      var flags = [
        "-I", build.appendingPathComponent("Modules").path,
        "-load-plugin-executable",
        build.appendingPathComponent("MiniORMMacros-tool").path + "#MiniORMMacros",
      ]
      for library in ["CSQLCipher", "COpenSSL"] {
        let map = package.appendingPathComponent("Sources/\(library)/module.modulemap").path
        flags += ["-Xcc", "-fmodule-map-file=\(map)"]
      }
      return flags + cFlags.flatMap { ["-Xcc", $0] }
    }

    /// Runs the compiler on sources, which it writes before.
    private func run(
      _ arguments: [String], _ sources: [String: String], in folder: URL
    ) async throws -> String {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in sources {
        try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      }
      let ended = try await ChildProcess.run(
        swift + "c",
        ["-swift-version", "6", "-diagnostic-style", "llvm"] + arguments + sources.keys.sorted(),
        in: folder)
      return ended.status != 0 && ended.output.isEmpty
        ? "swiftc ended with \(ended.status)" : ended.output
    }

    /// The library's object files, linked beside the sources of a program.
    private func objects(in folder: URL) throws -> [String] {
      try libraryObjects(
        of: package, builtIn: build, linkedIn: folder.appendingPathComponent("objects"))
    }
  }
#endif
