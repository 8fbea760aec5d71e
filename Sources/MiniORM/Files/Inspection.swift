import CSQLCipher

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A way to read a file that changes no byte of it or of any file beside it.
///
/// SQLite changes files that it only reads: it rolls back a journal, deletes the file that the journal names, makes an
/// index for a log, and moves the log into the file when it closes. So a file is opened in one of three ways:
/// 1. If no change is left beside it, SQLite takes it for immutable, while the lock of a reader keeps others from writing.
/// 2. If a connection has it open with a log, SQLite shares the log with that, and neither moves nor deletes it.
/// 3. If a log or a journal was left behind, SQLite applies it to a copy in a folder that is deleted afterwards.
final class Inspection: @unchecked Sendable {
  // 1. Every property is constant. 2. The locked file is used while an object is made and is closed when it goes, which
  // no other thread does at the same time.

  private struct Place {
    let path: String
    var configuration: Configuration
    var unfinished: UnfinishedChanges?
    /// The file with the lock of a reader.
    var locked: FileBytes?
    var stamp: FileStamp?
    var folder: PrivateFolder?
  }

  private let place: Place
  /// The path as it was given.
  private let original: String

  /// What to open: the file, or a copy of it.
  var path: String { place.path }
  /// How to open it.
  var configuration: Configuration { place.configuration }
  /// What was left behind beside the file.
  var unfinished: UnfinishedChanges? { place.unfinished }
  /// Whether a connection has the file open with a log.
  var isInUse: Bool { place.locked == nil && place.folder == nil }

  /// - Parameters:
  ///   - original: How the file is read.
  ///   - isAlone: Whether the log and the journal are ignored.
  /// - Throws: ``DatabaseError`` where the file cannot be read, where another connection writes to it, and where the log
  ///   or the journal does not belong to it.
  /// - Complexity: O(*n*) in the size of the file where a log or a journal was left behind.
  init(
    _ path: String, _ original: FileCopy.Original, _ configuration: Configuration,
    isAlone: Bool = false
  ) throws(DatabaseError) {
    self.original = path
    var configuration = configuration
    configuration.isInspecting = true
    place = try Self.place(path, original, configuration, isAlone: isAlone)
  }

  /// Checks that what was left behind beside a file belongs to it.
  /// - Returns: What was left behind.
  static func check(
    _ path: String, _ original: FileCopy.Original, _ configuration: Configuration
  ) throws(DatabaseError) -> UnfinishedChanges? {
    let name = DatabaseFile.resolved(path)
    guard let file = try locked(name, path, configuration) else { return nil }
    let beside = try FilesBeside(name, isWritten: file.isBeingWritten)
    try beside.check(file, path, original)
    return beside.unfinished
  }

  /// Throws where the file has changed since it was opened: what was read may be parts of two states.
  func checkUnchanged() throws(DatabaseError) {
    guard place.locked != nil, place.stamp != FileStamp(path) else { return }
    throw DatabaseError(
      .open, code: .busy, "Another program changed the file while it was read: try again",
      path: original)
  }

  /// Returns an error that names the file and not its copy.
  func naming(_ error: DatabaseError) -> DatabaseError {
    guard place.folder != nil else { return error }
    return error.naming(original, insteadOf: path)
  }

  // MARK: Looking

