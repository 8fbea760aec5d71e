import CSQLCipher

/// A primary or extended result code of SQLite.
///
/// Compare ``DatabaseError/code`` for the exact cause, or its ``primary`` code for the kind of
/// failure.
///
/// See [Result and Error Codes](https://www.sqlite.org/rescode.html).
public struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// The number that SQLite's C interface uses.
  public let rawValue: Int32

  /// Creates a primary or an extended code from SQLite's number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The kind of failure: the lowest eight bits of an extended code.
  public var primary: ResultCode { ResultCode(rawValue: rawValue & 0xff) }
}

extension ResultCode: CustomStringConvertible {
  /// SQLite's English description of the code, and its number.
  public var description: String {
    guard let words = sqlite3_errstr(rawValue) else { return "\(rawValue)" }
    return "\(String(cString: words)) (\(rawValue))"  // a static ASCII text
  }
}

extension ResultCode {
  /// SQLITE_ERROR: an error in the SQL, or a failure without a more specific code.
  public static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// SQLITE_ABORT: the statement was stopped, for example because the database is suspended.
  public static let abort = ResultCode(rawValue: SQLITE_ABORT)
  /// SQLITE_BUSY: a different connection held a lock for longer than the busy timeout.
  public static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// SQLITE_LOCKED: a conflict within a connection, or within a shared cache.
  public static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// SQLITE_READONLY: a write through a read-only connection, or to a read-only file.
  public static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// SQLITE_READONLY_DBMOVED: the file was replaced, renamed or deleted after it was opened.
  public static let readOnlyMoved = ResultCode(rawValue: SQLITE_READONLY | (4 << 8))
  /// SQLITE_INTERRUPT: the statement was interrupted.
  public static let interrupt = ResultCode(rawValue: SQLITE_INTERRUPT)
  /// SQLITE_IOERR: the operating system reported an I/O error.
  public static let inputOutput = ResultCode(rawValue: SQLITE_IOERR)
  /// SQLITE_CORRUPT: the file's contents are inconsistent.
  public static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// SQLITE_FULL: the disk is full, or the file has reached its maximum size.
  public static let full = ResultCode(rawValue: SQLITE_FULL)
  /// SQLITE_CANTOPEN: the file or its folder could not be opened.
  public static let cannotOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// SQLITE_NOTADB: a wrong key, a damaged first page, or a file that is not a database.
  public static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
  /// SQLITE_MISMATCH: a value with the wrong storage class.
  public static let mismatch = ResultCode(rawValue: SQLITE_MISMATCH)
  /// SQLITE_MISUSE: a call that is not allowed in the current state, such as after closing.
  public static let misuse = ResultCode(rawValue: SQLITE_MISUSE)
  /// SQLITE_RANGE: a parameter or a column that does not exist.
  public static let range = ResultCode(rawValue: SQLITE_RANGE)
  /// SQLITE_TOOBIG: a text, blob or row that exceeds SQLite's limits.
  public static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  static let schemaChanged = ResultCode(rawValue: SQLITE_SCHEMA)

  /// SQLITE_CONSTRAINT: the primary code of every constraint violation.
  public static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// SQLITE_CONSTRAINT_CHECK: a CHECK constraint does not hold.
  public static let constraintCheck = ResultCode(rawValue: SQLITE_CONSTRAINT | (1 << 8))
  /// SQLITE_CONSTRAINT_FOREIGNKEY: a foreign key has no parent row.
  public static let constraintForeignKey = ResultCode(rawValue: SQLITE_CONSTRAINT | (3 << 8))
  /// SQLITE_CONSTRAINT_NOTNULL: NULL in a NOT NULL column.
  public static let constraintNotNull = ResultCode(rawValue: SQLITE_CONSTRAINT | (5 << 8))
  /// SQLITE_CONSTRAINT_PRIMARYKEY: the primary key already exists.
  public static let constraintPrimaryKey = ResultCode(rawValue: SQLITE_CONSTRAINT | (6 << 8))
  /// SQLITE_CONSTRAINT_TRIGGER: a trigger raised an error.
  public static let constraintTrigger = ResultCode(rawValue: SQLITE_CONSTRAINT | (7 << 8))
  /// SQLITE_CONSTRAINT_UNIQUE: the value, or the combination of values, already exists in a column
  /// or an index that is unique.
  public static let constraintUnique = ResultCode(rawValue: SQLITE_CONSTRAINT | (8 << 8))
  /// SQLITE_CONSTRAINT_ROWID: the rowid already exists.
  public static let constraintRowID = ResultCode(rawValue: SQLITE_CONSTRAINT | (10 << 8))
  /// SQLITE_CONSTRAINT_DATATYPE: a value of the wrong type for a column of a STRICT table.
  public static let constraintDataType = ResultCode(rawValue: SQLITE_CONSTRAINT | (12 << 8))
}
