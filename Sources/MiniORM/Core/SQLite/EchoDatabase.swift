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

  /// Calls a closure that returns every statement to the cache.
  private static func lending<Result>(
    _ body: (EchoDatabase) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    let idleDatabase = idle.withLock { $0.popLast() }
    let database = if let idleDatabase { idleDatabase } else { try EchoDatabase() }
    defer {
      idle.withLock { idle in
        if idle.count < capacity { idle.append(database) }
      }
    }
    return try body(database)
  }

  static func values<Rows: Collection>(
    count: Int, of rows: Rows,
    bind: (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    try lending { echo throws(DatabaseError) in
      let marks = Array(repeating: "?", count: count).joined(separator: ", ")
      let statement = try echo.cache.checkOut("SELECT \(marks)", on: echo.database)
      var all: [[DatabaseValue]] = []
      all.reserveCapacity(rows.count)
      for row in rows {
        try bind(row, statement)
        guard try statement.step() else { continue }
        all.append(try statement.values)
        statement.reset()
      }
      return all
    }
  }

  static func read<Value: ColumnValue>(_ value: DatabaseValue, as type: Value.Type)
    throws(DatabaseError) -> Value
  {
    try lending { echo throws(DatabaseError) in
      let statement = try echo.cache.checkOut("SELECT ?", on: echo.database)
      try value.bind(to: statement.parameter(1))
      guard try statement.step() else { throw statement.error(after: SQLITE_MISUSE) }
      return try Value(cell: Cell(nil, -1, sqlite3_column_value(statement.pointer, 0)))
    }
  }
}
