/// The damage that was found in a database. An empty report means that the file is whole.
///
/// See [PRAGMA integrity_check](https://www.sqlite.org/pragma.html#pragma_integrity_check),
/// [PRAGMA foreign_key_check](https://www.sqlite.org/pragma.html#pragma_foreign_key_check) and
/// [PRAGMA cipher_integrity_check](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check).
public struct IntegrityReport: Sendable, Equatable {
  /// A single finding.
  public struct Problem: Sendable, Equatable {
    /// What is wrong.
    public enum Kind: String, Sendable {
      /// The log or the journal beside the file belongs to another file, or to another state of this one. Opening the file
      /// would apply it and damage the file: move it to another folder first. The file was checked without it.
      case foreignChanges
      /// A page is not as SQLCipher wrote it: its authentication code does not fit, or it is cut off.
      /// What stood on it is lost; ``Database/salvage(path:key:to:schema:configuration:progress:)`` brings back what
      /// stands on others.
      case page
      /// A page is damaged on which nothing stands, and SQLite needs nothing of it: no row is lost. A power cut can leave
      /// one with a rollback journal. ``Database/vacuum()`` and a change of the key write it anew.
      case freePage
      /// The pages of a table or an index do not fit together.
      case structure
      /// An index has not the entries that its table has. The SQL `REINDEX` makes it anew.
      case index
      /// A row breaks a `NOT NULL`, a `CHECK` or the type of a `STRICT` table.
      case constraint
      /// A row refers to a row that does not exist.
      case foreignKey
    }

    /// What is wrong.
    public let kind: Kind
    /// What SQLite or SQLCipher says of it. It names tables, indexes and rowids, and no stored value.
    public let message: String
    /// The number of the page, from 1, if known.
    public let page: Int?
    /// The table, if known.
    public let table: String?
    /// The index, if it is one that is wrong.
    public let index: String?
    /// The rowid of the row, if known.
    public let rowID: Int64?

    init(
      _ kind: Kind, _ message: String, page: Int? = nil, table: String? = nil,
      index: String? = nil, rowID: Int64? = nil
    ) {
      (self.kind, self.message, self.page) = (kind, message, page)
      (self.table, self.index, self.rowID) = (table, index, rowID)
    }
  }

  /// The findings, damaged pages first.
  public let problems: [Problem]

  /// Whether everything was checked: not where pages are damaged that are in use, as nothing that is read beside them
  /// can be trusted, and not where there are more problems than are listed.
  public let isComplete: Bool

  /// What was left beside a file that was not closed: opening the file completes or rolls it back. The file was checked as
  /// it is then. This is not a problem.
  public let unfinishedChanges: UnfinishedChanges?

  init(
    problems: [Problem], isComplete: Bool, unfinishedChanges: UnfinishedChanges? = nil
  ) {
    (self.problems, self.isComplete) = (problems, isComplete)
    self.unfinishedChanges = unfinishedChanges
  }

  /// Whether nothing is wrong.
  public var isEmpty: Bool { problems.isEmpty }

  /// The numbers of the damaged pages, from 1, in order: of those in use, and of free ones.
  public var damagedPages: [Int] {
    problems.filter { $0.kind == .page || $0.kind == .freePage }.compactMap(\.page)
  }
}

extension IntegrityReport: CustomStringConvertible {
  /// A description with a line for each problem, or "ok", and a line for what was left beside the file.
  public var description: String {
    var lines = isEmpty ? ["ok"] : problems.map(\.description)
    if !isEmpty, !isComplete { lines.append("there may be more") }
    if let unfinishedChanges { lines.append(unfinishedChanges.description) }
    return lines.joined(separator: "\n")
  }
}

extension IntegrityReport.Problem: CustomStringConvertible {
  /// The message, with the table if the message does not name it.
  public var description: String {
    switch kind {
    case .foreignChanges, .page, .freePage, .structure, .constraint, .foreignKey: message
    case .index: table.map { "\(message), an index of table \($0)" } ?? message
    }
  }
}
