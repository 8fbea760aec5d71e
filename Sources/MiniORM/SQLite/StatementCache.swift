import CSQLCipher

/// The prepared statements of one connection, from which the least recently used is finalized
/// first.
///
/// A statement in use is checked out. Asking for the same SQL meanwhile prepares another statement,
/// which is finalized when it is returned.
@usableFromInline
final class StatementCache {
  private let capacity: Int
  private var bySQL: [ExactText: PreparedStatement] = [:]
  /// Those in use that are not among the others: they are finalized when they are given back.
  @exclusivity(unchecked) private var surplus: [PreparedStatement] = []
  /// Itself, where statements are in use after the connection is gone.
  @exclusivity(unchecked) private var remains: StatementCache?
  // What each statement needs is read and written whole, by code that is isolated to the connection:
  // there is nothing for `@exclusivity` to look for, and looking takes longer than the rest.
  /// Some of `bySQL`, by the slots of their texts.
  @exclusivity(unchecked) private var bySlot: [Unmanaged<PreparedStatement>?] = []
  @exclusivity(unchecked) private var clock = 0

  /// Distinguishes the uses of the connection, and those that keep their values until this one ends.
  @exclusivity(unchecked) private var use = 1
  @exclusivity(unchecked) private var withValues: [PreparedStatement] = []

  /// The number of times a statement was found, as opposed to prepared.
  @exclusivity(unchecked) private(set) var hits = 0
  private(set) var misses = 0
  /// The number of statements in use.
  @exclusivity(unchecked) private(set) var checkedOut = 0

  /// Undoes what is in a journal that keeps the connection from reading; nil where nobody can. See ``HotJournal``.
  @exclusivity(unchecked) var undoJournal: (() -> Void)?

  /// Decides what SQL may do.
  @exclusivity(unchecked) var authorizer: Authorizer?
  /// Follows what the statements change.
  @exclusivity(unchecked) var watch: TransactionWatch? {
    didSet { follower = watch.map { .passUnretained($0) } }
  }
  // The same, not counted.
  @exclusivity(unchecked) private(set) var follower: Unmanaged<TransactionWatch>?

  /// Whether it is found out what is read.
  var isRecording: Bool { follower?._withUnsafeGuaranteedRef { $0.isRecording } ?? false }

  /// What SQLite asks while a statement runs.
  @exclusivity(unchecked) var interruption: Interruption?

  /// Tells of what has run.
  @exclusivity(unchecked) var tracer: StatementTracer?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { bySQL.count }

  /// The SQL of every cached statement.
  var texts: [String] { bySQL.keys.map(\.string) }

  /// The SQL of the statements in use.
  var textsInUse: [String] {
    bySQL.values.lazy.filter(\.isCheckedOut).map(\.sql) + surplus.map(\.sql)
  }

  func checkOut(_ text: StatementText, on database: OpaquePointer) throws(DatabaseError)
    -> Statement
  {
    if let found = take(text.place) { return Statement(found, of: .passUnretained(self)) }
    let statement = try checkOut(text.sql, on: database)
    let storage = statement.storage.takeUnretainedValue()
    if storage.textID != text.id, bySQL[ExactText(text.sql)] === storage {
      while bySlot.count <= text.slot { bySlot.append(nil) }
      // From now on, the statement that had one of the two slots before is found by its text.
      release(storage)
      if let other = bySlot[text.slot] { release(other.takeUnretainedValue()) }
      bySlot[text.slot] = .passUnretained(storage)
      (storage.slot, storage.textID) = (text.slot, text.id)
    }
    return statement
  }

  func checkOut(_ sql: String, on database: OpaquePointer) throws(DatabaseError) -> Statement {
    let key = ExactText(sql)
    let cached = bySQL[key]
    if let cached, !cached.isCheckedOut { return hit(cached) }
    misses += 1
    let prepared = try prepare(sql, on: database)
    if cached == nil, prepared.access.isKept {
      // More than one if more than the capacity were in use at the same time.
      while bySQL.count >= capacity, evict() {}
      bySQL[key] = prepared
    } else {
      surplus.append(prepared)
    }
    return checkedOut(prepared)
  }

  private func hit(_ found: PreparedStatement) -> Statement {
    hits &+= 1
    return checkedOut(found)
  }

  private func checkedOut(_ storage: PreparedStatement) -> Statement {
    take(storage)
    return Statement(.passUnretained(storage), of: .passUnretained(self))
  }

  /// The statement of a text, where it has the text's slot.
  @inline(__always)
  func known(_ place: StatementText.Place) -> Unmanaged<PreparedStatement>? {
    guard place.slot < bySlot.count, let found = bySlot[place.slot],
      found._withUnsafeGuaranteedRef({ $0.textID == place.id })
    else { return nil }
    return found
  }

  /// Checks the statement of a text out, where it has the text's slot and is not in use.
  @inline(__always)
  func take(_ place: StatementText.Place) -> Unmanaged<PreparedStatement>? {
    guard let found = known(place) else { return nil }
    return found._withUnsafeGuaranteedRef { storage in
      guard !storage.isCheckedOut else { return nil }
      hits &+= 1
      take(storage)
      return found
    }
  }

