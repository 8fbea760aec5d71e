import Foundation
import MiniORM

/// The file with the key of the board.
enum KeyFile {
  /// Returns the key in a file of 32 random bytes. Creates the file for a new board.
  ///
  /// Instead of a file, a server may ask a key service here.
  /// - Throws: ``StartError`` if the key is missing and the database exists: a new key could not
  ///   open the database.
  static func key(at path: String, of database: String) throws -> Key {
    if !FileManager.default.fileExists(atPath: path) {
      let file = try? FileManager.default.attributesOfItem(atPath: database)
      guard (file?[.size] as? Int ?? 0) == 0 else {
        throw StartError("\(database) exists, but its key \(path) does not: restore the key")
      }
      var random = SystemRandomNumberGenerator()
      try create(path, (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
    let bytes = try secret(at: path)
    guard bytes.count == 32 else {
      throw StartError("The key \(path) has \(bytes.count) bytes instead of 32: restore the key")
    }
    return .raw(bytes)
  }

  /// Reads a file that other users cannot read. Root may have given it to a group, as systemd and
  /// Kubernetes do.
  private static func secret(at path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw StartError("The key \(path) cannot be read: check its permissions")
    }
    defer { close(file) }
    var information = stat()
    guard fstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      throw StartError("The key \(path) is not a regular file")
    }
    let others: mode_t = information.st_uid == 0 ? 0o027 : 0o077
    guard information.st_mode & others == 0 else {
      throw StartError(
        "The key \(path) can be read by other users: protect it with chmod 600 \(path)")
    }
    // A longer file is not a key either.
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(file, &bytes, bytes.count)
    guard count >= 0 else { throw StartError("The key \(path) cannot be read") }
    return Array(bytes.prefix(count))
  }

  /// Writes a file that other users can never read. After a power cut the file is complete, or does
  /// not exist.
  private static func create(_ path: String, _ bytes: [UInt8]) throws {
    let temporary = "\(path).\(UUID().uuidString)"
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(path) }
    defer { unlink(temporary) }
    let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
    close(file)
    // Unlike rename, link keeps a key that another process has created first.
    guard isWritten, link(temporary, path) == 0 || errno == EEXIST else { throw failure(path) }
    let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func failure(_ path: String) -> StartError {
    StartError("The key \(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}

/// A reason why the board cannot start, in a sentence.
struct StartError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
