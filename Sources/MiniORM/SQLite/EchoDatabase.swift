import CSQLCipher
import Synchronization

/// An in-memory database whose statements return what is bound to them.
///
/// A ``ColumnValue`` can only bind itself to a statement, and be read from a cell. Both are SQLite's,
/// and have no room for another receiver without being slower. So a value is turned into what is
/// stored, and back, by a statement: `SELECT ?`. Nothing is stored in the database.
///
/// Its Sendable conformance is unchecked. 1. A database is held by one caller at a time, until it is
/// given back. 2. The list of idle databases is behind a lock.
final class EchoDatabase: @unchecked Sendable {
  // A type may read a value while one is being read, so a call needs more than one of them.
  private static let idle = Mutex<[EchoDatabase]>([])
  private static let capacity = 4

  private let database: OpaquePointer
  private let cache = StatementCache(capacity: 1)

  private init() throws(DatabaseError) {
    var database: OpaquePointer?
    let code = SQLiteLibrary.openInMemory(&database)
    guard code == SQLITE_OK, let database else {
      sqlite3_close_v2(database)
      throw DatabaseError(.open, code: ResultCode(rawValue: code), "There is no memory")
    }
    self.database = database
  }

  // Closes when the statement is finalized, which the cache does.
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

  /// Returns the stored values of rows.
  /// - Parameters:
  ///   - count: The number of a row's values.
  ///   - rows: The rows.
  ///   - bind: A closure that binds a row to the statement's parameters, from 1.
  static func values<Rows: Collection>(
    count: Int, of rows: Rows,
    bind: (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    let database = try take()
    defer { database.giveBack() }
    return try database.values(count, rows, bind)
  }

  /// Returns a value as a type.
  static func read<Value: ColumnValue>(_ value: DatabaseValue, as type: Value.Type)
    throws(DatabaseError) -> Value
  {
    let database = try take()
    defer { database.giveBack() }
    return try database.read(value, as: type)
  }

  // The statement is back in the cache when these return, before the database is given back.

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
    guard try statement.step() else { throw statement.failure(SQLITE_MISUSE) }
    return try Value(cell: Cell(argument: -1, sqlite3_column_value(statement.pointer, 0)))
  }
}
