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
    guard write else {
      return try await file.inspecting(key) { database in
        try await database.writeRows(sql) { RowWriter(format, csvText, namesOf: $0, width: width) }
      }
    }
    let result = try await file.openForWriting(key).closing { try await $0.change(sql) }
    if !result.names.isEmpty { try Terminal.output(result.text(format, csvText, width: width)) }
  }

  private var width: Int? { full ? nil : Terminal.width }

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

  /// Writes the rows as they are read.
  fileprivate func writeRows(
    _ sql: String, _ makeWriter: @escaping @Sendable ([String]) -> RowWriter
  ) async throws {
    do {
      try await read { db in
        var writer: RowWriter?
        var text = ""
        func flush() throws {
          try Terminal.output(text)
          text = ""
        }
        try db.forEachRow(
          of: SQL(raw: sql), names: { writer = makeWriter($0) },
          row: { row in
            text += writer?.add(row) ?? ""
            if text.utf8.count >= 1 << 16 { try flush() }
          })
        text += writer?.end() ?? ""
        try flush()
      }
    } catch let error as DatabaseError where error.isOfSeveralStatements {
      throw Failure(.usage, "there is more than one statement: run a script with --write")
    } catch let error as DatabaseError where error.code.primary == .readOnly {
      throw Failure(.usage, "the SQL changes the file, which needs --write: \(error.message)")
    }
  }

  fileprivate func change(_ sql: String) async throws -> ResultTable {
    // VACUUM cannot run in a transaction.
    let word = sql.drop { $0.isWhitespace }.prefix { $0.isLetter }.lowercased()
    if word == "vacuum" {
      return try await withoutTransaction { db in try db.rows(sql) }
    }
    do {
      return try await write { db in try db.rows(sql) }
    } catch let error as DatabaseError where error.isOfSeveralStatements {
      // SQLite refused the script before any statement ran.
      try await write { db in try db.execute(script: sql) }
      return ResultTable(names: [], rows: [])
    }
  }
}

extension DatabaseError {
  fileprivate var isOfSeveralStatements: Bool {
    operation == .prepare && code == .misuse && sqlOffset != nil
  }
}

extension Connection {
  fileprivate func rows(_ sql: String) throws -> ResultTable {
    var (names, rows): ([String], [[DatabaseValue]]) = ([], [])
    try forEachRow(of: SQL(raw: sql), names: { names = $0 }, row: { rows.append($0) })
    return ResultTable(names: names, rows: rows)
  }
}
