#if os(Linux)
  import CSQLCipher
  import Foundation
  import TestSupport
  import Testing

  /// A schema and rows in the shape of a foreign program, from `Tests/Corpus/foreign`.
  struct ForeignSchema: Sendable {
    let name: String
    private let script: String

    static let all: [ForeignSchema] = {
      let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Corpus/foreign")
      let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
      return (names ?? []).filter { $0.hasSuffix(".sql") }.sorted().compactMap { name in
        let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return text.map { ForeignSchema(name: String(name.dropLast(4)), script: $0) }
      }
    }()

    /// Returns the words of the script's comments that begin with a word.
    private func directives(_ word: String) -> [Substring] {
      script.split(separator: "\n").compactMap { line in
        line.hasPrefix("-- \(word) ") ? line.dropFirst(4 + word.utf8.count) : nil
      }
    }

    /// SQL for the seconds since 1970 of each column that may be a `Date`, by `table.column`.
    var moments: [(column: String, sql: String)] {
      directives("moment").map { line in
        let parts = line.split(separator: " ", maxSplits: 2)
        return (String(parts[0]), String(parts[2]))
      }
    }

    /// The virtual tables of modules that the library lacks.
    var virtualTables: [String] {
      directives("module").flatMap { $0.split(separator: " ").dropFirst().map(String.init) }
    }

    /// The tables whose triggers write into such a virtual table.
    var unwritable: [String] {
      directives("unwritable").flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// The pages that document the shape.
    var pages: [Substring] {
      script.split(separator: "\n").filter { $0.hasPrefix("-- https://") }
    }

    /// Creates an encrypted file with SQLite's C API.
    func make(_ tool: ToolRun) async throws {
      try await tool.makePlain("\(name).db", Self.keyed + script)
    }

    private static let keyed = "PRAGMA key = \"x'\(ToolRun.hexadecimal)'\"; "

    /// The objects of a file, and the storage class and the literal of each cell.
    struct Contents: Equatable {
      var objects: [String] = []
      var tables: [String: [String]] = [:]

      /// Returns the lines that differ, for the message of a failed test.
      func differences(from other: Contents) -> [String] {
        var lines = objects.difference(from: other.objects).map { "\($0)" }
        for name in Set(tables.keys).union(other.tables.keys).sorted() {
          lines += difference(from: other, in: name)
        }
        return lines
      }

      func difference(from other: Contents, in table: String) -> [String] {
        let difference = (tables[table] ?? []).difference(from: other.tables[table] ?? [])
        return difference.map { "\(table): \($0)" }
      }
    }

    /// Reads a file with SQLite's C API, except the library's own tables and the parts of FTS5.
    static func contents(_ path: String) throws -> Contents {
      var database: OpaquePointer?
      try #require(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
      defer { sqlite3_close(database) }
      try #require(sqlite3_exec(database, keyed, nil, nil, nil) == SQLITE_OK)
      func rows(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        let message = String(cString: sqlite3_errmsg(database))
        try #require(code == SQLITE_OK, "\(path): \(message): \(sql)")
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
          rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        }
        return rows
      }
      var contents = Contents()
      contents.objects = try rows(
        """
        SELECT type || ' ' || name || ' of ' || tbl_name || ': ' || ifnull(sql, '')
        FROM sqlite_schema WHERE tbl_name NOT LIKE 'miniorm%' ORDER BY type, name
        """)
      let names = try rows(
        """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'virtual')
          AND name NOT LIKE 'miniorm%' AND name <> 'sqlite_schema'
        """)
      for name in names {
        let cells = try rows(
          """
          SELECT 'typeof("' || name || '") || '' '' || quote("' || name || '")'
          FROM pragma_table_xinfo('\(name)') WHERE hidden <> 1
          """)
        // A table of a missing module has no columns.
        guard !cells.isEmpty else { continue }
        contents.tables[name] = try rows(
          "SELECT \(cells.joined(separator: " || ', ' || ")) FROM \"\(name)\"")
      }
      return contents
    }
  }
#endif
