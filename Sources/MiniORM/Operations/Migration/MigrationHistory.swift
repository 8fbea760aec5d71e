#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A record of the file's migration history.
public struct MigrationRecord: Sendable, Equatable {
  /// The file's version after the change.
  public let version: Int32
  /// The change: `created`, `adopted`, `formats adopted`, the name of a step, or
  /// `changes that follow from the models`.
  public let name: String
  /// The time of the commit by the system's clock, with milliseconds.
  public let date: Date
}

extension Migrator {
  static let historyTable = "miniorm_migrations"
  static let historySQL = """
    CREATE TABLE miniorm_migrations (
      id INTEGER PRIMARY KEY NOT NULL,
      version INTEGER NOT NULL,
      name TEXT NOT NULL,
      applied TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))
    ) STRICT
    """
}

/// The contents of `miniorm_migrations`, oldest first.
///
/// The first record with a positive version tells how MiniORM began to manage the file. The records
/// before it have negative versions: -1 marks the start of a list of the steps that the file's
/// creator knew. These steps never run, because a new file has their outcome.
struct MigrationHistory: Sendable {
  struct Record: Sendable {
    let version: Int32
    let name: String
  }

  static let followed = "changes that follow from the models"
  static let adoptedFormats = "formats adopted"
  static let reserved: Set<ExactText> = [ExactText(followed), ExactText(adoptedFormats)]
  private static let listedSteps: Int32 = -1

  let records: [Record]

  static func records(of steps: [DatabaseSchema.Step]) -> [Record] {
    [Record(version: listedSteps, name: "")]
      + steps.map { Record(version: -$0.version, name: $0.name) }
  }

  /// The names of the steps that the file has run or was created with, by their versions.
  var steps: [Int32: String] {
    let others = Self.reserved.union(["created", "adopted"])
    var steps: [Int32: String] = [:]
    for record in records where record.version != Self.listedSteps {
      guard record.version < 0 || !others.contains(ExactText(record.name)) else { continue }
      steps[record.version < 0 ? -record.version : record.version] = record.name
    }
    return steps
  }

  /// True if `migrate` has not changed the adopted file yet.
  var isOnlyAdopted: Bool {
    records.allSatisfy {
      $0.version == records.first?.version && ["adopted", Self.adoptedFormats].contains($0.name)
    }
  }

  /// Throws if the file has skipped a step, for example after a merge of two branches.
  func check(_ steps: [DatabaseSchema.Step], in version: Int32) throws(DatabaseError) {
    guard let first = records.first(where: { $0.version > 0 }) else { return }
    for step in steps where step.version <= version {
      if step.version <= first.version {
        // An adopted file has no list of steps.
        guard records.contains(where: { $0.version == Self.listedSteps }) else { continue }
        guard records.contains(where: { $0.version == -step.version }) else {
          throw Self.late(step, version)
        }
      } else {
        let done = records.last {
          $0.version == step.version && !Self.reserved.contains(ExactText($0.name))
        }
        guard let done else { throw Self.late(step, version) }
        try check(step, against: done, steps)
      }
    }
  }

  /// Throws if two steps exchanged their versions. A step may be renamed.
  private func check(
    _ step: DatabaseSchema.Step, against done: Record, _ steps: [DatabaseSchema.Step]
  ) throws(DatabaseError) {
    guard !done.name.utf8.elementsEqual(step.name.utf8),
      let other = steps.first(where: { $0.name.utf8.elementsEqual(done.name.utf8) })
    else { return }
    throw DatabaseSchema.misuse(
      "\(step) has not run in this file, which reached version \(step.version) by the step now listed as "
        + "\(other): keep the version of each step")
  }

  private static func late(_ step: DatabaseSchema.Step, _ version: Int32) -> DatabaseError {
    DatabaseSchema.misuse(
      "\(step) has not run in this file, which has version \(version) already: the step was added later. "
        + "Give it a version that no file has yet")
  }
}

extension Connection {
  /// Nil for a file that MiniORM has neither created nor adopted.
  func migrationHistory() throws(DatabaseError) -> MigrationHistory? {
    guard try hasOwnTable(Migrator.historyTable) else { return nil }
    let rows = try query("SELECT version, name FROM \(raw: Migrator.historyTable) ORDER BY id")
    return MigrationHistory(
      records: rows.compactMap { row in
        guard case .integer(let version) = row.values[0], case .text(let name) = row.values[1]
        else { return nil }
        return MigrationHistory.Record(version: Int32(clamping: version), name: name)
      })
  }

  func note(_ steps: [DatabaseSchema.Step]) throws(DatabaseError) {
    try write(MigrationHistory.records(of: steps))
  }

  func write(_ records: [MigrationHistory.Record]) throws(DatabaseError) {
    for record in records {
      try execute(
        """
        INSERT INTO \(raw: Migrator.historyTable) (version, name)
        VALUES (\(record.version), \(record.name))
        """)
    }
  }
}
