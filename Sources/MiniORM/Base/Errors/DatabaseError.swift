/// An error with the operation that failed, SQLite's code and message, and the SQL.
///
/// Every failure in MiniORM is a `DatabaseError`; errors thrown by your own closures pass through
/// unchanged. An error never holds a key or a bound value: ``sql`` has `?` in place of values.
///
/// See [Result and Error Codes](https://www.sqlite.org/rescode.html).
public struct DatabaseError: Error, Sendable {
  /// The step that failed.
  public enum Operation: String, Sendable {
    /// Opening or creating the file.
    case open
    /// Setting or checking the key.
    case key
    /// Changing the key of an open database. The old key remains in effect.
    case rekey
    /// Finding out, after a failed key change, whether the file has the old or the new key.
    case rekeyCheck
    /// Applying the configuration of a connection.
    case configure
    /// Compiling SQL.
    case prepare
    /// Binding a value to a parameter of a statement.
    case bind
    /// Running a statement.
    case step
    /// Reading a value from a result row.
    case read
    /// Beginning a transaction or a savepoint.
    case begin
    /// Committing a transaction or releasing a savepoint.
    case commit
    /// Committing, when the changes may be in the file although COMMIT failed: in its write-ahead
    /// log, or, with a rollback journal, in the file itself. A transaction of several files may be
    /// committed in only some of them.
    case commitCheck
    /// Rolling back a transaction or a savepoint.
    case rollback
    /// Bringing the file's schema up to date, or checking it.
    case migrate
    /// Attaching a second database.
    case attach
    /// Detaching an attached database.
    case detach
    /// Copying a file: an export, encryption, decryption, upgrade, backup, restore or salvage.
    /// Nothing has changed.
    case copy
    /// Closing the database.
    case close
    /// Deleting the database's files.
    case delete
  }

  struct Details: Sendable {
    var operation: Operation
    var code: ResultCode
    var message: String
    var sql: String?
    var sqlOffset: Int?
    var path: String?
    var table: String?
    var column: String?
    var rowType: String?
    var openingFailure: OpeningFailure?
  }

  // A single reference, so that a throwing function returns its error in a register.
  private final class Box: Sendable {
    let details: Details
    init(_ details: Details) { self.details = details }
  }

  private let box: Box

  var details: Details { box.details }

  /// The step that failed.
  public var operation: Operation { details.operation }
  /// SQLite's extended result code, or the closest code for a failure that MiniORM detected.
  public var code: ResultCode { details.code }
  /// SQLite's or MiniORM's description of the failure.
  public var message: String { details.message }
  /// The text of the statement, without its bound values. Of a longer text, the 2,048 bytes around
  /// the error.
  public var sql: String? { details.sql }
  /// The position of a syntax error in ``sql``, in UTF-8 bytes from its start.
  public var sqlOffset: Int? { details.sqlOffset }
  /// The path of the database file, if the failure concerns the whole file.
  public var path: String? { details.path }
  /// The table concerned, if known.
  public var table: String? { details.table }
  /// The column concerned, if known.
  public var column: String? { details.column }
  /// The Swift type that the row was being read into, if known.
  public var rowType: String? { details.rowType }

  /// Creates an error, for example for a ``ColumnValue`` type of your own that rejects a value.
  ///
  /// - Parameters:
  ///   - operation: The step that failed.
  ///   - code: The closest result code.
  ///   - message: A description of the failure, without keys and values.
  ///   - sql: The text of the statement. The error drops a statement that may contain a key.
  ///   - sqlOffset: The position of the error in `sql`, in UTF-8 bytes.
  ///   - path: The path of the database.
  ///   - table: The table's name.
  ///   - column: The column's name.
  ///   - rowType: The name of the Swift type being read.
  public init(
    _ operation: Operation, code: ResultCode = .error, _ message: String, sql: String? = nil,
    sqlOffset: Int? = nil, path: String? = nil, table: String? = nil, column: String? = nil,
    rowType: String? = nil
  ) {
    self.init(
      Details(
        operation: operation, code: code, message: message, sql: sql, sqlOffset: sqlOffset,
        path: path, table: table, column: column, rowType: rowType))
  }

  private init(_ details: Details) {
    var details = details
    if let sql = details.sql, SecretSQL.mayHoldKey(sql) {
      (details.sql, details.sqlOffset) = (nil, nil)
    }
    details.shorten()
    box = Box(details)
  }

  func with(_ change: (inout Details) -> Void) -> DatabaseError {
    var details = details
    change(&details)
    return DatabaseError(details)
  }

  /// Details that the error already has are kept.
  @usableFromInline package func adding(
    operation: Operation? = nil, sql: String? = nil, path: String? = nil, table: String? = nil,
    rowType: String? = nil
  ) -> DatabaseError {
    with {
      $0.operation = $0.operation.within(operation)
      $0.sql = $0.sql ?? sql
      $0.path = $0.path ?? path
      $0.table = $0.table ?? table
      $0.rowType = $0.rowType ?? rowType
    }
  }

