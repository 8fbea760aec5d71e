import CSQLCipher

/// A full cache finalizes the least recently used statement. A statement in use is checked out. A
/// request for the same SQL then prepares an additional statement, finalized at check-in.
@usableFromInline
final class StatementCache {
  private let capacity: Int
  private var bySQL: [ExactText: PreparedStatement] = [:]
  /// Statements in use outside the cache, finalized at check-in.
  @exclusivity(unchecked) private var surplus: [PreparedStatement] = []
  /// The cache itself, while statements are in use after the connection is gone.
  @exclusivity(unchecked) private var remains: StatementCache?
  // Hot properties are read and written whole, with isolation to the connection.
  @exclusivity(unchecked) private var bySlot: [Unmanaged<PreparedStatement>?] = []
  @exclusivity(unchecked) private var clock = 0

  @exclusivity(unchecked) private var use = 1
  @exclusivity(unchecked) private var withValues: [PreparedStatement] = []

  @exclusivity(unchecked) private(set) var hits = 0
  private(set) var misses = 0
  @exclusivity(unchecked) private(set) var checkedOut = 0

  /// Rolls back a hot journal; nil if impossible. See ``HotJournal``.
  @exclusivity(unchecked) var undoJournal: (() -> Void)?

  @exclusivity(unchecked) var authorizer: Authorizer?
  @exclusivity(unchecked) var watch: TransactionWatch? {
    didSet { follower = watch.map { .passUnretained($0) } }
  }
  @exclusivity(unchecked) private(set) var follower: Unmanaged<TransactionWatch>?

  var isRecording: Bool { follower?._withUnsafeGuaranteedRef { $0.isRecording } ?? false }

  @exclusivity(unchecked) var interruption: Interruption?

  @exclusivity(unchecked) var tracer: StatementTracer?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { bySQL.count }

  var texts: [String] { bySQL.keys.map(\.string) }

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
      // The previous statements of both slots lose their slots, and are then found by text.
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
      // Several evictions, if more statements than the capacity were in use at the same time.
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

  @inline(__always)
  func known(_ place: StatementText.Place) -> Unmanaged<PreparedStatement>? {
    guard place.slot < bySlot.count, let found = bySlot[place.slot],
      found._withUnsafeGuaranteedRef({ $0.textID == place.id })
    else { return nil }
    return found
  }

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

  /// Runs a cached BEGIN, COMMIT or ROLLBACK without a check-out; false if not cached.
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

  /// From its second run in the same use of the connection, a statement keeps values without memory
  /// until the end of that use: a statement that runs again is usually bound again at once.
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

  @inline(__always)
  func endUse() {
    use &+= 1
    if !withValues.isEmpty { clearValues() }
  }

  @inline(never)
  private func clearValues() {
    for storage in withValues {
      storage.keepsValues = false
      // A statement in use is cleared at check-in.
      if !storage.isCheckedOut { sqlite3_clear_bindings(storage.pointer) }
    }
    withValues.removeAll(keepingCapacity: true)
  }

  @inline(never)
  private func letGo(_ statement: Unmanaged<PreparedStatement>) {
    surplus.removeAll { $0 === statement.takeUnretainedValue() }
    guard checkedOut == 0 else { return }
    withExtendedLifetime(remains) { remains = nil }
  }

  /// Statements in use keep the cache alive until check-in.
  func connectionIsGone() {
    removeAll()
    if checkedOut > 0 { remains = self }
  }

  /// False if all statements are in use. The linear search is cheap compared with a preparation.
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

  private func release(_ statement: PreparedStatement) {
    if let slot = statement.slot, slot < bySlot.count,
      bySlot[slot]?.toOpaque() == Unmanaged.passUnretained(statement).toOpaque()
    {
      bySlot[slot] = nil
    }
    (statement.slot, statement.textID) = (nil, 0)
  }

  func removeAll() {
    watch?.forgetUndone()
    clearValues()
    bySQL = bySQL.filter { $0.value.isCheckedOut }
    bySlot = []
    for statement in bySQL.values { (statement.slot, statement.textID) = (nil, 0) }
  }
}