  private static func place(
    _ path: String, _ original: FileCopy.Original, _ configuration: Configuration, isAlone: Bool
  ) throws(DatabaseError) -> Place {
    let name = DatabaseFile.resolved(path)
    var place = Place(path: path, configuration: configuration)
    // Another process may open the file while it is copied, and apply the log itself.
    for _ in 0..<10 {
      guard let file = try locked(name, path, configuration) else { return place }
      if !isAlone {
        let beside = try FilesBeside(name, isWritten: file.isBeingWritten)
        try beside.check(file, path, original)
        if beside.unfinished != nil {
          // With the lock, another inspection would take the file for one in use.
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

  /// Returns the file with the lock of a reader; `nil` where a connection has it open with a log.
  private static func locked(
    _ name: String, _ path: String, _ configuration: Configuration
  ) throws(DatabaseError) -> FileBytes? {
    try DatabaseFile.checkRegular(path)
    for _ in 0..<10 {
      let file: FileBytes
      do throws(DatabaseError) {
        file = try FileBytes(name, isWritable: true)
      } catch {
        throw DatabaseError.opening(
          path, code: error.code.rawValue, from: nil, isReadOnly: true, creates: false)
      }
      var waited: Int32 = 0
      while true {
        let code = file.lockForReading()
        if code == SQLITE_OK { break }
        guard code & 0xff == SQLITE_BUSY else {
          throw DatabaseError(.open, code: code, from: nil, path: path)
        }
        guard waited < configuration.busyMilliseconds else {
          throw DatabaseError(
            .open, code: .busy, "Another connection has the file open and writes to it", path: path)
        }
        try Ending.check()
        sqlite3_sleep(5)
        waited += 5
      }
      // The lock keeps the file in its place from here on.
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
    // Another process may look at the same moment.
    for _ in 0..<5 {
      switch file.tryToExclude() & 0xff {
      case SQLITE_OK: return false
      case SQLITE_BUSY: sqlite3_sleep(4)
      // The file can only be read, and so can the index of the log: SQLite uses one of its own where it is out of date.
      default: return !DatabaseFile.isWritable(name)
      }
    }
    return true
  }

  // MARK: Copying

  /// Returns a copy to which the log or the journal has been applied; `nil` where the files have changed meanwhile.
  private static func copy(
    _ name: String, _ beside: FilesBeside, _ original: FileCopy.Original,
    _ configuration: Configuration
  ) throws(DatabaseError) -> Place? {
    let files = [name] + [beside.log?.path, beside.journal?.path].compactMap(\.self)
    let before = files.map { FileStamp($0) }
    let folder = try PrivateFolder()
    let copy = folder.path + "/copy.db"
    for file in files {
      let end = file.dropFirst(name.utf8.count)
      // A super-journal's name is left out: SQLite would delete that file.
      let size = file == beside.journal?.path ? beside.journal?.contentSize : nil
      if let reason = DatabaseFile.copy(file, to: copy + end, size: size) {
        try Ending.check()
        guard before == files.map({ FileStamp($0) }) else { return nil }
        throw DatabaseError(
          .open, code: .inputOutput,
          "The file could not be copied to \(folder.path), where its \(end) is applied to the copy: \(reason). "
            + "TMPDIR names another folder", path: name)
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
  /// Has SQLite apply what lies beside a copy that no one else knows. It does not decrypt pages for that, so that a damaged
  /// file is no obstacle.
  fileprivate func applyUnfinished(in folder: PrivateFolder, of name: String) throws(DatabaseError)
  {
    let database = try open(isRead: false)
    // It opens the log, or rolls the journal back, when it reads for the first time.
    let code = sqlite3_exec(database, "SELECT count(*) FROM main.sqlite_schema", nil, nil, nil)
    _ = Checkpoint.passive(database, "main")
    close(database)
    guard try FilesBeside(path, isWritten: false).unfinished != nil else { return }
    throw DatabaseError(
      .open, code: code == SQLITE_OK ? SQLITE_IOERR : code, from: nil, path: name
    ).adding(
      message: "the changes beside the file could not be applied to a copy in \(folder.path)")
  }
}

/// A folder that no other user can read, which is deleted with the object.
private final class PrivateFolder: Sendable {
  let path: String

  init() throws(DatabaseError) {
    let parent = FileManager.default.temporaryDirectory.path
    guard let path = DatabaseFile.createFolder(in: parent) else {
      throw DatabaseError(
        .open, code: .cannotOpen,
        "There is no folder for a copy of the file: none could be made in \(parent). TMPDIR names another one"
      )
    }
    self.path = path
  }

  deinit { try? DatabaseFile.remove(path) }
}
