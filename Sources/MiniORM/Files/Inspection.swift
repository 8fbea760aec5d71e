import CSQLCipher
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Opens a file for reading without changing a byte.
///
/// Even for reads, SQLite rolls back a journal, deletes its super-journal, creates a log's index,
/// and checkpoints the log on close. A file is therefore opened in one of three ways:
/// 1. Without a log or journal: as immutable, under a shared lock that blocks writers.
/// 2. While a connection has the file open with a log: with that log, which SQLite then neither
///    checkpoints nor deletes.
/// 3. With a leftover log or journal: as a copy in a temporary folder, to which SQLite applies the
///    changes.
package final class Inspection: Sendable {
  private struct Place {
    let path: String
    var configuration: Configuration
    var unfinished: UnfinishedChanges?
    var locked: FileBytes?
    var stamp: FileStamp?
    var folder: PrivateFolder?
  }

  private let original: String
  package let path: String
  package let configuration: Configuration
  let unfinished: UnfinishedChanges?
  /// True while a connection has the file open with a log.
  package let isInUse: Bool
  private let stamp: FileStamp?
  private let folder: PrivateFolder?
  /// The file under a shared lock, which ends with this object.
  private let locked: Mutex<FileBytes?>

  /// - Parameter isAlone: True to ignore the log and the journal.
  /// - Complexity: O(*n*) in the size of the file if a log or a journal was left behind.
  package init(
    _ path: String, _ original: CipherKey?, _ configuration: Configuration,
    isAlone: Bool = false
  ) throws(DatabaseError) {
    self.original = path
    var configuration = configuration
    configuration.isInspecting = true
    let place = try Self.place(path, original, configuration, isAlone: isAlone)
    (self.path, self.configuration) = (place.path, place.configuration)
    (unfinished, stamp, folder) = (place.unfinished, place.stamp, place.folder)
    isInUse = place.locked == nil && place.folder == nil
    locked = Mutex(place.locked)
  }

  /// Returns the leftover changes; nil if there are none, or the file is in use.
  static func check(
    _ path: String, _ original: CipherKey?, _ configuration: Configuration
  ) throws(DatabaseError) -> UnfinishedChanges? {
    let name = DatabaseFile.resolved(path)
    let end = ContinuousClock.now + configuration.busyTimeout.bounded
    guard let file = try locked(name, path, until: end) else { return nil }
    let beside = try FilesBeside(name, isWritten: file.isBeingWritten)
    try beside.check(file, path, original)
    return beside.unfinished
  }

  /// Throws if the file has changed, because the rows read so far may mix two states.
  func checkUnchanged() throws(DatabaseError) {
    guard !isInUse, folder == nil, stamp != FileStamp(path) else { return }
    throw DatabaseError(
      .open, code: .busy, "Another program changed the file while it was read: try again",
      path: original)
  }

  package func naming(_ error: DatabaseError) -> DatabaseError {
    guard folder != nil else { return error }
    return error.naming(original, insteadOf: path)
  }

  // MARK: Looking

  private static func place(
    _ path: String, _ original: CipherKey?, _ configuration: Configuration, isAlone: Bool
  ) throws(DatabaseError) -> Place {
    let name = DatabaseFile.resolved(path)
    var place = Place(path: path, configuration: configuration)
    let end = ContinuousClock.now + configuration.busyTimeout.bounded
    // Another process may open the file during the copy, and apply the log: retry.
    for _ in 0..<10 {
      guard let file = try locked(name, path, until: end) else { return place }
      if !isAlone {
        let beside = try FilesBeside(name, isWritten: file.isBeingWritten)
        try beside.check(file, path, original)
        if beside.unfinished != nil {
          // To a concurrent inspection, this lock would look like a connection in use.
          file.unlock()
          guard let copy = try copy(name, beside, original, configuration) else { continue }
          return copy
        }
      }
      place.configuration.isImmutable = true
      (place.locked, place.stamp) = (file, FileStamp(path))
      return place
    }
    throw changing(path)
  }

  /// Returns the file under a shared lock; nil while a connection has the file open with a log.
  private static func locked(
    _ name: String, _ path: String, until end: ContinuousClock.Instant
  ) throws(DatabaseError) -> FileBytes? {
    try DatabaseFile.checkRegular(path)
    for _ in 0..<10 {
      let file: FileBytes
      do throws(DatabaseError) {
        file = try FileBytes(name, isWritable: true)
      } catch {
        throw DatabaseError.opening(path, code: error.code.rawValue)
      }
      while true {
        let code = file.lockForReading()
        if code == SQLITE_OK { break }
        guard code & 0xff == SQLITE_BUSY else {
          throw DatabaseError(.open, code: code, from: nil, path: path)
        }
        guard ContinuousClock.now < end else {
          throw DatabaseError(
            .open, code: .busy, "Another connection has the file open and writes to it: try again",
            path: path)
        }
        try Ending.check()
        sqlite3_sleep(5)
      }
      // The lock prevents a replacement of the file from now on.
      guard file.hasMoved else { return isInUse(file, name) ? nil : file }
    }
    throw changing(path)
  }

  private static func changing(_ path: String) -> DatabaseError {
    DatabaseError(
      .open, code: .busy, "Other programs keep changing the file: try again", path: path)
  }

  private static func isInUse(_ file: FileBytes, _ name: String) -> Bool {
    guard DatabaseFile.exists(name + "-wal"), DatabaseFile.exists(name + "-shm") else {
      return false
    }
    guard OpenFile.ifClosed(name, { () }) != nil else { return true }
    // A concurrent inspection may hold the lock briefly.
    for _ in 0..<5 {
      switch file.tryToExclude() & 0xff {
      case SQLITE_OK: return false
      case SQLITE_BUSY: sqlite3_sleep(4)
      // The file and the -shm file are read-only. SQLite uses a private index if the -shm file is
      // out of date.
      default: return !DatabaseFile.isWritable(name)
      }
    }
    return true
  }

  // MARK: Copying

  /// Copies the file and applies its log or journal; nil if the files changed during the copy.
  private static func copy(
    _ name: String, _ beside: FilesBeside, _ original: CipherKey?,
    _ configuration: Configuration
  ) throws(DatabaseError) -> Place? {
    let files = [name] + [beside.log?.path, beside.journal?.path].compactMap(\.self)
    let before = files.map { FileStamp($0) }
    let folder = try PrivateFolder()
    let copy = folder.path + "/copy.db"
    for file in files {
      let end = file.dropFirst(name.utf8.count)
      // The copy omits the name of the super-journal, which SQLite would delete.
      let size = file == beside.journal?.path ? beside.journal?.contentSize : nil
      if let reason = DatabaseFile.copy(file, to: copy + end, size: size) {
        try Ending.check()
        guard before == files.map({ FileStamp($0) }) else { return nil }
        throw DatabaseError(
          .open, code: .inputOutput,
          "The file could not be copied to \(folder.path), where its \(end) is applied to the copy: \(reason). "
            + "Set TMPDIR to use another folder", path: name)
      }
    }
    guard before == files.map({ FileStamp($0) }) else { return nil }
    var writing = configuration
    (writing.isInspecting, writing.isUntrusted, writing.isImmutable) = (false, false, false)
    try FileCopy(path: copy, original: original, key: nil, configuration: writing, progress: nil)
      .applyUnfinished(in: folder, of: name)
    var place = Place(
      path: copy, configuration: configuration, unfinished: beside.unfinished, folder: folder)
    place.configuration.isImmutable = true
    return place
  }
}

