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
    private let lines: [String]

    /// - Parameter lines: The SQL to print; nil if MiniORM generated all statements.
    init(version: Int32, name: String, statements: [String], lines: [String]? = nil) {
      (self.version, self.name, self.statements) = (version, name, statements)
      self.lines = lines ?? statements.map { "\($0);" }
    }

    fileprivate var description: String {
      (["-- version \(version): \(name)"] + lines).joined(separator: "\n")
    }
  }

  /// The file's current version; 0 for a file without tables.
  public let version: Int32
  /// The transactions, in order.
  public let transactions: [Transaction]

  /// True if no transaction is necessary.
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
