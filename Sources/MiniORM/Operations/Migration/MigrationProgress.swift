#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