extension FileCopy {
  /// Reads no page through SQLCipher, which rejects damaged pages.
  fileprivate func applyUnfinished(in folder: PrivateFolder, of name: String) throws(DatabaseError)
  {
    let handle = try open(isRead: false)
    // The first read opens the log or rolls back the journal.
    let sql = "SELECT count(*) FROM main.sqlite_schema"
    let code = sqlite3_exec(handle.database, sql, nil, nil, nil)
    _ = Checkpoint.passive(handle.database, "main")
    _ = handle.close()
    guard try FilesBeside(path, isWritten: false).unfinished != nil else { return }
    throw DatabaseError(
      .open, code: code == SQLITE_OK ? SQLITE_IOERR : code, from: nil, path: name
    ).adding(
      message:
        "the changes in the -wal or -journal file could not be applied to a copy in \(folder.path)")
  }
}

/// A temporary folder that no other user can read, deleted by the deinitializer.
private final class PrivateFolder: Sendable {
  let path: String

  init() throws(DatabaseError) {
    let parent = FileManager.default.temporaryDirectory.path
    guard let path = DatabaseFile.createFolder(in: parent) else {
      throw DatabaseError(
        .open, code: .cannotOpen,
        "No folder for a temporary copy of the file could be created in \(parent). Set TMPDIR to use another folder"
      )
    }
    self.path = path
  }

  deinit { try? DatabaseFile.remove(path) }
}
