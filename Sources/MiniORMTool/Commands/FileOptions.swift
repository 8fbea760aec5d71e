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

struct FileOptions: ParsableArguments {
  @Argument(help: "The database's file.", completion: .file())
  var path: String

  @OptionGroup var key: KeyOptions

  /// Reads the key of the file, or asks for the key; `nil` for a file that is not encrypted.
  func readKey() throws -> Key? {
    switch try DatabaseFileState(path) {
    case .encrypted: return try key.read("Key of \(path)")
    case .plain:
      guard !key.isGiven else {
        throw Failure(.usage, "\(path) is not encrypted: leave out --key-fd, --key-file and --raw")
      }
      return nil
    }
  }

  /// Opens the file for writing, and keeps the journal mode. Opening applies or rolls back
  /// unfinished changes of a killed program, if the changes belong to the file.
  func openForWriting(_ key: Key?) async throws -> Database {
    var configuration = Configuration()
    configuration.createsFile = false
    configuration.journalMode =
      switch try await Database.unfinishedChanges(path: path, key: key) {
      case .journal?: .delete
      case .log?: .wal
      case nil:
        try await Database.inspect(path: path, key: key) { try await $0.journalMode() } ?? .delete
      }
    // Replaces the modes PERSIST and TRUNCATE by DELETE.
    if configuration.journalMode != .wal { configuration.journalMode = .delete }
    return try await Database(path: path, key: key, configuration: configuration)
  }
}

struct InspectedFile: ParsableArguments {
  @OptionGroup var file: FileOptions

  @Flag(
    help: "Limits what the file can demand, such as memory for a value: for files from others.")
  var untrusted = false

  var path: String { file.path }

  var configuration: Configuration {
    var configuration = Configuration()
    configuration.isUntrusted = untrusted
    return configuration
  }

  func readKey() throws -> Key? { try file.readKey() }

  /// Opens the file without changing the file or the files beside the file.
  func inspecting<Result>(
    _ key: Key?, _ body: (Database) async throws -> Result
  ) async throws -> Result {
    try await Database.inspect(path: path, key: key, configuration: configuration, body)
  }
}

/// The encryption state of a file.
enum DatabaseFileState {
  case plain
  case encrypted

  /// Reads the first bytes of a file. Call this before SQLite opens the file: closing a descriptor
  /// releases all locks of the process on the file.
  init(_ path: String) throws {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Failure(
        .failed,
        errno == EACCES && access(path, F_OK) == 0
          ? "\(path) cannot be read: its permissions do not allow it"
          : "\(path): there is no such file, or the path cannot be reached")
    }
    defer { close(descriptor) }
    // Checks the open descriptor, because the path may change at any moment.
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      throw Failure(.failed, "\(path) cannot be read")
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw Failure(.failed, "\(path) is a folder: give the path of a file")
    default: throw Failure(.failed, "\(path) is a device or a pipe: give the path of a file")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    let head = (try? file.read(upToCount: 16)) ?? Data()
    if head.isEmpty || head == Data("SQLite format 3\0".utf8) {
      self = .plain
      return
    }
    // An encrypted file begins with random bytes, and consists of pages of 512 bytes or more.
    let isText = head.allSatisfy { (0x20..<0x7f).contains($0) || (9...13).contains($0) }
    guard !isText, information.st_size >= 512 else {
      throw Failure(.wrongKey, "\(path) is not a database")
    }
    self = .encrypted
  }
}

extension Database {
  /// Returns the first value of a query as text; `nil` for NULL or without rows.
  func text(_ sql: String) async throws -> String? {
    switch try await read({ db in try db.query(SQL(raw: sql)).first?.values.first }) {
    case .text(let text)?: text
    case .integer(let number)?: "\(number)"
    case .real(let number)?: "\(number)"
    case .blob?, .null?, nil: nil
    }
  }
}
