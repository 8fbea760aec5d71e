import CSQLCipher

/// A cache of prepared statements. When full, the cache finalizes the least recently used
/// statement. A statement in use is checked out. A request for the same SQL then prepares an
/// additional statement, which is finalized at check-in.
@usableFromInline
final class StatementCache {
  private let capacity: Int
  private var bySQL: [StatementText: PreparedStatement] = [:]
  private var surplus: [PreparedStatement] = []
  private var clock = 0

  private(set) var hits = 0
  private(set) var misses = 0
  private(set) var checkedOut = 0

  /// Rolls back a hot journal that prevents reading; nil if impossible. See ``HotJournal``.
  var undoJournal: (() -> Void)?

  var authorizer: Authorizer?

  /// See ``StringsInSchema``.
  private(set) var readsStrings = false
  /// True while new objects of the schema are checked, whose columns may be misspelt.
  var isChecking = false

  /// True after SQLite has compiled a statement, until the next step: the schema may be new.
  @usableFromInline var hasCompiled = false

  /// Throws if another program has changed the format of a column that the statement reads.
  var formatCheck: ((PreparedStatement) throws(DatabaseError) -> Void)?
  var watch: TransactionWatch?

  var isRecording: Bool { watch?.isRecording ?? false }

  var interruption: Interruption?

  var tracer: StatementTracer?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { bySQL.count }

  var texts: [String] { bySQL.keys.map(\.sql) }

  var textsInUse: [String] {
    bySQL.values.lazy.filter(\.isCheckedOut).map(\.sql) + surplus.map(\.sql)
  }

  func checkOut(_ sql: String, on database: OpaquePointer) throws(DatabaseError) -> Statement {
    try checkOut(StatementText(sql), on: database)
  }

  func checkOut(_ text: StatementText, on database: OpaquePointer) throws(DatabaseError)
    -> Statement
  {
    let cached = bySQL[text]
    if let cached, !cached.isCheckedOut {
      hits += 1
      return checkedOut(cached)
    }
    misses += 1
    let prepared = try prepare(text.sql, on: database)
    if cached == nil, prepared.access.isKept {
      // Evicts in a loop: more statements than the capacity may have been in use at the same time.
      while bySQL.count >= capacity, evict() {}
      bySQL[text] = prepared
    } else {
      surplus.append(prepared)
    }
    return checkedOut(prepared)
  }

  /// Checks out a statement that is not kept, such as a statement of a script.
  func checkOut(_ storage: PreparedStatement) -> Statement {
    surplus.append(storage)
    return checkedOut(storage)
  }

  private func checkedOut(_ storage: PreparedStatement) -> Statement {
    clock &+= 1
    storage.lastUse = clock
    storage.isCheckedOut = true
    checkedOut &+= 1
    if let watch { watch.didCheckOut(storage) }
    tracer?.willRun(storage.pointer)
    return Statement(storage, of: self)
  }

  func checkIn(_ storage: PreparedStatement) {
    let code = sqlite3_reset(storage.pointer)
    tracer?.didRun(storage.pointer)
    if storage.hasParameters { sqlite3_clear_bindings(storage.pointer) }
    storage.isCheckedOut = false
    checkedOut &-= 1
    if storage.isWatched, let watch { watch.didCheckIn(storage, code) }
    // The statement that is checked in finalizes a surplus statement.
    if !surplus.isEmpty { surplus.removeAll { $0 === storage } }
  }

  /// Runs within the snapshot of the statement's first row.
  @usableFromInline
  @inline(never)
  func checkFormats(of statement: PreparedStatement) throws(DatabaseError) {
    hasCompiled = false
    do throws(DatabaseError) {
      try formatCheck?(statement)
    } catch {
      // The next run is checked too.
      hasCompiled = true
      throw error
    }
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
    bySQL[StatementText(oldest.sql)] = nil
    return true
  }

  /// Turns strings in double quotes in the schema on or off, which recompiles all statements.
  func readStrings(_ isOn: Bool, on database: OpaquePointer) {
    StringsInSchema.allow(isOn, on: database)
    readsStrings = isOn
  }

  /// Finalizes a statement at its check-in.
  func drop(_ storage: PreparedStatement) {
    bySQL[StatementText(storage.sql)] = nil
    surplus.append(storage)
  }

  func removeAll() {
    bySQL = bySQL.filter { $0.value.isCheckedOut }
  }
}

/// The SQL of a statement with its hash, so that a cache lookup does not hash the text.
@usableFromInline
struct StatementText: Sendable, Hashable {
  let sql: String
  private let hash: Int

  init(_ sql: String) {
    self.sql = sql
    hash = ExactText(sql).hashValue
  }

  @usableFromInline
  static func == (left: StatementText, right: StatementText) -> Bool {
    left.hash == right.hash && left.sql.hasSameBytes(as: right.sql)
  }

  @usableFromInline
  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

@usableFromInline
final class PreparedStatement {
  let pointer: OpaquePointer
  let sql: String
  let access: StatementAccess
  let isWatched: Bool
  let hasParameters: Bool

  var isCheckedOut = false
  var lastUse = 0
  /// The last use whose formats were checked.
  var checkedUse = -1
  /// The part of the transaction that already records the statement's changes, and a flag for the
  /// current run. See ``TransactionWatch``.
  var notedPart = 0
  var isNoted = false

  init(_ pointer: OpaquePointer, sql: String, _ recorded: RecordedAccess) {
    self.pointer = pointer
    self.sql = sql
    access = StatementAccess(pointer, sql, recorded)
    isWatched = access.kind != .reading
    hasParameters = sqlite3_bind_parameter_count(pointer) > 0
  }

  deinit { sqlite3_finalize(pointer) }
}
