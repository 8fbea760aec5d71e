import CSQLCipher

/// Publishes the possible changes of completed statements after COMMIT, and discards the changes
/// after ROLLBACK. A transaction is committed if the connection returns to autocommit mode without
/// a rollback by SQLite.
final class TransactionWatch {
  private let database: OpaquePointer
  let authorizer: Authorizer
  private let hub: ObservationHub

  private var levels = [TransactionLevel(savepoint: "")]
  private var part = 1
  private var running: [PreparedStatement] = []
  var reading: [(statement: PreparedStatement, chosen: ChosenRows?)]?
  /// True while SQLite reports each changed row.
  private var isLogging = false
  /// True if the log has all changes since the beginning of the transaction.
  private var isLogComplete = true
  /// True if the last statement began in a transaction, and if SQLite has rolled the transaction
  /// back since then.
  private var isInTransaction = false
  private(set) var hasUndoneTransaction = false
  /// The error for which SQLite rolled back the transaction, while its closure continues.
  var ending: DatabaseError?
  private var others = OtherCommits()

  init(_ database: OpaquePointer, _ authorizer: Authorizer, _ hub: ObservationHub) {
    self.database = database
    self.authorizer = authorizer
    self.hub = hub
    sqlite3_rollback_hook(
      database,
      { watch in
        if let watch { CallbackContext<TransactionWatch>.object(watch).rolledBack() }
      }, CallbackContext.borrowed(self))  // stop() ends it
  }

  /// Removes the hook before the connection closes, which rolls back.
  func stop() {
    sqlite3_rollback_hook(database, nil, nil)
    forget()
  }

  private func forgetAll() {
    isLogComplete = true
    forget()
  }

  func noteFailure(_ error: DatabaseError) {
    if sqlite3_get_autocommit(database) != 0 { ending = error }
  }

  private func forget() {
    part &+= 1
    if levels.count > 1 { levels.removeSubrange(1...) }
    levels[0].clear()
  }

  // MARK: Statements

  @inline(__always)
  func didCheckOut(_ statement: PreparedStatement) {
    if reading != nil { record(statement) }
    guard statement.isWatched else { return }
    guard statement.notedPart != part || isLogging || isLogWanted else {
      statement.isNoted = true
      return
    }
    watch(statement)
  }

  // Rare paths are not inlined, to keep the common path short.
  @inline(never)
  private func record(_ statement: PreparedStatement) { reading?.append((statement, nil)) }

  @inline(never)
  private func watch(_ statement: PreparedStatement) {
    (isInTransaction, hasUndoneTransaction) = (sqlite3_get_autocommit(database) == 0, false)
    log()
    statement.access.begin()
    noteLog(statement.access)
    running.append(statement)
  }

  private func noteLog(_ access: StatementAccess) {
    access.logged = (levels.count, levels[levels.count - 1].rows.count)
  }

  @inline(__always)
  func didCheckIn(_ statement: PreparedStatement, _ code: Int32) {
    guard statement.isNoted else { return unwatch(statement, code) }
    statement.isNoted = false
    // The changes are already recorded, unless their part of the transaction has ended.
    if statement.notedPart != part, code == SQLITE_OK { noteAgain(statement) }
  }

  private var isAlone: Bool {
    running.isEmpty && !isLogging
      && sqlite3_get_autocommit(database) != 0 && !hub.isObserved
  }

  @inline(never)
  private func noteAgain(_ statement: PreparedStatement) {
    levels[levels.count - 1].insert(statement)
    settle()
  }

  @inline(never)
  private func unwatch(_ statement: PreparedStatement, _ code: Int32) {
    let access = statement.access
    if access.kind == .control { collect() }  // earlier changes belong to the ended part
    if let index = running.lastIndex(where: { $0 === statement }) { running.remove(at: index) }
    guard access.hasRun else { return }
    if access.kind == .writing, isAlone { return forgetAll() }
    switch access.kind {
    case .reading: return
    case .schema:
      part &+= 1
      if code == SQLITE_OK { levels[levels.count - 1].changes = .everything }
    case .writing:
      note(statement, failed: code != SQLITE_OK)
    case .control: if code == SQLITE_OK { follow(access) }
    }
    settle()
  }

  private func collect() {
    for statement in running where statement.access.kind == .writing { note(statement) }
  }

  private func note(_ statement: PreparedStatement, failed: Bool = false) {
    let access = statement.access
    let count = access.takeChanges()
    guard count != 0 else {
      if failed, access.logged.level == levels.count {
        levels[levels.count - 1].rows.removeAll(after: access.logged.rows)
      }
      return
    }
    levels[levels.count - 1].insert(statement)
    if isLogging { noteRows(access, count, failed: failed) } else { statement.notedPart = part }
    noteLog(access)
    if levels[levels.count - 1].statements.count > 32 {
      levels[levels.count - 1] = summed(levels[levels.count - 1])
    }
  }

  private func noteRows(_ access: StatementAccess, _ count: Int64, failed: Bool) {
    var tables = access.tables(askedBy: authorizer)
    let log = levels[levels.count - 1].rows
    let told =
      access.logged.level == levels.count
      ? log.count(after: access.logged.rows) { tables[$0] != nil } : -1
    // DELETE without WHERE may truncate a table without reporting rows. If SQLite reports the
    // changes of every table, only such a deletion explains the difference.
    if told != count {
      let areKnown = tables.values.allSatisfy(\.isKnown)
      for (table, written) in tables
      where areKnown || written.isDeletedFrom && !authorizer.deletesRowByRow {
        tables[table]?.isKnown = false
      }
    }
    if access.logged.level == levels.count {
      levels[levels.count - 1].rows.note({ tables[$0]?.columns }, after: access.logged.rows)
    }
    levels[levels.count - 1].rows.note(tables.mapValues(\.isKnown), isExact: !failed)
  }

