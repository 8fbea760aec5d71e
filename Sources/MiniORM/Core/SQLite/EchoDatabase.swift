import CSQLCipher
import Synchronization

/// An in-memory database whose statements return their bound values. For speed, a ``ColumnValue``
/// binds only to a statement and is read only from a cell, so `SELECT ?` converts a value to its
/// stored form and back.
///
/// Sendable, because a single caller uses a database at a time, and a lock protects the idle
/// databases.
final class EchoDatabase: @unchecked Sendable {
  // Reading a value may read another value, so a call can need several databases.
  private static let idle = Mutex<[EchoDatabase]>([])
  private static let capacity = 4

  private let database: OpaquePointer
  private let cache = StatementCache(capacity: 1)

  private init() throws(DatabaseError) {
    var database: OpaquePointer?
    let code = SQLiteLibrary.openInMemory(&database)
    guard code == SQLITE_OK, let database else {
      sqlite3_close_v2(database)
      throw DatabaseError(
        .open, code: ResultCode(rawValue: code), "SQLite could not allocate memory")
    }
    self.database = database
  }

  // Closes when the cache finalizes the statement.
  deinit { sqlite3_close_v2(database) }

  private static func take() throws(DatabaseError) -> EchoDatabase {
    if let database = idle.withLock({ $0.popLast() }) { return database }
    return try EchoDatabase()
  }

  private func giveBack() {
    Self.idle.withLock { idle in
      if idle.count < Self.capacity { idle.append(self) }
    }
  }

  static func values<Rows: Collection>(
    count: Int, of rows: Rows,
    bind: (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    let database = try take()
    defer { database.giveBack() }
    return try database.values(count, rows, bind)
  }

  static func read<Value: ColumnValue>(_ value: DatabaseValue, as type: Value.Type)
    throws(DatabaseError) -> Value
  {
    let database = try take()
    defer { database.giveBack() }
    return try database.read(value, as: type)
  }

  // These methods return the statement to the cache before the caller returns the database.

  private func values<Rows: Collection>(
    _ count: Int, _ rows: Rows,
    _ bind: (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    let marks = Array(repeating: "?", count: count).joined(separator: ", ")
    let statement = try cache.checkOut("SELECT \(marks)", on: database)
    var all: [[DatabaseValue]] = []
    all.reserveCapacity(rows.count)
    for row in rows {
      try bind(row, statement)
      guard try statement.step() else { continue }
      var values: [DatabaseValue] = []
      values.reserveCapacity(count)
      for index in 0..<Int32(count) {
        values.append(try DatabaseValue(cell: Cell(statement.pointer, index)))
      }
      all.append(values)
      statement.reset()
    }
    return all
  }

  private func read<Value: ColumnValue>(_ value: DatabaseValue, as type: Value.Type)
    throws(DatabaseError) -> Value
  {
    let statement = try cache.checkOut("SELECT ?", on: database)
    try value.bind(to: statement.parameter(1))
    guard try statement.step() else { throw statement.error(after: SQLITE_MISUSE) }
    return try Value(cell: Cell(argument: -1, sqlite3_column_value(statement.pointer, 0)))
  }
}
