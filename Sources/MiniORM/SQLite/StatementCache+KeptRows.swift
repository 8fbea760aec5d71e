import CSQLCipher

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

  /// Whether the statement of a text is known to, and has not been compiled anew since.
  /// - Parameter columns: The ID of what its table is like.
  @inline(__always)
  func isKnownToKeepValues(_ place: StatementText.Place, _ columns: ObjectIdentifier) -> Bool {
    guard let found = known(place) else { return false }
    return found._withUnsafeGuaranteedRef { $0.access.isKnownToKeepValues(columns) }
  }
}

extension Statement {
  /// Runs a statement that is a transaction by itself, and commits it unless SQLite has compiled it anew: the schema may
  /// change until the transaction begins.
  /// - Returns: Whether it has committed. Nothing is changed where it has not.
  @usableFromInline
  func commitsAsCompiled() throws(DatabaseError) -> Bool {
    let database = sqlite3_db_handle(pointer)
    let access = storage._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.access) }
    sqlite3_commit_hook(
      database,
      { access in
        guard let access else { return 1 }
        return Unmanaged<StatementAccess>.fromOpaque(access)._withUnsafeGuaranteedRef {
          $0.isAsRecorded ? 0 : 1
        }
      }, access.toOpaque())
    defer { sqlite3_commit_hook(database, nil, nil) }
    do throws(DatabaseError) {
      try run()
      return true
    } catch {
      guard error.code == .commitHook else { throw error }
      return false
    }
  }
}
