import Foundation
import MiniORM

/// The file with the key of the board.
enum KeyFile {
  /// Returns the raw key of 32 random bytes in a file. Creates the file for a new board.
  ///
  /// A real server asks a key service here: the closure may wait as long as that takes.
  /// - Throws: ``KeyFileError`` if the key is missing and the database exists: a new key could not open it.
  static func key(at path: String, of database: String) throws -> Key {
    if !FileManager.default.fileExists(atPath: path) {
      let size = try? FileManager.default.attributesOfItem(atPath: database)[.size] as? Int
      guard (size ?? 0) == 0 else {
        throw KeyFileError("\(database) exists, but its key \(path) does not: put the key back")
      }
      var random = SystemRandomNumberGenerator()
      try create(path, (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    guard bytes.count == 32 else {
      throw KeyFileError("\(path) has \(bytes.count) bytes, and a key has 32: put the key back")
    }
    return .raw(bytes)
  }

  /// Writes a file that no other user can read at any moment. After a power cut the file is whole, or does not exist.
  private static func create(_ path: String, _ bytes: [UInt8]) throws {
    let temporary = "\(path).\(UUID().uuidString)"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { unlink(temporary) }
    let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    close(file)
    // Unlike rename, link keeps a key that another process has written first.
    guard isWritten, link(temporary, path) == 0 || errno == EEXIST else { throw failure(path) }
    let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func failure(_ path: String) -> KeyFileError {
    KeyFileError("The key file \(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}

/// A key file that cannot be read or written.
struct KeyFileError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
