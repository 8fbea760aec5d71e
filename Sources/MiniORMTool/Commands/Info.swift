import ArgumentParser
import Foundation
import MiniORM

struct Info: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows versions, settings, size, and tables with their numbers of rows.")

  @OptionGroup var file: InspectedFile

  @Flag(help: "Writes a JSON object.")
  var json = false

  func run() async throws {
    typealias Shown = (facts: [(name: String, value: String)], tables: [[DatabaseValue]])
    let key = try file.readKey()
    let changes = try await Database.unfinishedChanges(
      path: file.path, key: key, configuration: file.configuration(key))
    let (facts, tables) = try await file.inspecting(key) { database throws -> Shown in
      (try await self.facts(of: database, changes), try await self.tables(of: database))
    }
    if json {
      let object = facts.map { "\($0.name.jsonText):\($0.value.jsonText)" }
      let rows = RowWriter.text(.json, ["table", "rows"], tables)
      return try Terminal.output(
        "{" + object.joined(separator: ",") + ",\"tables\":\(rows.dropLast())}\n")
    }
    let width = facts.map(\.name.width).max() ?? 0
    let lines = facts.map { $0.name.padded(to: width + 2) + $0.value.inOneLine + "\n" }
    try Terminal.output(
      lines.joined() + "\n"
        + (tables.isEmpty
          ? "no tables\n" : RowWriter.text(.table, ["table", "rows"], tables)))
  }

  private func facts(
    of database: Database, _ changes: UnfinishedChanges?
  ) async throws -> [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = [("file", file.path)]
    func add(_ name: String, _ sql: String) async throws {
      let row = try await database.read { db in try db.query(SQL(raw: sql)).first }
      if let text = row?.values.first?.plainText, !text.isEmpty { facts.append((name, text)) }
    }
    // The header is not read again: closing the file would release the locks of this process.
    let isEncrypted = try await database.cipherSettings() != nil
    try await add(
      "size",
      """
      SELECT printf('%,d bytes in %d pages of %d, %d of them free', page_count * page_size, page_count,
        page_size, freelist_count)
      FROM pragma_page_count, pragma_page_size, pragma_freelist_count
      """)
    if let changes { facts.append(("left", "\(changes)")) }
    facts.append(("encrypted", isEncrypted ? "yes" : "no"))
    try await add("SQLCipher", "PRAGMA cipher_version")
    try await add("provider", "PRAGMA cipher_provider")
    try await add("provider version", "PRAGMA cipher_provider_version")
    try await add("SQLite", "SELECT sqlite_version()")
    if isEncrypted {
      // Each row is a statement that applies a setting, such as `PRAGMA kdf_iter = 256000;`
      let settings = try await database.read { db in try db.query("PRAGMA cipher_settings") }
      for case .text(let setting)? in settings.map(\.values.first) {
        let words = setting.split { " =;".contains($0) }
        guard words.count == 3 else { continue }
        facts.append((String(words[1]), String(words[2])))
      }
    }
    // An immutable connection has no journal mode.
    if let mode = try await database.journalMode() {
      facts.append(("journal_mode", mode.rawValue.lowercased()))
    }
    for name in ["user_version", "application_id", "auto_vacuum", "encoding"] {
      try await add(name, "PRAGMA \(name)")
    }
    return facts
  }

  private func tables(of database: Database) async throws -> [[DatabaseValue]] {
    try await database.read { db in
      let names = try db.query(
        """
        SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'virtual') AND name <> 'sqlite_schema'
        ORDER BY name COLLATE NOCASE
        """)
      return try names.map { row in
        guard case .text(let name)? = row.values.first else { return row.values }
        do {
          let count = try db.query("SELECT count(*) FROM \(identifier: name)").first?.values.first
          return [.text(name), count ?? .null]
        } catch let error as DatabaseError where error.code.primary == .error {
          // The module of the virtual table is missing.
          return [.text(name), .text(error.message)]
        }
      }
    }
  }
}
