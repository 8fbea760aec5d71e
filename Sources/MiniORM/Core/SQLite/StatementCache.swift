import CSQLCipher

/// A full cache finalizes the least recently used statement. A statement in use is checked out. A
/// request for the same SQL then prepares an additional statement, finalized at check-in.
@usableFromInline
final class StatementCache {
  private let capacity: Int
  private var bySQL: [ExactText: PreparedStatement] = [:]
  /// Statements in use outside the cache, finalized at check-in.
  private var surplus: [PreparedStatement] = []
  /// The statements of `bySQL` with a slot, by slot.
  private var bySlot: [PreparedStatement?] = []
  private var clock = 0

  /// The current use of the connection, and the statements that keep their values until its end.
  private var use = 1
  private var withValues: [PreparedStatement] = []

  private(set) var hits = 0
  private(set) var misses = 0
  private(set) var checkedOut = 0

  /// Rolls back a hot journal that prevents reading; nil if impossible. See ``HotJournal``.
  var undoJournal: (() -> Void)?

  var authorizer: Authorizer?
  var watch: TransactionWatch?

  var isRecording: Bool { watch?.isRecording ?? false }

  /// The interruption that SQLite checks during a run.
  var interruption: Interruption?

  var tracer: StatementTracer?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { bySQL.count }

  var texts: [String] { bySQL.keys.map(\.string) }

  var textsInUse: [String] {
    bySQL.values.lazy.filter(\.isCheckedOut).map(\.sql) + surplus.map(\.sql)
  }

  func checkOut(_ text: StatementText, on database: OpaquePointer) throws(DatabaseError)
    -> Statement
  {
    if let found = take(text.place) { return found }
    let statement = try checkOut(text.sql, on: database)
    let storage = statement.storage
    if storage.textID != text.id, bySQL[ExactText(text.sql)] === storage {
      while bySlot.count <= text.slot { bySlot.append(nil) }
      // The previous statements of both slots lose their slots, and are then found by text.
      release(storage)
      if let other = bySlot[text.slot] { release(other) }
      bySlot[text.slot] = storage
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

  /// Checks out the statement in a text's slot, if the statement belongs to the text and is idle.
  @inline(__always)
  func take(_ place: StatementText.Place) -> Statement? {
    guard place.slot < bySlot.count, let found = bySlot[place.slot], found.textID == place.id,
      !found.isCheckedOut
    else { return nil }
    return hit(found)
  }

  @inline(__always)
  private func checkedOut(_ storage: PreparedStatement) -> Statement {
    clock &+= 1
    storage.lastUse = clock
    storage.isCheckedOut = true
    checkedOut &+= 1
    if let watch { watch.didCheckOut(storage) }
    if tracer != nil { willRun(storage) }
    return Statement(storage, of: self)
  }

  @inline(never)
  private func willRun(_ storage: PreparedStatement) { tracer?.willRun(storage.pointer) }

  @inline(never)
  private func didRun(_ storage: PreparedStatement) { tracer?.didRun(storage.pointer) }

  @inline(__always)
  func checkIn(_ storage: PreparedStatement) {
    let code = storage.rewind()
    if tracer != nil { didRun(storage) }
    if storage.hasParameters, !storage.keepsValues || storage.hasOwnedValue { clear(storage) }
    storage.isCheckedOut = false
    checkedOut &-= 1
    if storage.isWatched, let watch { watch.didCheckIn(storage, code) }
    // The statement that is checked in finalizes a surplus statement.
    if !surplus.isEmpty { surplus.removeAll { $0 === storage } }
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

  /// Finalizes the least recently used idle statement. The linear search is cheap compared with the
  /// preparation that requires it.
  /// - Returns: False if all statements are in use.
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
    if let slot = statement.slot, slot < bySlot.count, bySlot[slot] === statement {
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
