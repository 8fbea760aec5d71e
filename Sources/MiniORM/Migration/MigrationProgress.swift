#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How far a long part of a migration has come.
public struct MigrationProgress: Sendable, Equatable {
  /// The version that the file is being brought to.
  public let version: Int32
  /// What is being done: the step's name, or the change that follows from the models.
  public let name: String
  /// The table whose rows are being copied or filled in.
  public let table: String
  /// How many rows of it are done.
  public let rows: Int
  /// The part of the rowids that is done, from 0 to 1; `nil` for a table without rowids.
  public let fraction: Double?
}

/// What `migrate` did to a file, and when: a line of the file's history.
public struct MigrationRecord: Sendable, Equatable {
  /// The version that the file had afterwards.
  public let version: Int32
  /// What was done: `created`, `adopted`, the name of a step, or changes that followed from the
  /// models.
  public let name: String
  /// When it was committed, in the file's own clock: to the millisecond.
  public let date: Date
}
