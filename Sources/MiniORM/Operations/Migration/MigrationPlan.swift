/// The transactions that `migrate` would run on a file.
///
/// See ``Database/migrationPlan(for:allowingDrops:)``.
public struct MigrationPlan: Sendable, Equatable {
  /// A transaction, with its statements.
  public struct Transaction: Sendable, Equatable {
    /// The file's version after the transaction.
    public let version: Int32
    /// The purpose: `created`, the name of a step, or `changes that follow from the models`.
    public let name: String
    /// The SQL of each statement, in order. A closure appears as a comment.
    public let statements: [String]

    fileprivate var description: String {
      let lines = statements.map { statement in
        // A closure or a remark is a comment of a single line.
        let isComment = statement.startsWithBytes(of: "--") && !statement.utf8.contains(0x0a)
        return isComment || statement.utf8.last == UInt8(ascii: ";") ? statement : statement + ";"
      }
      return (["-- version \(version): \(name)"] + lines).joined(separator: "\n")
    }
  }

  /// The file's current version; 0 for a file without tables.
  public let version: Int32
  /// The transactions, in order.
  public let transactions: [Transaction]

  /// True if `migrate` has nothing to do.
  public var isEmpty: Bool { transactions.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan as SQL to read. The text cannot be run as a script, because MiniORM also checks and
  /// copies rows.
  public var description: String {
    guard !isEmpty else { return "-- version \(version): nothing to do" }
    return transactions.map(\.description).joined(separator: "\n\n")
  }
}

/// The progress of a long copy during a migration.
public struct MigrationProgress: Sendable, Equatable {
  /// The target version.
  public let version: Int32
  /// The current work: the name of a step or of a change.
  public let name: String
  /// The table whose rows are being copied or filled in.
  public let table: String
  /// The number of rows processed so far.
  public let rows: Int
  /// The processed fraction of the rowids, from 0 to 1; `nil` for a table without rowids.
  public let fraction: Double?
}
