import ArgumentParser
import Foundation
import MiniORM

/// A file and its key.
struct FileOptions: ParsableArguments {
  @Argument(help: "The database's file.", completion: .file())
  var path: String

  @OptionGroup var key: KeyOptions

  /// Reads the key of the file, or asks for it; `nil` for a file that is not encrypted.
  func readKey() throws -> Key? {
    switch try DatabaseFileState(path) {
    case .encrypted: return try key.read("Key of \(path)")
    case .plain:
      guard !key.isGiven else {
        throw Failure(.usage, "\(path) is not encrypted, so there is no key to give")
      }
      return nil
    }
  }

  /// Opens the file for reading alone.
  func open(_ key: Key?) async throws -> Database {
    var configuration = Configuration()
    configuration.isReadOnly = true
    return try await Database(path: path, key: key, configuration: configuration)
  }

  /// Opens the file for writing, and leaves the kind of its journal as it is.
  func openForWriting(_ key: Key?) async throws -> Database {
    let reading = try await open(key)
    let mode = try await reading.text("PRAGMA journal_mode")
    try await reading.close()
    var configuration = Configuration()
    configuration.createsFile = false
    configuration.journalMode = mode == "wal" ? .wal : .delete
    return try await Database(path: path, key: key, configuration: configuration)
  }

  /// Opens the file for reading, and closes it after a closure.
  func reading<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
    let database = try await open(try readKey())
    do {
      let result = try await body(database)
      try await database.close()
      return result
    } catch {
      try? await database.close()
      throw error
    }
  }
}

/// Whether a file needs a key.
enum DatabaseFileState {
  case plain
  case encrypted

  init(_ path: String) throws {
    var isFolder = false
    do {
      let kind = try FileManager.default.attributesOfItem(
        atPath: (path as NSString).resolvingSymlinksInPath)[.type]
      isFolder = kind as? FileAttributeType == .typeDirectory
    } catch {
      throw Failure(.failed, "\(path): there is no such file, or it cannot be reached")
    }
    guard !isFolder else { throw Failure(.failed, "\(path) is a folder, and not a file") }
    // Before SQLite has it open: closing a descriptor ends the locks of a process.
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw Failure(.failed, "\(path) cannot be read: its permissions do not allow it")
    }
    defer { try? file.close() }
    let head = (try? file.read(upToCount: 16)) ?? Data()
    self = head.isEmpty || head == Data("SQLite format 3\0".utf8) ? .plain : .encrypted
  }
}

extension Database {
  /// The first value of a query, as text; `nil` where there is none, or NULL.
  func text(_ sql: String) async throws -> String? {
    switch try await read({ db in try db.query(SQL(raw: sql)).first?.values.first }) {
    case .text(let text)?: text
    case .integer(let number)?: "\(number)"
    case .real(let number)?: "\(number)"
    case .blob?, .null?, nil: nil
    }
  }
}
