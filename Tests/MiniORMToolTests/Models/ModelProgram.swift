#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// A program of generated models, which compares each with its file.
  struct ModelProgram {
    private var sources: [String] = []
    private var calls: [String] = []

    static let swiftc: String? = {
      let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
      return folders.map { "\($0)/swiftc" }.first(where: FileManager.default.isExecutableFile)
    }()

    /// Adds the models of a file, `name.swift`.
    mutating func add(_ name: String, folder: URL, notes: String) throws {
      let source = try String(
        contentsOf: folder.appendingPathComponent("\(name).swift"), encoding: .utf8)
      sources.append("\(name).swift")
      var attribute = ""
      var models: [String] = []
      for line in source.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
        if line.hasPrefix("@") { attribute = line }
        guard line.hasPrefix("struct ") else { continue }
        let type = String(line.dropFirst(7).prefix { $0 != " " && $0 != ":" })
        if attribute.hasPrefix("@Table") { models.append("\(name).\(type).self") }
      }
      let list = models.isEmpty ? "[]" : "[\(models.joined(separator: ", "))]"
      calls.append(
        """
        try await check("\(name).db", \(name).schema, \(list) as [any Model.Type])
        """)
    }

    private var main: String {
      """
      import Foundation
      import MiniORM

      func check(
        _ path: String, _ schema: DatabaseSchema, _ models: [any Model.Type]
      ) async throws {
        do {
          var configuration = Configuration()
          configuration.journalMode = .delete
          configuration.collations = [Collation("unknown") { ($0 as NSString).compare($1) }]
          let database = try await Database(path: path, key: nil, configuration: configuration)
          let report = try await database.schemaReport(for: schema)
          if !report.isEmpty { print("\\(path): \\(report)") }
          for model in models { try await read(model, in: database) }
          if try await database.migrationHistory().isEmpty {
            try await database.adopt(version: schema.version)
          }
          let plan = try await database.migrationPlan(for: schema)
          if !plan.isEmpty { print("\\(path): \\(plan)") }
          try await database.close()
          let new = try await Database(path: path + "-new", key: nil, configuration: configuration)
          try await new.migrate(schema)
          try await new.close()
        } catch {
          print("\\(path): \\(error)")
        }
      }

      func read<T: Model>(_ model: T.Type, in database: Database) async throws {
        let name = T.schema.name
        do {
          let rows = try await Table<T>().fetchAll(in: database)
          let count = try await database.read { db in
            try db.value(Int.self, "SELECT count(*) FROM \\(identifier: name)")
          }
          if rows.count != count { print("\\(name): \\(rows.count) rows of \\(count ?? -1)") }
        } catch {
          print("\\(name): \\(error)")
        }
      }

      @main
      struct Main {
        static func main() async throws {
          \(calls.joined(separator: "\n    "))
        }
      }
      """
    }

    /// The folder of the built products, and the package's folder.
    private static let build = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent()
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The flags to import the library.
    private static func flags() throws -> [String] {
      var flags = [
        "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm", "-module-name",
        "Models", "-I", build.appendingPathComponent("Modules").path, "-load-plugin-executable",
        build.appendingPathComponent("MiniORMMacros-tool").path + "#MiniORMMacros",
      ]
      for library in ["CSQLCipher", "COpenSSL"] {
        let map = package.appendingPathComponent("Sources/\(library)/module.modulemap").path
        flags += ["-Xcc", "-fmodule-map-file=\(map)"]
      }
      return flags + (try packageFlags("--cflags").flatMap { ["-Xcc", $0] })
    }

    /// Type-checks files.
    /// - Returns: The compiler's output.
    static func check(_ sources: [String], in folder: URL) async throws -> String {
      let swiftc = try #require(Self.swiftc)
      return try await ChildProcess.run(
        swiftc, ["-typecheck"] + flags() + sources, in: folder
      ).output
    }

    /// Compiles and runs the program.
    /// - Returns: The output of the compiler and the program; empty on success.
    func run(in folder: URL) async throws -> String {
      try await Self.run(main, sources, in: folder)
    }

    /// Compiles and runs a program of a main file and other files.
    /// - Returns: The output of the compiler and the program.
    static func run(_ main: String, _ sources: [String], in folder: URL) async throws -> String {
      let swiftc = try #require(Self.swiftc)
      try Data(main.utf8).write(to: folder.appendingPathComponent("Main.swift"))
      var arguments = try flags() + ["-wmo", "-num-threads", "2", "-o", "models"]
      arguments += try libraryObjects(
        of: package, builtIn: build, linkedIn: folder.appendingPathComponent("objects"))
      arguments += try packageFlags("--libs") + sources + ["Main.swift"]
      let compiled = try await ChildProcess.run(swiftc, arguments, in: folder)
      guard compiled.status == 0, compiled.output.isEmpty else {
        return "swiftc ended with \(compiled.status)\n\(compiled.output)"
      }
      let ended = try await ChildProcess.run(
        folder.appendingPathComponent("models").path, in: folder, limit: .seconds(300))
      return ended.status == 0 ? ended.output : "\(ended.status): \(ended.output)"
    }
  }
#endif
