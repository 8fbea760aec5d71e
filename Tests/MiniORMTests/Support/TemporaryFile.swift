import Foundation
import Testing

@testable import MiniORM

/// A path for a test's database. Deinitialization deletes the files.
struct TemporaryFile: ~Copyable {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("miniorm-\(UUID().uuidString).db").path

  static let key = Key.raw((0..<32).map { UInt8($0) })

  // Deletes the files even while a database is open.
  deinit { for file in DatabaseFile.all(path) { try? DatabaseFile.remove(file) } }

  func open(_ configuration: Configuration = Configuration()) async throws -> Database {
    try await Database(path: path, key: Self.key, configuration: configuration)
  }
}

/// Runs a test on a new encrypted file with the tables of a schema.
func withFile<Result>(
  _ schema: DatabaseSchema = DatabaseSchema(), _ body: (Database) async throws -> Result
) async throws -> Result {
  let file = TemporaryFile()
  let database = try await file.open()
  try await database.migrate(schema)
  let result = try await body(database)
  try await database.close()
  return result
}

extension DatabaseError {
  /// The comparable parts of an error, on a single line.
  var summary: String {
    "\(operation.rawValue) \(code.rawValue) \(table ?? "-").\(column ?? "-") \(rowType ?? "-"): "
      + message
  }
}

/// Returns the error that a closure throws.
func failure<Result>(_ body: () async throws -> Result) async throws -> DatabaseError {
  let error = await #expect(throws: DatabaseError.self) { _ = try await body() }
  return try #require(error)
}

extension SQL {
  /// The bound values, for comparison.
  var values: [DatabaseValue] {
    get throws { try bindings.map { value in try DatabaseValue(storing: value) } }
  }
}

/// Stores values in a STRICT table, with their declared type and a row each, and reads them back.
func stored<Value: ColumnValue>(_ values: [Value]) async throws -> [Value] {
  try await withFile { database throws in
    try await database.write { db in
      try db.execute("CREATE TABLE stored (value \(raw: Value.columnType.rawValue)) STRICT")
      for value in values {
        let stored = try DatabaseValue(storing: value)
        try db.execute("INSERT INTO stored VALUES (\(stored))")
      }
    }
    return try await database.read { db in
      try values.indices.map { index in
        let value = try db.value(
          Value.self, "SELECT value FROM stored WHERE rowid = \(index + 1)")
        return try #require(value)
      }
    }
  }
}

/// Reads an SQL expression as a type.
func read<Value: ColumnValue>(_ type: Value.Type, _ sql: SQL) async throws -> Value {
  try await withFile { database throws in
    var query: SQL = "SELECT "
    query.append(sql)
    query.append(" AS cell")
    let complete = query
    let value = try await database.read { db in try db.value(type, complete) }
    return try #require(value)
  }
}
