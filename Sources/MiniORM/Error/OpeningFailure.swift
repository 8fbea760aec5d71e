extension DatabaseError {
  /// Why a file could not be opened, for a program that does something else for each reason.
  ///
  /// ```swift
  /// catch let error as DatabaseError where error.openingFailure == .wrongKey {
  ///   askAgain()
  /// }
  /// ```
  public enum OpeningFailure: Sendable, Hashable {
    /// There is no file, and none is to be created, or its folder does not exist.
    case missing
    /// The path is that of a folder, or goes through a file as if that were one.
    case notAFile
    /// The system does not allow the file to be opened, or something beside it to be made.
    case noPermission
    /// The file is not encrypted, and a key was given: open it without, or encrypt it with
    /// `Database.encrypt`.
    case notEncrypted
    /// The file is encrypted, or no database, and no key was given.
    case keyMissing
    /// The key is wrong, or the file has other cipher settings, is damaged or no database. SQLCipher has
    /// one code for all of it.
    case wrongKey
    /// The key is right, and the file has the settings of this version of SQLCipher: for 1, 2 and 3
    /// upgrade it with `Database.upgrade`, or open it with these settings.
    case otherSettings(version: Int)
    /// The file is damaged. One that was opened without a key may also be encrypted but for its head.
    case damaged
    /// The log or the journal beside the file belongs to another file, or to another state of this one. SQLite would apply
    /// it: move it to another folder, or put back the file that it belongs to. Opening a file does not look for this;
    /// `Database.unfinishedChanges` and all work on whole files do.
    case foreignChanges
    /// The SQLite library in this process is not SQLCipher, or one that is too old.
    case unfitLibrary
    /// The key can be none: it is empty, a raw key does not have 32 bytes, or a salt is missing or does not
    /// have 16.
    case invalidKey
    /// The cipher settings can be none.
    case invalidSettings
  }

  /// Why a file could not be opened or attached, or its key not be taken; `nil` for every other failure,
  /// and where nobody can tell, as with an error of the disk.
  public var openingFailure: OpeningFailure? { details.openingFailure }

  /// Returns the same error with the reason for which a file could not be opened.
  func because(_ failure: OpeningFailure?) -> DatabaseError {
    DatabaseError(
      Details(
        operation, code, message, sql, sqlOffset, path, table, column, rowType, failure))
  }

  /// Returns the same error with another path, of which this one has the file's copy.
  func naming(_ other: String, insteadOf path: String) -> DatabaseError {
    DatabaseError(
      Details(
        operation, code, message.replacingBytes(of: path, with: other), sql, sqlOffset,
        self.path.map { $0.hasSameBytes(as: path) ? other : $0 }, table, column, rowType,
        openingFailure))
  }
}
