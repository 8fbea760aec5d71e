/// The result of an integrity check: the problems, and the parts that were not checked.
///
/// See [PRAGMA integrity_check](https://www.sqlite.org/pragma.html#pragma_integrity_check), [PRAGMA
/// foreign_key_check](https://www.sqlite.org/pragma.html#pragma_foreign_key_check) and [PRAGMA
/// cipher_integrity_check](https://www.zetetic.net/sqlcipher/sqlcipher-api/#cipher_integrity_check).
public struct IntegrityReport: Sendable, Equatable {
  /// A single problem.
  public struct Problem: Sendable, Equatable {
    /// The kind of a problem.
    public enum Kind: String, Sendable {
      /// The log or the journal beside the file belongs to a different file or state. SQLite would
      /// apply it and damage the file: move the log or the journal to a different folder before
      /// opening the file. The file was checked alone.
      case foreignChanges
      /// A page is damaged or truncated: its HMAC does not match. The page's contents are lost;
      /// `Database.salvage` of `MiniORMRepair` recovers the other pages.
      case page
      /// A free page is damaged, for example by a power loss with a rollback journal. No row is
      /// lost. ``Database/vacuum()`` and a change of the key rewrite the page.
      case freePage
      /// The b-tree of a table or an index is inconsistent.
      case structure
      /// An index does not match its table. `REINDEX` rebuilds the index.
      case index
      /// A row violates a `NOT NULL` or `CHECK` constraint, or a type of a `STRICT` table.
      case constraint
      /// A row refers to a row that does not exist.
      case foreignKey
    }

    /// The kind of the problem.
    public let kind: Kind
    /// The message of SQLite or SQLCipher, or of MiniORM for foreign keys, free pages and foreign
    /// logs. It names tables, indexes, pages and rowids, but contains no stored values.
    public let message: String
    /// The page number, from 1, if known.
    public let page: Int?
    /// The table, if known.
    public let table: String?
    /// The index, for a problem of an index.
    public let index: String?
    /// The rowid of the row, if known.
    public let rowID: Int64?
    /// True if the disk did not return the page.
    package var isUnread = false

    init(
      _ kind: Kind, _ message: String, page: Int? = nil, table: String? = nil,
      index: String? = nil, rowID: Int64? = nil
    ) {
      (self.kind, self.message, self.page) = (kind, message, page)
      (self.table, self.index, self.rowID) = (table, index, rowID)
    }
  }

  /// The problems, damaged pages first.
  public let problems: [Problem]

  /// True if everything was checked. False if pages in use are damaged, which makes reads of other
  /// pages unreliable; if ``notChecked`` is not empty; or if there are more problems than the
  /// report lists.
  public let isComplete: Bool

  /// The parts that SQLite could not check, with the reason, for example a collation, function,
  /// tokenizer or module that the program has not registered. Not problems: register them in the
  /// configuration for a complete check.
  public let notChecked: [String]

  /// The changes in a leftover log or journal. Not a problem: opening the file applies the changes
  /// or rolls them back, and the check saw the resulting state.
  public let unfinishedChanges: UnfinishedChanges?

  init(
    problems: [Problem], isComplete: Bool, unfinishedChanges: UnfinishedChanges? = nil,
    notChecked: [String] = []
  ) {
    (self.problems, self.isComplete, self.notChecked) = (problems, isComplete, notChecked)
    self.unfinishedChanges = unfinishedChanges
  }

  /// True if no problem was found.
  public var isEmpty: Bool { problems.isEmpty }

  /// The numbers of the damaged pages, from 1, in ascending order, including free pages.
  public var damagedPages: [Int] {
    problems.filter { $0.kind == .page || $0.kind == .freePage }.compactMap(\.page)
  }
}

extension IntegrityReport: CustomStringConvertible {
  /// A line per problem or "ok", and lines for unchecked parts and unfinished changes.
  public var description: String {
    var lines = isEmpty ? ["ok"] : problems.map(\.description)
    lines += notChecked.map { "not checked: \($0)" }
    if !isEmpty, !isComplete { lines.append("there may be more") }
    if let unfinishedChanges { lines.append(unfinishedChanges.description) }
    return lines.joined(separator: "\n")
  }
}

extension IntegrityReport.Problem: CustomStringConvertible {
  /// The message. For an index, also the table.
  public var description: String {
    switch kind {
    case .foreignChanges, .page, .freePage, .structure, .constraint, .foreignKey: message
    case .index: table.map { "\(message), an index of table \($0)" } ?? message
    }
  }
}
