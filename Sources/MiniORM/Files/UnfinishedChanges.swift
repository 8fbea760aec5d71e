/// What lies beside a file that was not closed, since its program was killed or the power failed: changes that the next
/// program that opens the file completes or rolls back.
public enum UnfinishedChanges: Sendable, Hashable {
  /// A write-ahead log with this many committed transactions. Opening the file applies them.
  case log(commits: Int)
  /// A rollback journal of a transaction that has not committed. Opening the file rolls the transaction back.
  case journal
}

extension UnfinishedChanges: CustomStringConvertible {
  /// What lies beside the file, and what opening the file does.
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
  /// Looks for changes beside a file that is not open, and checks that they belong to the file.
  ///
  /// ```swift
  /// if let changes = try await Database.unfinishedChanges(path: "app.db", key: key) {
  ///   print(changes)
  /// }
  /// ```
  /// SQLite applies a log or a journal that has the right name, and cannot know whether it belongs to the file. If the file
  /// was replaced by an older copy and its log was not, opening the file damages it: see <doc:Durability>. Nothing is
  /// changed.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - key: Its key; `nil` for a file that is not encrypted.
  ///   - configuration: Its cipher settings.
  /// - Returns: What opening the file will do; `nil` if nothing lies beside the file, or if it is open.
  /// - Throws: ``DatabaseError`` with the reason ``DatabaseError/OpeningFailure/foreignChanges`` if the log or the journal
  ///   belongs to another file, or to another state of this one, as far as that can be detected.
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
  /// Runs on this connection's executor, away from the threads that tasks share.
  fileprivate func unfinishedChanges(_ key: Key?) throws(DatabaseError) -> UnfinishedChanges? {
    try Inspection.check(path, try Database.original(path, key, configuration), configuration)
  }
}
