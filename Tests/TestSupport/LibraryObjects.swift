#if os(Linux)
  package import Foundation

  /// Links the object files of MiniORM and MiniORMRepair into a folder, for a program that `swiftc` links with them.
  ///
  /// The links must be separate for each program: `swiftc` writes a file named after the module beside the
  /// first object file. Two compilations with the same module name and folder would overwrite it.
  /// - Parameters:
  ///   - package: The folder of the package.
  ///   - build: The folder of the built products.
  ///   - folder: The folder for the links. It need not exist yet.
  ///   - modules: The modules of the library.
  /// - Returns: The paths of the links. Object files without a source are left out.
  package func libraryObjects(
    of package: URL, builtIn build: URL, linkedIn folder: URL,
    modules: [String] = ["MiniORM", "MiniORMRepair"]
  ) throws -> [String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try modules.flatMap { module in
      let sources = package.appendingPathComponent("Sources/\(module)")
      return try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        .filter { $0.hasSuffix(".swift") }.sorted()
        .map { path in
          let name = "\(path.split(separator: "/").last ?? "").o"
          let link = folder.appendingPathComponent(name)
          try FileManager.default.createSymbolicLink(
            at: link,
            withDestinationURL: build.appendingPathComponent("\(module).build/\(name)"))
          return link.path
        }
    }
  }
#endif
