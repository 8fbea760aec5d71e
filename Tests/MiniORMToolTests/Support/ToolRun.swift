#if os(Linux)
  import CSQLCipher
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  /// Runs the tool in a new folder, which is deleted with the instance.
  final class ToolRun: Sendable {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("miniorm-tool-\(UUID().uuidString)")

    /// A raw key, because deriving a key takes half a second.
    static let bytes = [UInt8](0..<32)
    static let hexadecimal = bytes.map { String(format: "%02x", $0) }.joined()

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The tool, built into the same folder as the tests.
    static let program = URL(fileURLWithPath: CommandLine.arguments[0])
      .deletingLastPathComponent().appendingPathComponent("miniorm").path

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ text: String, permissions: Int = 0o600) throws {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
      try FileManager.default.setAttributes(
        [.posixPermissions: permissions], ofItemAtPath: path(name))
    }

    func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Runs the tool without a terminal.
    /// - Parameters:
    ///   - arguments: The tool's arguments.
    ///   - redirections: Shell redirections, such as `3<key`.
    func callAsFunction(_ arguments: [String], _ redirections: String = "") async throws
      -> ChildProcess.Ended
    {
      try await ChildProcess.run(
        "setsid",
        ["-w", "/bin/sh", "-c", "exec \"$0\" \"$@\" \(redirections)", Self.program] + arguments,
        in: folder, limit: .seconds(120))
    }

    /// Runs the tool, and expects exit code 0.
    func output(_ arguments: String..., redirections: String = "") async throws -> String {
      let ended = try await self(arguments, redirections)
      #expect(ended.status == 0, "\(arguments): \(ended.output)")
      return ended.output
    }

    /// Creates a database with a script.
    func make(_ name: String, _ script: String, key: Key? = nil, isLogged: Bool = false)
      async throws
    {
      var configuration = Configuration()
      configuration.journalMode = isLogged ? .wal : .delete
      let database = try await Database(path: path(name), key: key, configuration: configuration)
      try await database.write { db in try db.execute(script: script) }
      try await database.close()
    }

    /// Creates a database with SQLite's C API, including parts that MiniORM refuses.
    func makePlain(_ name: String, _ script: String) async throws {
      var database: OpaquePointer?
      #expect(sqlite3_open(path(name), &database) == SQLITE_OK)
      // Collations of other programs, which MiniORM does not know.
      for name in ["unknown", "a", "b\"c", "c"] {
        sqlite3_create_collation_v2(
          database, name, SQLITE_UTF8, nil,
          { _, count, one, length, other in
            guard let one, let other else { return count - length }
            let result = memcmp(one, other, Int(min(count, length)))
            return result == 0 ? count - length : result
          }, nil)
      }
      sqlite3_create_collation_v2(
        database, "unicase", SQLITE_UTF8, nil,
        { _, count, one, length, other in
          guard let one, let other else { return count - length }
          let result = sqlite3_strnicmp(
            one.assumingMemoryBound(to: CChar.self), other.assumingMemoryBound(to: CChar.self),
            min(count, length))
          return result == 0 ? count - length : result
        }, nil)
      // The default of a key in another program's file.
      sqlite3_create_function_v2(
        database, "uuid", 0, SQLITE_UTF8, nil,
        { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
      let code = sqlite3_exec(database, script, nil, nil, nil)
      #expect(
        code == SQLITE_OK, "\(name): \(String(cString: sqlite3_errmsg(database)))")
      #expect(sqlite3_close(database) == SQLITE_OK)
    }

    /// Runs a closure while another connection to an encrypted file has run a statement.
    func locking(_ name: String, _ sql: String, _ body: () async throws -> Void) async throws {
      var database: OpaquePointer?
      #expect(sqlite3_open(path(name), &database) == SQLITE_OK)
      defer { sqlite3_close(database) }
      let script = "PRAGMA key = \"x'\(Self.hexadecimal)'\"; \(sql)"
      #expect(sqlite3_exec(database, script, nil, nil, nil) == SQLITE_OK)
      try await body()
    }

    func rows(_ name: String, _ sql: SQL, key: Key? = nil) async throws -> [[DatabaseValue]] {
      var configuration = Configuration()
      configuration.isReadOnly = true
      let database = try await Database(path: path(name), key: key, configuration: configuration)
      let rows = try await database.read { db in try db.query(sql).map(\.values) }
      try await database.close()
      return rows
    }
  }

  extension ToolRun {
    static let key = Key.raw(bytes)
    static let script = """
      CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, price NUMERIC(10, 2), cover BLOB);
      INSERT INTO album VALUES (1, 'For "Those", about', 9.5, x'00ff'), (2, 'two\nlines', NULL, NULL);
      CREATE TABLE empty (a, b);
      PRAGMA user_version = 7;
      """
  }
#endif
