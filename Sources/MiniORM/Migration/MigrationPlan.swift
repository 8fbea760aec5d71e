/// The transactions that `migrate` would run on a file.
///
/// See ``Database/migrationPlan(for:allowingDrops:)``.
public struct MigrationPlan: Sendable, Equatable {
  /// Statements that take effect together or not at all.
  public struct Transaction: Sendable, Equatable {
    /// The file's version after the transaction.
    public let version: Int32
    /// The purpose: `created`, the name of a step, or `changes that follow from the models`.
    public let name: String
    /// The SQL, in order. A step's closure appears as a comment.
    public let statements: [String]
  }

  /// The file's version now; 0 for a file without tables.
  public let version: Int32
  /// The transactions, in order.
  public let transactions: [Transaction]

  /// Whether there is nothing to do.
  public var isEmpty: Bool { transactions.isEmpty }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan as SQL for people to read. It is not a script to run: the program checks and copies
  /// the rows.
  public var description: String {
    guard !isEmpty else { return "-- version \(version): nothing to do" }
    return transactions.map { transaction in
      (["-- version \(transaction.version): \(transaction.name)"]
        + transaction.statements.map {
          $0.startsWithBytes(of: "--") || $0.utf8.last == UInt8(ascii: ";") ? $0 : "\($0);"
        })
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