  /// Runs a statement that controls a transaction. One that is known and begins or ends it is not checked out as
  /// others are, which would take longer than the statement: nothing is bound to it, and it returns no rows.
  /// - Returns: Whether it is known.
  func control(_ place: StatementText.Place) throws(DatabaseError) -> Bool {
    guard tracer == nil, let found = known(place),
      found._withUnsafeGuaranteedRef({ !$0.isCheckedOut && $0.isTransactionControl })
    else { return false }
    hits &+= 1
    let code = found._withUnsafeGuaranteedRef { storage in
      clock &+= 1
      storage.lastUse = clock
      storage.isCheckedOut = true
      checkedOut &+= 1
      if let follower { follower._withUnsafeGuaranteedRef { $0.willControl() } }
      return HotJournal.retrying(undo: undoJournal) { sqlite3_step(storage.pointer) }
    }
    guard code == SQLITE_DONE else {
      throw Statement(found, of: .passUnretained(self)).failure(code)
    }
    found._withUnsafeGuaranteedRef { storage in
      sqlite3_reset(storage.pointer)
      storage.isCheckedOut = false
      checkedOut &-= 1
      if let follower { follower._withUnsafeGuaranteedRef { $0.didControl() } }
    }
    if !surplus.isEmpty || remains != nil { letGo(found) }
    return true
  }

  @inline(__always)
  private func take(_ storage: PreparedStatement) {
    clock &+= 1
    storage.lastUse = clock
    storage.isCheckedOut = true
    checkedOut &+= 1
    if let follower { follower._withUnsafeGuaranteedRef { $0.didCheckOut(storage) } }
    if tracer != nil { willRun(storage) }
  }

  @inline(never)
  private func willRun(_ storage: PreparedStatement) { tracer?.willRun(storage.pointer) }

  @inline(never)
  private func didRun(_ storage: PreparedStatement) { tracer?.didRun(storage.pointer) }

  @inline(__always)
  func checkIn(_ statement: Unmanaged<PreparedStatement>) {
    statement._withUnsafeGuaranteedRef { checkIn($0) }
    if !surplus.isEmpty || remains != nil { letGo(statement) }
  }

  @inline(__always)
  private func checkIn(_ storage: PreparedStatement) {
    let code = storage.rewind()
    if tracer != nil { didRun(storage) }
    if storage.hasParameters, !storage.keepsValues || storage.hasOwnedValue { clear(storage) }
    storage.isCheckedOut = false
    checkedOut &-= 1
    if storage.isWatched, let follower {
      follower._withUnsafeGuaranteedRef { $0.didCheckIn(storage, code) }
    }
  }

  /// Clears a statement's values. One that runs again in the same use of the connection keeps what holds no memory
  /// until that ends: it is most often bound and run at once, and clearing takes as long as binding.
  @inline(never)
  private func clear(_ storage: PreparedStatement) {
    if storage.use == use, !storage.hasOwnedValue {
      storage.keepsValues = true
      return withValues.append(storage)
    }
    storage.use = use
    storage.hasOwnedValue = false
    sqlite3_clear_bindings(storage.pointer)
  }

  /// What was given back while the connection was used holds no values any more.
  @inline(__always)
  func endUse() {
    use &+= 1
    if !withValues.isEmpty { clearValues() }
  }

  @inline(never)
  private func clearValues() {
    for storage in withValues {
      storage.keepsValues = false
      // One in use is cleared when it is given back.
      if !storage.isCheckedOut { sqlite3_clear_bindings(storage.pointer) }
    }
    withValues.removeAll(keepingCapacity: true)
  }

  /// Finalizes a statement that was given back, where it is none of those that are kept.
  @inline(never)
  private func letGo(_ statement: Unmanaged<PreparedStatement>) {
    surplus.removeAll { $0 === statement.takeUnretainedValue() }
    guard checkedOut == 0 else { return }
    // From here on nobody may need this object any more.
    withExtendedLifetime(remains) { remains = nil }
  }

  /// The connection is gone. Statements in use keep what they need until they are given back.
  func connectionIsGone() {
    removeAll()
    if checkedOut > 0 { remains = self }
  }

  /// Finalizes the least recently used statement that is not in use. Looking at each statement is
  /// cheap compared with the preparation that makes it necessary.
  /// - Returns: Whether there was one.
  private func evict() -> Bool {
    guard
      let oldest = bySQL.values.lazy.filter({ !$0.isCheckedOut }).min(by: {
        $0.lastUse < $1.lastUse
      })
    else { return false }
    bySQL[ExactText(oldest.sql)] = nil
    if oldest.keepsValues { withValues.removeAll { $0 === oldest } }
    release(oldest)
    return true
  }

  /// Frees a statement's slot.
  private func release(_ statement: PreparedStatement) {
    if let slot = statement.slot, slot < bySlot.count,
      bySlot[slot]?.toOpaque() == Unmanaged.passUnretained(statement).toOpaque()
    {
      bySlot[slot] = nil
    }
    (statement.slot, statement.textID) = (nil, 0)
  }

  /// Finalizes every statement that is not in use.
  func removeAll() {
    watch?.forgetUndone()
    clearValues()
    bySQL = bySQL.filter { $0.value.isCheckedOut }
    bySlot = []
    for statement in bySQL.values { (statement.slot, statement.textID) = (nil, 0) }
  }
}
