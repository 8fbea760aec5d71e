/// The changes in a log or a journal that a killed program left beside a file. The next program
/// that opens the file applies them or rolls them back.
public enum UnfinishedChanges: Sendable, Hashable {
  /// A write-ahead log with a number of committed transactions. Opening the file applies the log.
  case log(commits: Int)
  /// A rollback journal of an uncommitted transaction. Opening the file rolls the transaction back.
  case journal
}

extension UnfinishedChanges: CustomStringConvertible {
  /// The kind of the leftover file, and the effect of opening the database.
  public var description: String {
    switch self {
    case .log(let count):
      "a log with \(count) \(count == 1 ? "commit" : "commits") lies beside the file, and opening the file applies it"
    case .journal:
      "a journal of an unfinished transaction lies beside the file, and opening the file rolls it back"
    }
  }
}

extension Database {
  /// Looks for unfinished changes beside a closed file, and checks that they belong to the file.
  ///
  /// ```swift
  /// if let changes = try await Database.unfinishedChanges(path: "app.db", key: key) {
  ///   print(changes)
  /// }
  /// ```
  /// SQLite applies any log or journal with the matching name. If the database file was replaced by
  /// an older copy but its log was not, opening the file damages the database: see
  /// <doc:Durability>. This method changes nothing.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: The file's key; `nil` for an unencrypted file.
  ///   - configuration: The file's cipher settings.
  /// - Returns: The changes that opening the file will apply or roll back; `nil` without changes,
  ///   or if the file is open.
  /// - Throws: ``DatabaseError``, with the reason ``DatabaseError/OpeningFailure/foreignChanges``
  ///   if the log or the journal detectably belongs to a different file or state.
  /// - Complexity: O(*n*) in the size of the log or the journal.
  public static func unfinishedChanges(
    path: String, key: Key?, configuration: Configuration = Configuration()
  ) async throws -> UnfinishedChanges? {
    try await Ending.throwing {
      try await Connection(path: path, configuration: configuration).unfinishedChanges(key)
    }
  }
}

extension Connection {
  fileprivate func unfinishedChanges(_ key: Key?) throws(DatabaseError) -> UnfinishedChanges? {
    try Inspection.check(path, try Database.original(path, key, configuration), configuration)
  }
}
