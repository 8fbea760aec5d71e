import ArgumentParser
import Foundation
import MiniORM

/// A database's file, its key and its cipher settings. In a debug build, ArgumentParser checks each group of
/// options about four times for the group that contains it, so no group contains a group of groups.
protocol FileArguments: ParsableArguments {
  var path: String { get }
  var key: KeyOptions { get }
  var cipher: CipherOptions { get }
}

struct FileOptions: FileArguments {
  @Argument(help: "The database's file.", completion: .file())
  var path: String

  @OptionGroup var key: KeyOptions
  @OptionGroup var cipher: CipherOptions
}

struct InspectedFile: FileArguments {
  @Argument(help: "The database's file.", completion: .file())
  var path: String

  @OptionGroup var key: KeyOptions
  @OptionGroup var cipher: CipherOptions

  @Flag(
    help: "Limits what the file can demand, such as memory for a value: for files from others.")
  var untrusted = false

  func configuration(_ key: Key?) throws -> Configuration {
    var configuration = try fileConfiguration(key)
    configuration.isUntrusted = untrusted
    return configuration
  }

  /// Opens the file without changing the file or its -wal, -shm and -journal files.
  /// - Parameter standsIn: True to read files with unregistered collations, although searches by
  ///   their indexes would miss rows.
  func inspecting<Result>(
    _ key: Key?, standsIn: Bool = false, _ body: (Database) async throws -> Result
  ) async throws -> Result {
    try await trying(key, configuration(key)) { configuration in
      var configuration = configuration
      configuration.standsInForCollations = standsIn
      configuration.functions = [FileContents.Object.isText]
      return try await Database.inspect(path: path, key: key, configuration: configuration, body)
    }
  }

  /// Copies the file to a destination.
  /// - Parameter prepare: Returns further input before the progress is shown.
  func copying<Choice>(
    to destination: String, _ title: String, standsIn: Bool = false,
    _ prepare: (Key?) throws -> Choice,
    _ body: (Database, Choice, @escaping @Sendable (Double) -> Void) async throws -> Void
  ) async throws {
    try OutputFile.check(destination, beside: path)
    let key = try readKey()
    try await inspecting(key, standsIn: standsIn) { database in
      let choice = try prepare(key)
      try await ProgressBar.showing(title) { try await body(database, choice, $0) }
    }
  }
}

extension FileArguments {
  func fileConfiguration(_ key: Key?) throws -> Configuration {
    var configuration = Configuration()
    let hasPlainHeader = try key != nil && DatabaseFileState(path) != .encrypted
    configuration.cipher = cipher.settings(hasPlainHeader: hasPlainHeader)
    return configuration
  }

  /// Reads the file's key, or asks for it; `nil` for an unencrypted file.
  func readKey() throws -> Key? {
    let isEncrypted =
      switch try DatabaseFileState(path) {
      case .encrypted: true
      case .plain: false
      case .plainHeader: key.isGiven || cipher.plaintextHeader != nil
      }
    guard isEncrypted else {
      guard !key.isGiven else {
        throw Failure(.usage, "\(path) is not encrypted: leave out --key-fd, --key-file and --raw")
      }
      return nil
    }
    return try key.read("Key of \(path)", salt: cipher.saltBytes)
  }

  /// Runs the closure. If the key does not match and no settings were given, runs the closure again
  /// with the settings of the file's SQLCipher version, if an older version's settings match.
  func trying<Result>(
    _ key: Key?, _ configuration: Configuration,
    _ body: (Configuration) async throws -> Result
  ) async throws -> Result {
    do {
      return try await body(configuration)
    } catch let error as DatabaseError where key != nil && !cipher.isGiven {
      guard case .otherSettings(let version)? = error.openingFailure else { throw error }
      var other = configuration
      other.cipher = CipherOptions.versions[version - 1]
      return try await body(other)
    }
  }

  /// Opens the file for writing, in its journal mode. Unfinished changes of a killed program are
  /// applied or rolled back, if they belong to the file.
  /// - Parameter startsLog: True to switch a file with a rollback journal to a write-ahead log.
  func openForWriting(_ key: Key?, startsLog: Bool = false) async throws -> Database {
    try await trying(key, fileConfiguration(key)) { configuration in
      var configuration = configuration
      configuration.createsFile = false
      // Throws if a log or a journal beside the file belongs to another file.
      _ = try await Database.unfinishedChanges(path: path, key: key, configuration: configuration)
      if startsLog { configuration.journalMode = .wal }
      return try await Database(path: path, key: key, configuration: configuration)
    }
  }
}

/// Whether a file is encrypted, by its first bytes.
enum DatabaseFileState {
  case plain
  case encrypted
  /// The start is plain, but not the rest: a plaintext header, or damage.
  case plainHeader

  /// Reads the first bytes of a file, before SQLite opens the file: closing a descriptor releases
  /// all locks of the process on the file.
  init(_ path: String) throws {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw Failure(
        .failed,
        errno == EACCES && access(path, F_OK) == 0
          ? "\(path) cannot be read, because its permissions do not allow it: change them with chmod"
          : "\(path): there is no such file, or the path cannot be reached. Check the path")
    }
    defer { close(descriptor) }
    // The open descriptor is checked, because the path may change at any time.
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      throw Failure(.failed, "\(path) cannot be read: check the disk")
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw Failure(.failed, "\(path) is a folder: give the path of a file")
    default: throw Failure(.failed, "\(path) is a device or a pipe: give the path of a file")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    let start = [UInt8]((try? file.read(upToCount: 101)) ?? Data())
    let head = start.prefix(16)
    if head.isEmpty || head.elementsEqual("SQLite format 3\0".utf8) {
      self = Self.isPlain(start) ? .plain : .plainHeader
      return
    }
    // An encrypted file begins with random bytes, and has pages of 512 bytes or more.
    let isText = head.allSatisfy { (0x20..<0x7f).contains($0) || (9...13).contains($0) }
    guard !isText, information.st_size >= 512 else {
      throw Failure(.wrongKey, "\(path) is not a database")
    }
    self = .encrypted
  }
}

extension DatabaseFileState {
  /// Returns false if bytes of a
  /// [header](https://www.sqlite.org/fileformat2.html#the_database_header) after the first 32 have
  /// impossible values.
  private static func isPlain(_ start: [UInt8]) -> Bool {
    guard start.count == 101 else { return true }
    func number(_ index: Int) -> Int { start[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) } }
    // A database has a valid schema format, text encoding, and type of the first page.
    return number(44) <= 4 && number(56) <= 3 && [5, 13].contains(start[100])
  }
}

extension Database {
  /// Returns the indexes with unregistered collations, which a copy has in the order of bytes.
  func foreignIndexes() async throws -> [ForeignIndex] {
    let sql = ForeignIndex.query(knowing: [])
    return try await read { db in
      try db.query(SQL(raw: sql)).compactMap { ForeignIndex($0.values) }
    }
  }

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
