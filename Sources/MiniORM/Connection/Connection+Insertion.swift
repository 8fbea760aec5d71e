import CSQLCipher

/// What undoes an insertion whose row cannot be read back, so that it is not stored even if the caller catches
/// the error and continues.
@usableFromInline
enum InsertionScope {
  /// Nothing, in a transaction that SQL has begun.
  case none
  /// A transaction or a savepoint of its own.
  case own
  /// The transaction, of which it is the first statement: it begins anew.
  case first(TransactionKind, changes: Int64)

  @usableFromInline
  var canUndo: Bool { if case .none = self { false } else { true } }
}

extension Connection {
  /// The statement of an insertion that is known to store rows as they are bound; nil where that has to be found out.
  @usableFromInline
  func keepingStatement(_ place: StatementText.Place) -> Statement? {
    let isInTransaction = state.depth > 0
    guard isInTransaction, let opened = state.current,
      opened._withUnsafeGuaranteedRef({ $0.cache.keepsValues(place) })
    else { return nil }
    return statement(at: place)
  }

  /// The same outside of a transaction, where the statement begins one and commits it; nil where pages have to be looked at
  /// in it.
  @usableFromInline
  func aloneStatement(_ place: StatementText.Place, keeping columns: ObjectIdentifier?)
    -> Statement?
  {
    guard state.depth == 0, state.attachments.isEmpty, let columns,
      let opened = state.current,
      opened._withUnsafeGuaranteedRef({ opened in
        opened.cipher == nil && sqlite3_get_autocommit(opened.database) != 0
          && opened.cache.isKnownToKeepValues(place, columns)
      })
    else { return nil }
    return statement(at: place)
  }

  /// Notes that the statement of an insertion stores rows as they are bound, where that has been found out.
  @usableFromInline
  func noteKeeping(_ text: StatementText, _ columns: ObjectIdentifier?) {
    guard let columns, depth > 0, let opened = state.current else { return }
    opened._withUnsafeGuaranteedRef { $0.cache.noteKeeping(text.place, columns) }
  }

  @usableFromInline
  func beginInsertion() throws(DatabaseError) -> InsertionScope {
    if depth == 1, let kind = state.freshTransaction {
      let changes = try changeCount()
      if !isAutocommitting { return .first(kind, changes: changes) }
    }
    guard depth > 0 || isAutocommitting else { return .none }
    try begin(.deferred)
    return .own
  }

  @usableFromInline
  func end(_ scope: InsertionScope) throws(DatabaseError) {
    if case .own = scope { try commit() }
  }

  @usableFromInline
  func undo(_ scope: InsertionScope) {
    switch scope {
    case .none: break
    case .own: rollback()
    case .first(let kind, let changes): beginAnew(kind, ifChangedSince: changes)
    }
  }

  /// Undoes an insertion that is then done in another way.
  @usableFromInline
  func again(_ scope: InsertionScope) throws(DatabaseError) {
    undo(scope)
    guard case .own = scope else { return }
    do throws(DatabaseError) {
      try begin(.deferred)
    } catch {
      depth += 1  // for the caller, who undoes it
      throw error
    }
  }
}
