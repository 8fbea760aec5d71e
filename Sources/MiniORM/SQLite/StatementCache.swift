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
  // What each statement needs is read and written whole, by code that is isolated to the connection:
  // there is nothing for `@exclusivity` to look for, and looking takes longer than the rest.
  @exclusivity(unchecked) private var bySlot: [PreparedStatement?] = []
  @exclusivity(unchecked) private var clock = 0
  /// Those of what is made for each run, by what it is made of.
  @exclusivity(unchecked) private var shaped = ShapedStatements()

  /// The number of times a statement was found, as opposed to prepared.
  @exclusivity(unchecked) private(set) var hits = 0
  private(set) var misses = 0
  /// The number of statements in use.
  @exclusivity(unchecked) private(set) var checkedOut = 0

  /// Decides what SQL may do.
  @exclusivity(unchecked) var authorizer: Authorizer?
  /// Follows what the statements change.
  @exclusivity(unchecked) var watch: TransactionWatch?

  /// What SQLite asks while a statement runs.
  @exclusivity(unchecked) var interruption: Interruption?

  /// Tells of what has run.
  @exclusivity(unchecked) var tracer: StatementTracer?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  var count: Int { bySQL.count }

  /// The SQL of every cached statement.
  var texts: [String] { bySQL.keys.map(\.string) }

  /// The SQL of the statements in use.
  var textsInUse: [String] { bySQL.values.lazy.filter(\.isCheckedOut).map(\.sql) }

  func checkOut(_ text: StatementText, on database: OpaquePointer) throws(DatabaseError)
    -> Statement
  {
    if text.slot < bySlot.count, let found = bySlot[text.slot], found.textID == text.id,
      !found.isCheckedOut
    {
      return hit(found)
    }
    let statement = try checkOut(text.sql, on: database)
    let storage = statement.storage
    if storage.textID != text.id, bySQL[ExactText(text.sql)] === storage {
      while bySlot.count <= text.slot { bySlot.append(nil) }
      // From now on, the statement that had one of the two slots before is found by its text.
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
    if cached == nil {
      // More than one if more than the capacity were in use at the same time.
      while bySQL.count >= capacity, evict() {}
      bySQL[key] = prepared
    }
    return take(prepared)
  }

  /// An empty shape, which holds until the next one.
  var shape: StatementShape { shaped.shape }

  /// Returns the statement of a shape; nil where it is not known, or in use.
  func checkOut(_ shape: StatementShape) -> Statement? {
    guard let found = shaped.statement(of: shape), !found.isCheckedOut else { return nil }
    return hit(found)
  }

  /// Notes that a statement is of a shape.
  /// - Parameter kept: What the shape's words stand for.
  func note(
    _ shape: StatementShape, of statement: borrowing Statement, keeping kept: () -> any Sendable
  ) {
    guard shaped.isSecond(shape),
      // Not one that is finalized when it is given back.
      bySQL[ExactText(statement.storage.sql)] === statement.storage
    else { return }
    shaped.note(shape, statement.storage, keeping: kept())
  }

  private func hit(_ found: PreparedStatement) -> Statement {
    hits += 1
    return take(found)
  }

  private func take(_ storage: PreparedStatement) -> Statement {
    clock += 1
    storage.lastUse = clock
    storage.isCheckedOut = true
    checkedOut += 1
    watch?.didCheckOut(storage)
    tracer?.willRun(storage.pointer)
    return Statement(storage, self)
  }

  @usableFromInline
  func checkIn(_ storage: PreparedStatement) {
    let code = storage.reset()
    tracer?.didRun(storage.pointer)
    sqlite3_clear_bindings(storage.pointer)
    storage.isCheckedOut = false
    checkedOut -= 1
    if storage.isWatched { watch?.didCheckIn(storage, code) }
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
    release(oldest)
    shaped.remove(oldest)
    return true
  }

  /// Frees a statement's slot.
  private func release(_ statement: PreparedStatement) {
    if let slot = statement.slot, slot < bySlot.count, bySlot[slot] === statement {
      bySlot[slot] = nil
    }
    (statement.slot, statement.textID) = (nil, nil)
  }

  /// Finalizes every statement that is not in use.
  func removeAll() {
    bySQL = bySQL.filter { $0.value.isCheckedOut }
    bySlot = []
    shaped.removeAll()
    for statement in bySQL.values { (statement.slot, statement.textID) = (nil, nil) }
  }

  /// Compiles `sql`, which must contain exactly one statement.
  private func prepare(_ sql: String, on database: OpaquePointer) throws(DatabaseError)
    -> PreparedStatement
  {
    var pointer: OpaquePointer?
    let text = sql
    var sql = sql
    let (code, rest) = sql.withUTF8 { bytes -> (Int32, Int) in
      let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      var tail: UnsafePointer<CChar>?
      // "SQLITE_PREPARE_PERSISTENT is a hint that the prepared statement will be retained for a
      // long time".
      func prepare() -> Int32 {
        sqlite3_prepare_v3(
          database, start, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT),
          &pointer, &tail)
      }
      let code = CurrentSchema.compiling(on: database) {
        authorizer.map { $0.preparing(text, prepare) } ?? prepare()
      }
      return (code, tail.map { tail in start.map { tail - $0 } ?? 0 } ?? bytes.count)
    }
    guard code == SQLITE_OK else {
      let error = DatabaseError(.prepare, code: code, from: database, sql: sql)
      throw authorizer?.explain(error) ?? error
    }
    let prepared = pointer.map {
      PreparedStatement($0, sql: sql, authorizer?.recorded ?? RecordedAccess())
    }  // owns it from here on
    guard sql.utf8.dropFirst(rest).first != 0 else {
      throw DatabaseError(
        .prepare, code: .misuse, "The SQL holds a NUL character", sql: sql, sqlOffset: rest)
    }
    guard let prepared else {
      throw DatabaseError(.prepare, code: .misuse, "There is no statement in this SQL", sql: sql)
    }
    guard Script.isBlank(sql.utf8.dropFirst(rest)) else {
      throw DatabaseError(
        .prepare, code: .misuse,
        "There is more than one statement here: run a script with execute(script:)",
        sql: sql, sqlOffset: rest)
    }
    return prepared
  }
}
