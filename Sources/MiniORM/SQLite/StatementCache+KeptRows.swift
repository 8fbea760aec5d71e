// An insertion that is known to store rows as they are bound neither reads a row nor needs a savepoint.
extension StatementCache {
  /// The part of a transaction in which statements run.
  @inline(__always)
  private var part: Int? { follower?._withUnsafeGuaranteedRef { $0.part } }

  /// Whether the statement of a text is known to, in this part of a transaction.
  @inline(__always)
  func keepsValues(_ place: StatementText.Place) -> Bool {
    guard let part, let found = known(place) else { return false }
    return found._withUnsafeGuaranteedRef { $0.access.keptPart == part }
  }

  /// Notes that it is, where it has just been found to, and nobody can change the schema before the transaction ends or
  /// what runs in it does.
  /// - Parameter columns: The ID of what its table is like.
  func noteKeeping(_ place: StatementText.Place, _ columns: ObjectIdentifier) {
    guard let part, let found = known(place) else { return }
    found._withUnsafeGuaranteedRef { storage in
      if storage.access.isKnownToKeepValues(columns) { storage.access.keptPart = part }
    }
  }
}
