import Foundation
import Testing

@testable import MiniORM

/// A raw key: without a key derivation, files open fast.
let testKeyBytes = [UInt8](0..<32)

/// Calls a closure with a new folder, and deletes the folder afterwards.
func withTemporaryDirectory<Result>(_ body: (_ path: String) async throws -> Result) async throws
  -> Result
{
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "MiniORM-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder.path)
}

/// Calls a closure with the path of a file that does not exist yet, in a new folder.
func withTemporaryPath<Result>(_ body: (_ path: String) async throws -> Result) async throws
  -> Result
{
  try await withTemporaryDirectory { try await body($0 + "/test.db") }
}

/// Calls a closure with a new encrypted database after running a script. Closes and deletes the
/// database afterwards.
func withTemporaryDatabase<Result>(
  key: Key = .raw(testKeyBytes), configuration: Configuration = Configuration(),
  script: String = "", _ body: (_ database: Database) async throws -> Result
) async throws -> Result {
  try await withTemporaryPath { path in
    let database = try await Database(path: path, key: key, configuration: configuration)
    do {
      if !script.isEmpty { try await database.write { try $0.execute(script: script) } }
      let result = try await body(database)
      try await database.close()
      return result
    } catch {
      try? await database.close()
      throw error
    }
  }
}

/// The kinds of databases, for tests that apply to all of them.
enum TestPlace: CaseIterable, Sendable {
  case file, memory, temporary

  func withDatabase<Result>(
    script: String, _ body: (_ database: Database) async throws -> Result
  ) async throws -> Result {
    if self == .file { return try await withTemporaryDatabase(script: script, body) }
    let database =
      self == .memory
      ? try await Database.inMemory() : try await Database.temporary(key: .raw(testKeyBytes))
    try await database.write { try $0.execute(script: script) }
    let result = try await body(database)
    try await database.close()
    return result
  }
}

/// The message for SQL that would begin or end a transaction inside a MiniORM transaction.
let controlRefusal =
  "BEGIN, COMMIT, END and ROLLBACK are refused in a transaction: it commits when its closure returns, and rolls back when the closure throws. Nest transaction(_:_:) or a SAVEPOINT instead"

/// The parts of an error, comparable as a whole.
struct ErrorFacts: Equatable {
  var operation: DatabaseError.Operation
  var code: ResultCode
  var message: String
  var sql: String?
  var offset: Int?
  var path: String?
  var table: String?
  var column: String?

  init(
    _ operation: DatabaseError.Operation, _ code: ResultCode, _ message: String, sql: String? = nil,
    offset: Int? = nil, path: String? = nil, table: String? = nil, column: String? = nil
  ) {
    (self.operation, self.code, self.message) = (operation, code, message)
    (self.sql, self.offset, self.path) = (sql, offset, path)
    (self.table, self.column) = (table, column)
  }

  init(_ error: DatabaseError) {
    self.init(
      error.operation, error.code, error.message, sql: error.sql, offset: error.sqlOffset,
      path: error.path, table: error.table, column: error.column)
  }
}

/// Returns the error that a closure throws.
func failure<Result>(
  _ body: () async throws -> Result, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> DatabaseError {
  try #require(
    await #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
      _ = try await body()
    },
    sourceLocation: sourceLocation)
}

extension DatabaseError {
  var facts: ErrorFacts { ErrorFacts(self) }
}

extension Database {
  /// The first value of each row.
  func values(_ sql: SQL) async throws -> [DatabaseValue] {
    try await read { db in try db.query(sql).compactMap(\.values.first) }
  }
}

extension Connection {
  /// Runs a closure on the connection, in a transaction of the given kind, or outside a transaction if the kind is nil.
  func isolated<Result: Sendable>(
    _ kind: TransactionKind? = nil, _ body: @Sendable (isolated Connection) throws -> Result
  ) throws -> Result {
    guard let kind else { return try body(self) }
    return try transaction(kind, body)
  }
}
