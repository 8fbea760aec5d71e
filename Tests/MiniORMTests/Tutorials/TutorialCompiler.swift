#if os(Linux)
  import Foundation
  import TestSupport

  /// Runs the Swift compiler with the flags to import this build's module.
  struct TutorialCompiler: Sendable {
    let swift: String
    let package: URL
    private let build: URL
    /// The compiler's `usr` folder.
    private let toolchain: URL
    var tool: URL { build.appendingPathComponent("miniorm") }
    /// The output of `pkg-config` for SQLCipher.
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

    /// Type-checks a package manifest.
    /// - Parameters:
    ///   - sources: The manifest's text, keyed by name.
    ///   - folder: A folder for the manifest, which must not exist yet.
    /// - Returns: The compiler's diagnostics; empty on success.
    func check(_ sources: [String: String], in folder: URL) async throws -> String {
      let manifests = toolchain.appendingPathComponent("lib/swift/pm/ManifestAPI")
      return try await run(
        ["-wmo", "-typecheck", "-I", manifests.path, "-package-description-version", "6.3.0"],
        sources, in: folder)
    }

    /// Compiles a program.
    /// - Parameters:
    ///   - sources: The text of each source, keyed by name. With `main.swift`, warnings are not reported.
    ///   - module: The name of the module.
    ///   - fileByFile: True to compile each source separately, as incremental builds do. This is slower and
    ///     finds some additional errors.
    ///   - folder: A folder for the sources, which must not exist yet.
    ///   - program: The path of the executable; `nil` to type-check only.
    /// - Returns: The compiler's diagnostics; empty on success.
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

    /// Compiles the tests of a program, as `swift test` does: the program's `main` is renamed.
    /// - Parameters:
    ///   - tests: The text of each test source, keyed by name.
    ///   - module: The name of the program's module.
    ///   - sources: The text of each program source, keyed by name.
    ///   - folder: A folder for the sources, which must not exist yet.
    ///   - program: The path of the test executable; `nil` to type-check only.
    /// - Returns: The compiler's diagnostics; empty on success.
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
        ["-o", $0.path, "tested.o"]
          + (try objects(in: folder, of: ["MiniORM", "MiniORMRepair", "MiniORMTesting"]))
          + linkerFlags
      }
      let plugins = toolchain.appendingPathComponent("lib/swift/host/plugins/testing")
      return try await run(
        ["-wmo", "-module-name", "\(module)Tests", "-I", ".", "-plugin-path", plugins.path]
          + ["-parse-as-library"]
          + moduleFlags + (output ?? ["-typecheck"]),
        tests.merging(["Runner.swift": runner]) { test, _ in test }, in: folder)
    }

    /// The flags to import the library.
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

    /// Writes the sources and runs the compiler.
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

    /// The library's object files, linked for a program in this folder.
    private func objects(
      in folder: URL, of modules: [String] = ["MiniORM", "MiniORMRepair"]
    ) throws -> [String] {
      try libraryObjects(
        of: package, builtIn: build, linkedIn: folder.appendingPathComponent("objects"),
        modules: modules)
    }
  }
#endif