  /// Runs a closure, and adds details to its errors.
  static func adding<Result>(
    operation: Operation? = nil, path: String? = nil, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    do throws(DatabaseError) {
      return try body()
    } catch {
      throw error.adding(operation: operation, path: path)
    }
  }

  func adding(message: String) -> DatabaseError { with { $0.message += ": \(message)" } }

  func during(_ part: String) -> DatabaseError {
    with {
      $0.operation = $0.operation.within(.migrate)
      $0.message = "\(part): \($0.message)"
    }
  }

  func because(_ failure: OpeningFailure?) -> DatabaseError { with { $0.openingFailure = failure } }

  /// Names a table or a path by the name that the caller knows.
  func naming(_ other: String, insteadOf name: String) -> DatabaseError {
    with {
      $0.message = $0.message.replacingBytes(of: name, with: other)
      if $0.path?.hasSameBytes(as: name) ?? false { $0.path = other }
      if $0.table?.hasSameBytes(as: name) ?? false { $0.table = other }
    }
  }
}

extension DatabaseError.Details {
  /// The longest SQL, and the longest message about SQL, in bytes.
  private static let longest = 2_048

  fileprivate mutating func shorten() {
    if let sql, sql.utf8.count > Self.longest {
      let (count, kept) = (sql.utf8.count, Self.longest - 2 * "…".utf8.count)
      let first = max(0, min((sqlOffset ?? 0) - kept / 2, count - kept))
      let (start, end) = (sql.boundary(at: first), sql.boundary(at: first + kept))
      let mark = start == sql.startIndex ? "" : "…"
      let moved = mark.utf8.count - sql.utf8.distance(from: sql.startIndex, to: start)
      sqlOffset = sqlOffset.map { $0 + moved }
      self.sql = "\(mark)\(sql[start..<end])\(end == sql.endIndex ? "" : "…")"
    }
    // SQLite and MiniORM quote parts of invalid SQL.
    if operation == .prepare, message.utf8.count > Self.longest {
      let (count, half) = (message.utf8.count, Self.longest / 2 - "…".utf8.count)
      message =
        "\(message[..<message.boundary(at: half)])…\(message[message.boundary(at: count - half)...])"
    }
  }
}

extension String {
  /// The start of the character at a position in UTF-8 bytes.
  fileprivate func boundary(at position: Int) -> Index {
    var index = utf8.index(startIndex, offsetBy: position)
    while index.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &index) }
    return index
  }
}

extension DatabaseError.Operation {
  var isUncertain: Bool { self == .rekeyCheck || self == .commitCheck }

  fileprivate func within(_ outer: Self?) -> Self { isUncertain ? self : outer ?? self }
}

extension DatabaseError {
  static func query(_ message: String) -> DatabaseError {
    DatabaseError(.prepare, code: .misuse, message)
  }
}

extension DatabaseError {
  /// The reason a file could not be opened, for programs that handle the reasons separately.
  ///
  /// ```swift
  /// catch let error as DatabaseError {
  ///   guard error.openingFailure == .wrongKey else { throw error }
  ///   askAgain()
  /// }
  /// ```
  public enum OpeningFailure: Sendable, Hashable {
    /// The file does not exist and is not to be created, or its folder does not exist.
    case missing
    /// The path names a folder, or passes through a file as if through a folder.
    case notAFile
    /// The system denies access to the file, or creating a file beside it.
    case noPermission
    /// A key was given for an unencrypted file. Open the file without a key, or call
    /// `Database.encrypt`.
    case notEncrypted
    /// No key was given, and the file is encrypted or not a database.
    case keyMissing
    /// The key is wrong, the cipher settings differ, or the file is damaged or not a database.
    /// SQLCipher reports the same code for all of these.
    case wrongKey
    /// The key is right, but the file has the cipher settings of SQLCipher `version`. Open the file
    /// with these settings, or, for versions 1, 2 and 3, call `Database.upgrade`.
    case otherSettings(version: Int)
    /// The file is damaged. Without a key, the file may instead be encrypted except for its header.
    case damaged
    /// The -wal or -journal file belongs to a different database, or to a different state of this
    /// database. SQLite would apply the file: move the file away, or restore the matching database
    /// file. `Database.unfinishedChanges` and operations on whole files check for this; opening a
    /// file does not.
    case foreignChanges
    /// The SQLite library in this process is too old, or is not SQLCipher.
    case unfitLibrary
    /// The list of keys is empty, a key is empty, a raw key does not have 32 bytes, or a salt is
    /// missing or does not have 16 bytes.
    case invalidKey
    /// The cipher settings are invalid.
    case invalidSettings
  }

  /// The reason a file could not be opened or attached, or its key not be set. `nil` for every
  /// other failure, and for an unknown reason such as a disk error.
  public var openingFailure: OpeningFailure? { details.openingFailure }
}
