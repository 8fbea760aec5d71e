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
  func copying(
    to destination: String, _ title: String, standsIn: Bool = false,
    _ body: (Database, Key?, @escaping @Sendable (Double) -> Void) async throws -> Void
  ) async throws {
    try OutputFile.check(destination, beside: path)
    let key = try readKey()
    try await inspecting(key, standsIn: standsIn) { database in
      try await ProgressBar.showing(title) { try await body(database, key, $0) }
    }
  }
}

extension FileArguments {
  func fileConfiguration(_ key: Key?) throws -> Configuration {
    cipher.configuration(hasPlainHeader: try key != nil && DatabaseFileState(path) != .encrypted)
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
    for copy in DatabaseFile.removePlainCopies(beside: path) {
      Terminal.complain("removed \(copy), which a killed decrypt left unencrypted")
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

  init(_ path: String) throws {
    guard DatabaseFile.exists(path) else {
      throw Failure("\(path): there is no such file, or the path cannot be reached. Check the path")
    }
    guard !DatabaseFile.isDirectory(path) else {
      throw Failure("\(path) is a folder: give the path of a file")
    }
    guard DatabaseFile.isRegular(path) else {
      throw Failure("\(path) is a device or a pipe: give the path of a file")
    }
    guard access(path, R_OK) == 0 else {
      throw Failure(
        "\(path) cannot be read, because its permissions do not allow it: change them with chmod")
    }
    let (size, head) = (DatabaseFile.size(path), try DatabaseFile.head(path) ?? [])
    if size == 0 || head.elementsEqual("SQLite format 3\0".utf8) {
      self = DatabaseFile.isPlainAtItsHeadOnly(path) ? .plainHeader : .plain
      return
    }
    // An encrypted file begins with random bytes, and has pages of 512 bytes or more.
    let isText = head.allSatisfy { (0x20..<0x7f).contains($0) || (9...13).contains($0) }
    guard !isText, size >= 512 else { throw Failure(.wrongKey, "\(path) is not a database") }
    self = .encrypted
  }
}

extension Configuration {
  /// The configuration for copies, which keep the indexes of unregistered collations.
  var standingIn: Configuration {
    var configuration = self
    configuration.standsInForCollations = true
    return configuration
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

  static func foreignIndexes(
    path: String, key: Key?, _ configuration: Configuration = Configuration()
  ) async throws -> [ForeignIndex] {
    try await inspect(path: path, key: key, configuration: configuration) {
      try await $0.foreignIndexes()
    }
  }
}

extension [ForeignIndex] {
  func tell() {
    for index in self { Terminal.complain(index.advice.inOneLine) }
  }
}
