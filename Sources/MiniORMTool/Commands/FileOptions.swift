import ArgumentParser
import Foundation
import MiniORM

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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

  /// Looks at the first bytes of a file, before SQLite has it open: closing a descriptor ends all locks that
  /// the process has on the file.
  init(_ path: String) throws {
    // A pipe that nobody writes to would be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Failure(
        .failed,
        errno == EACCES && access(path, F_OK) == 0
          ? "\(path) cannot be read: its permissions do not allow it"
          : "\(path): there is no such file, or it cannot be reached")
    }
    defer { close(descriptor) }
    // Of what is open, and not of what has the name a moment later.
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      throw Failure(.failed, "\(path) cannot be read")
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw Failure(.failed, "\(path) is a folder, and not a file")
    default: throw Failure(.failed, "\(path) is a device or a pipe, and not a file")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
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