  private func summed(_ level: TransactionLevel) -> TransactionLevel {
    var sum = TransactionLevel(savepoint: level.savepoint, changes: level.changes, rows: level.rows)
    guard !sum.changes.isEverything else { return sum }
    for statement in level.statements {
      sum.changes.formUnion(statement.access.writes(askedBy: authorizer))
    }
    return sum
  }

  // MARK: Transactions

  private func follow(_ access: StatementAccess) {
    part &+= 1
    guard let control = access.control, control != .transaction else { return }
    let index = levels.lastIndex { $0.savepoint == access.savepoint }
    switch control {
    case .savepoint: levels.append(TransactionLevel(savepoint: access.savepoint))
    case .release:
      guard let index, index > 0 else { return }
      for level in Array(levels[index...]) {
        levels[index - 1].changes.formUnion(level.changes)
        for statement in level.statements { levels[index - 1].insert(statement) }
        levels[index - 1].rows.append(level.rows)
      }
      levels.removeSubrange(index...)
    case .rollback:
      guard let index, index > 0 else { return }
      levels.removeSubrange(index...)
      levels.append(TransactionLevel(savepoint: access.savepoint))
    case .transaction: return
    }
  }

  private func settle() {
    guard sqlite3_get_autocommit(database) != 0 else { return }
    collect()
    guard isLogging || hub.isObserved else { return forgetAll() }
    let ended = levels
    part &+= 1
    levels = [TransactionLevel(savepoint: "")]
    var log = RowLog()
    if isLogging { for level in ended { log.append(level.rows) } }
    // The transaction may have begun before the first subscription.
    let isComplete = isLogging && isLogComplete
    isLogComplete = true
    if isLogging, hub.subscribers.isWanted {
      let isEverything = !isComplete || ended.contains { $0.changes.isEverything }
      let changes = isEverything ? CommittedChanges.everything : log.committed
      if !changes.isEmpty { hub.subscribers.publish(changes) }
    }
    guard hub.isObserved else { return }
    var changes = WriteSet()
    for level in ended { changes.formUnion(summed(level).changes) }
    if isComplete, hub.isObservedByRow {
      for (table, rows) in log.knownRows { changes.limit(to: rows, of: table) }
    }
    if !changes.isEmpty { hub.publish(changes) }
  }

  func publishEverything() { hub.publishEverything() }

  /// See [sqlite3_update_hook](https://www.sqlite.org/c3ref/update_hook.html).
  private func log() {
    guard isLogging || isLogWanted || authorizer.deletesRowByRow else { return }
    let isWanted = hub.subscribers.isWanted
    if isWanted != authorizer.deletesRowByRow {
      authorizer.deletesRowByRow = isWanted
      // Installing the authorizer recompiles existing statements.
      authorizer.install(on: database)
      isLogComplete = isLogComplete && isBetweenTransactions
    }
    guard isLogging != (isWanted || hub.isObservedByRow) else { return }
    isLogging.toggle()
    isLogComplete = isBetweenTransactions
    guard isLogging else {
      sqlite3_update_hook(database, nil, nil)
      return
    }
    sqlite3_update_hook(
      database,
      { watch, action, schema, table, rowID in
        guard let watch, let schema, let table else { return }
        let name = SchemaTable(schema: String(cString: schema), table: String(cString: table))
        CallbackContext<TransactionWatch>.object(watch).changed(name, action, rowID)
      }, CallbackContext.borrowed(self))  // no statement runs after the watch is gone
  }

  private var isLogWanted: Bool { hub.subscribers.isWanted || hub.isObservedByRow }

  private var isBetweenTransactions: Bool {
    sqlite3_get_autocommit(database) != 0 && running.isEmpty
  }

  private func changed(_ table: SchemaTable, _ action: Int32, _ rowID: Int64) {
    let kind: RowChange.Kind
    switch action {
    case SQLITE_INSERT: kind = .insert
    case SQLITE_DELETE: kind = .delete
    default: kind = .update
    }
    levels[levels.count - 1].rows.append(RowChange(kind: kind, rowID: rowID), of: table)
  }

  private func rolledBack() {
    hasUndoneTransaction = isInTransaction
    isInTransaction = false
    forget()
    isLogComplete = true
    for statement in running {
      _ = statement.access.takeChanges()
      noteLog(statement.access)
    }
  }

  func lookForOthers(in schemas: [String]) {
    if others.haveComeSinceLast(in: schemas, database) { hub.publishEverything() }
  }
}

extension TransactionWatch {
  func recordingReads<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> (Result, ReadSet) {
    reading = []
    defer { reading = nil }
    let result = try body()
    let statements = reading ?? []
    reading = nil
    var reads = ReadSet()
    var seen: Set<ObjectIdentifier> = []
    for (statement, chosen) in statements {
      if let chosen, let rows = statement.access.reads(chosen, askedBy: authorizer) {
        reads.formUnion(rows)
      } else if seen.insert(ObjectIdentifier(statement)).inserted {
        reads.formUnion(statement.access.reads(askedBy: authorizer))
      }
    }
    return (result, reads)
  }

  var isRecording: Bool { reading != nil }

  func choose(_ chosen: ChosenRows?, by statement: PreparedStatement) {
    guard let last = reading?.indices.last, reading?[last].statement === statement else { return }
    reading?[last].chosen = chosen
  }
}
