#if os(Linux)
  package import Foundation

  /// The library's object files, for a program that `swiftc` links with them.
  ///
  /// They are links in a folder of the program's own: `swiftc` writes what it found out about libraries to a file beside
  /// the first object, named after the module. Two that compile a module of one name at once, with the same objects, spoil it.
  /// - Parameters:
  ///   - package: The folder of the package.
  ///   - build: The folder that holds what was built.
  ///   - folder: Where the links go. It need not exist yet.
  /// - Returns: Their paths. A file that is left over from a source that has gone is none of them.
  package func libraryObjects(
    of package: URL, builtIn build: URL, linkedIn folder: URL
  ) throws -> [String] {
    let sources = package.appendingPathComponent("Sources/MiniORM")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") }.sorted()
      .map { path in
        let name = "\(path.split(separator: "/").last ?? "").o"
        let link = folder.appendingPathComponent(name)
        try FileManager.default.createSymbolicLink(
          at: link,
          withDestinationURL: build.appendingPathComponent("MiniORM.build/\(name)"))
        return link.path
      }
  }
#endif
