import CSQLCipher
import Synchronization

extension DatabaseValue {
  /// The value as a type.
  ///
  /// ```swift
  /// let size = try row.values[2].value(as: Int?.self)
  /// ```
  /// - Parameter type: The type to read it as: an optional where it can be NULL.
  /// - Throws: ``DatabaseError`` with the operation `read` when it is not of that type. It does not
  ///   hold the value.
  public func value<Value: ColumnValue>(as type: Value.Type = Value.self) throws(DatabaseError)
    -> Value
  {
    let reader = try ValueReader.take()
    defer { reader.giveBack() }
    return try reader.read(self, as: type)
  }
}

/// Makes a cell of a value, which is what a ``ColumnValue`` is read from: a statement in a database in
/// memory gives back what it gets.
///
/// Its Sendable is unchecked. 1. Nobody has a reader but who took it, until it is given back. 2. The
/// list of those that nobody has is behind a lock.
private final class ValueReader: @unchecked Sendable {
  // A type may read a value as it is read from one, so that a call needs more than one of them.
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
