import ArgumentParser
import Foundation
import MiniORM

extension ResultFormat: ExpressibleByArgument {}

struct Query: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs SQL, and writes the rows as a table, lines, CSV or JSON.",
    discussion: """
      Without --write, the SQL cannot change the file, and rows are written as they are read: the first 1000 \
      rows set the column widths of a table. With --write, a statement or a script runs in a single \
      transaction; the rows of a script are not shown. Blobs are written as hexadecimal digits. On a terminal, \
      a table is cut to the terminal's width: --full and --format line show all columns.

      CSV contains each text as it is stored. On a terminal, control characters are written as \\u{1b}. A spreadsheet \
      may run texts as formulas. --spreadsheet writes an apostrophe before each text that begins with =, +, -, @, | or %, \
      also after spaces, or with a tab or a line break, and writes control characters as on a terminal. Numbers and \
      blobs are not changed.
      """)

  @OptionGroup var file: InspectedFile

  @Argument(help: "The SQL; without it, the standard input is read.")
  var sql: String?

  @Option(
    help:
      "The format of the rows: \(ResultFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
  var format = ResultFormat.table

  @Flag(help: "Writes CSV that a spreadsheet can open safely, without formulas.")
  var spreadsheet = false

  @Flag(help: "Does not cut a table to the width of the terminal.")
  var full = false

  @Flag(help: "Allows the SQL to change the file.")
  var write = false

  func validate() throws {
    guard sql != nil || file.key.descriptor != 0 else {
      throw ValidationError(
        "The standard input cannot be both the key and the SQL: give the SQL as an argument, or the key with --key-file."
      )
    }
    guard !spreadsheet || format == .csv else {
      throw ValidationError("--spreadsheet needs --format csv.")
    }
    guard !write || !file.untrusted else {
      throw ValidationError("An untrusted file is only read: leave out --write or --untrusted.")
    }
  }

  private var csvText: CSVText {
    spreadsheet ? .spreadsheet : Terminal.showsOutput ? .terminal : .exact
  }

  func run() async throws {
    let key = try file.readKey()
    let sql = try self.sql ?? readInput()
    guard !sql.utf8.contains(0) else {
      throw Failure(.usage, "the SQL contains a NUL character: remove it")
    }
    let writer = RowWriter(format, csvText, width: full ? nil : Terminal.width)
    guard write else {
      return try await file.inspecting(key) { database in
        do {
          try await database.read { db in try db.writeRows(of: sql, writer, to: Terminal.output) }
        } catch let error as DatabaseError where error.isOfSeveralStatements {
          throw Failure(.usage, "there is more than one statement: run a script with --write")
        } catch let error as DatabaseError where error.code.primary == .readOnly {
          throw Failure(.usage, "the SQL changes the file, which needs --write: \(error.message)")
        }
      }
    }
    // The rows of a failing commit are not shown.
    try Terminal.output(
      try await file.openForWriting(key).closing { try await $0.change(sql, writer) })
  }

  private func readInput() throws -> String {
    let bytes = try SecretFile.bytes(
      descriptor: STDIN_FILENO, "the standard input", limit: Int(Int32.max))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.usage, "the SQL on the standard input is not UTF-8: convert it to UTF-8")
    }
    return text
  }
}

extension Database {
  func closing<Result>(_ body: (Database) async throws -> Result) async throws -> Result {
    do {
      let result = try await body(self)
      try await close()
      return result
    } catch {
      try? await close()
      throw error
    }
  }

  /// - Returns: The rows as text.
  fileprivate func change(_ sql: String, _ writer: RowWriter) async throws -> String {
    let body = { @Sendable (db: isolated Connection) throws -> String in
      var text = ""
      try db.writeRows(of: sql, writer) { text += $0 }
      return text
    }
    // VACUUM cannot run in a transaction.
    let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.lowercased()
    if word == "vacuum" { return try await withoutTransaction(body) }
    do {
      return try await write { db in try body(db) }
    } catch let error as DatabaseError where error.isOfSeveralStatements {
      // SQLite refused the script before any statement ran.
      try await write { db in try db.execute(script: sql) }
      return ""
    }
  }
}

extension DatabaseError {
  fileprivate var isOfSeveralStatements: Bool {
    operation == .prepare && code == .misuse && sqlOffset != nil
  }
}

extension Connection {
  /// Writes the rows as they are read.
  fileprivate func writeRows(
    of sql: String, _ writer: RowWriter, to output: (String) throws -> Void
  ) throws {
    var (writer, text) = (writer, "")
    try forEachRow(
      of: SQL(raw: sql), names: { writer.begin($0) },
      row: { row in
        text += writer.add(row)
        guard text.utf8.count >= 1 << 16 else { return }
        try output(text)
        text = ""
      })
    try output(text + writer.end())
  }
}
