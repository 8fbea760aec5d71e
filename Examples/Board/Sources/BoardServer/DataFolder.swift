import Foundation
import MiniORM

/// The folder of the board's data, if `BOARD_FILE` and `BOARD_KEY_FILE` name no other place.
///
/// The folder is outside of the build's folder, which `swift package clean` deletes.
enum DataFolder {
  /// Returns the folder of a user: `$XDG_DATA_HOME/miniorm-board`, by default
  /// `~/.local/share/miniorm-board`.
  static func path(_ environment: [String: String]) -> String {
    // The specification ignores relative paths.
    if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      return data + "/miniorm-board"
    }
    return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/miniorm-board"
  }

  /// Creates the folder. A board that was kept in a build's folder is copied into the new folder.
  /// - Parameter program: The path of this program, which is inside the build's folder.
  static func prepare(
    _ settings: Settings, program: String = CommandLine.arguments[0],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) async throws {
    let folder = path(environment)
    guard settings.path == folder + "/board.db", settings.keyPath == folder + "/board.key",
      !FileManager.default.fileExists(atPath: folder)
    else { return }
    let program = URL(filePath: program).standardizedFileURL.path
    let build = program.range(of: "/.build/").map { String(program[..<$0.upperBound]) } ?? ""
    let old = (path: build + "board.db", key: build + "board.key")
    guard !build.isEmpty, FileManager.default.fileExists(atPath: old.path) else {
      return try create(folder)
    }
    // The folder gets its name when it is complete.
    let copy = "\(folder).\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: copy) }
    try create(copy)
    let database = try await Database(path: old.path) {
      try KeyFile.key(at: old.key, of: old.path)
    }
    do {
      try await database.backup(to: copy + "/board.db")
      try FileManager.default.copyItem(atPath: old.key, toPath: copy + "/board.key")
    } catch {
      try? await database.close()
      throw error
    }
    try await database.close()
    try FileManager.default.moveItem(atPath: copy, toPath: folder)
    print("The board of \(build) was copied to \(folder)")
  }

  private static func create(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StartError("The folder \(path) cannot be created: set BOARD_FILE and BOARD_KEY_FILE")
    }
  }
}
