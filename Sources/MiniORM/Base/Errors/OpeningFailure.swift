extension DatabaseError {
  /// The reason a file could not be opened, for programs that handle the reasons separately.
  ///
  /// ```swift
  /// catch let error as DatabaseError {
  ///   guard error.openingFailure == .wrongKey else { throw error }
  ///   askAgain()
  /// }
  /// ```
  public enum OpeningFailure: Sendable, Hashable {
    /// The file does not exist and is not to be created, or its folder does not exist.
    case missing
    /// The path names a folder, or passes through a file as if through a folder.
    case notAFile
    /// The system denies access to the file, or creating a file beside it.
    case noPermission
    /// A key was given for an unencrypted file. Open the file without a key, or call
    /// `Database.encrypt`.
    case notEncrypted
    /// No key was given, and the file is encrypted or not a database.
    case keyMissing
    /// The key is wrong, the cipher settings differ, or the file is damaged or not a database.
    /// SQLCipher reports the same code for all of these.
    case wrongKey
    /// The key is right, but the file has the cipher settings of SQLCipher `version`. Open the file
    /// with these settings, or, for versions 1, 2 and 3, call `Database.upgrade`.
    case otherSettings(version: Int)
    /// The file is damaged. Without a key, the file may instead be encrypted except for its header.
    case damaged
    /// The -wal or -journal file belongs to a different database, or to a different state of this
    /// database. SQLite would apply the file: move the file away, or restore the matching database
    /// file. `Database.unfinishedChanges` and operations on whole files check for this; opening a
    /// file does not.
    case foreignChanges
    /// The SQLite library in this process is too old, or is not SQLCipher.
    case unfitLibrary
    /// The list of keys is empty, a key is empty, a raw key does not have 32 bytes, or a salt is
    /// missing or does not have 16 bytes.
    case invalidKey
    /// The cipher settings are invalid.
    case invalidSettings
  }

  /// The reason a file could not be opened or attached, or its key not be set. `nil` for every
  /// other failure, and for an unknown reason such as a disk error.
  public var openingFailure: OpeningFailure? { details.openingFailure }
}
