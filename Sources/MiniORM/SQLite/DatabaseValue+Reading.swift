import CSQLCipher
import Synchronization

extension DatabaseValue {
  /// Returns the value as a type.
  ///
  /// ```swift
  /// let size = try row.values[2].value(as: Int?.self)
  /// ```
  /// - Parameter type: The type to read it as: an optional if it can be NULL.
  /// - Throws: ``DatabaseError`` with the operation `read` if it is not of that type. The error
  ///   does not hold the value.
  public func value<Value: ColumnValue>(as type: Value.Type = Value.self) throws(DatabaseError)
    -> Value
  {
    let reader = try ValueReader.take()
    defer { reader.giveBack() }
    return try reader.read(self, as: type)
  }
}

/// Turns a value into the cell that a ``ColumnValue`` is read from, with a statement in an
/// in-memory database that returns what is bound to it.
///
/// Its Sendable conformance is unchecked. 1. A reader is held by one caller at a time, until it is
/// returned. 2. The list of free readers is behind a lock.
private final class ValueReader: @unchecked Sendable {
  // A type may read a value while one is being read, so a call needs more than one of them.
  private static let idle = Mutex<[ValueReader]>([])
  private static let capacity = 4

  private let database: OpaquePointer
  private let cache = StatementCache(capacity: 1)

  private init() throws(DatabaseError) {
    var database: OpaquePointer?
    let code = sqlite3_open_v2(
      ":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let database else {
      sqlite3_close_v2(database)
      throw DatabaseError(.open, code: ResultCode(rawValue: code), "There is no memory")
    }
    self.database = database
  }

  // Closes when the statement is finalized, which the cache does.
  deinit { sqlite3_close_v2(database) }

  static func take() throws(DatabaseError) -> ValueReader {
    if let reader = idle.withLock({ $0.popLast() }) { return reader }
    return try ValueReader()
  }

  func giveBack() {
    Self.idle.withLock { idle in
      if idle.count < Self.capacity { idle.append(self) }
    }
  }

  func read<Value: ColumnValue>(_ value: DatabaseValue, as type: Value.Type) throws(DatabaseError)
    -> Value
  {
    let statement = try cache.checkOut("SELECT ?", on: database)
    try value.bind(to: statement.parameter(1))
    guard try statement.step() else { throw statement.failure(SQLITE_MISUSE) }
    return try Value(cell: Cell(argument: -1, sqlite3_column_value(statement.pointer, 0)))
  }
}
