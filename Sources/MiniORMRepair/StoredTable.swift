import CSQLCipher
import MiniORM

struct StoredTable {
  struct Column {
    let name: String
    let isNotNull: Bool
    let isGenerated: Bool
    /// True for a rowid alias, in whose place a row stores NULL.
    let isRowID: Bool
    /// True for TEXT affinity: the column never stores a number.
    let isText: Bool
    let strictType: ExactText?
  }

  let name: String
  let hasRowID: Bool
  /// In the order of the values in a record.
  let columns: [Column]
  /// The name of the rowid; nil if columns have all three names.
  let rowIDName: String?

  /// Reads the layout from a database that declares the table; nil if the table does not exist.
  init?(_ table: String, in database: OpaquePointer) throws(DatabaseError) {
    let name = table.quotedLiteral
    let kinds = try Connection.rows(
      "SELECT wr, strict FROM pragma_table_list WHERE schema = 'main' AND name = \(name)", database)
    guard let kind = kinds.first else { return nil }
    let isStrict = kind[1] == .integer(1)
    hasRowID = kind[0] == .integer(0)
    self.name = table
    let keys = try Connection.rows(
      "SELECT name FROM pragma_index_list(\(name)) WHERE origin = 'pk'", database)
    var columns: [(Int64, Column)] = []
    let sql = "SELECT cid, name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(\(name))"
    var names: Set<ExactText> = []
    for row in try Connection.rows(sql, database) {
      guard case .integer(let number) = row[0], case .text(let column) = row[1],
        case .text(let type) = row[2]
      else { continue }
      names.insert(column.folded)
      // Hidden and virtual columns are not stored.
      guard row[5] == .integer(0) || row[5] == .integer(3) else { continue }
      columns.append(
        (
          number,
          Column(
            name: column, isNotNull: row[3] == .integer(1), isGenerated: row[5] == .integer(3),
            isRowID: hasRowID && row[4] == .integer(1) && keys.isEmpty,
            isText: Self.isText(type), strictType: isStrict ? type.folded : nil)
        ))
    }
    // A WITHOUT ROWID table is stored as an index of all columns, key columns first.
    if !hasRowID, case .text(let key)? = keys.first?.first {
      let order = try Connection.rows(
        "SELECT cid FROM pragma_index_xinfo(\(key.quotedLiteral)) ORDER BY seqno", database)
      columns = order.compactMap { row in columns.first { .integer($0.0) == row[0] } }
    }
    self.columns = columns.map(\.1)
    rowIDName =
      self.columns.first(where: \.isRowID)?.name
      ?? RowID.name(besides: names)
  }

  private static func isText(_ type: String) -> Bool {
    let type = type.uppercasedASCII
    func has(_ part: String) -> Bool { type.utf8.firstRange(of: part.utf8) != nil }
    return !has("INT") && (has("CHAR") || has("CLOB") || has("TEXT"))
  }

  /// - Parameter isKnown: True if the record certainly belongs to the table. Then only the number
  ///   of values is checked.
  func fits(_ values: [StoredValue], isKnown: Bool = false) -> Bool {
    // A record is shorter than the table if columns were added later.
    guard values.count <= columns.count, values.count > 0 || columns.isEmpty else { return false }
    if isKnown { return true }
    for (value, column) in zip(values, columns) {
      if column.isRowID {
        guard value == .null else { return false }
        continue
      }
      switch value {
      case .null: if column.isNotNull { return false }
      case .integer, .real: if column.isText { return false }
      default: break
      }
      guard let type = column.strictType else { continue }
      switch (value, type) {
      case (.null, _), (_, "any"), (.integer, "int"), (.integer, "integer"), (.integer, "real"),
        (.real, "real"), (.text, "text"), (.blob, "blob"):
        break
      default: return false
      }
    }
    return true
  }
}

final class RowWriter {
  private let table: StoredTable
  private let database: OpaquePointer
  private let encoding: UInt8
  /// The INSERT statements by the number of values: records are shorter if columns were added
  /// later.
  private var statements: [Int: OpaquePointer] = [:]

  init(_ table: StoredTable, _ database: OpaquePointer, encoding: UInt8) {
    (self.table, self.database, self.encoding) = (table, database, encoding)
  }

  deinit { for statement in statements.values { sqlite3_finalize(statement) } }

  /// Inserts a row. Returns false if the row violates a constraint. Throws other errors, such as a
  /// full disk.
  func insert(_ rowID: Int64?, _ values: [StoredValue]) throws(DatabaseError) -> Bool {
    let statement = try statement(values.count)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    var number: Int32 = 0
    if let rowID, table.rowIDName != nil {
      number += 1
      sqlite3_bind_int64(statement, number, rowID)
    }
    for (value, column) in zip(values, table.columns)
    where !column.isGenerated && !column.isRowID {
      number += 1
      let code = bind(value, statement, number)
      guard code == SQLITE_OK else {
        throw DatabaseError(.copy, code: code, from: database, table: table.name)
      }
    }
    let code = sqlite3_step(statement)
    guard code != SQLITE_DONE else { return true }
    guard code & 0xff == SQLITE_CONSTRAINT || code & 0xff == SQLITE_MISMATCH else {
      throw DatabaseError(.copy, code: code, from: database, table: table.name)
    }
    return false
  }

  private func bind(_ value: StoredValue, _ statement: OpaquePointer, _ number: Int32) -> Int32 {
    switch value {
    case .null: sqlite3_bind_null(statement, number)
    case .integer(let value): sqlite3_bind_int64(statement, number, value)
    case .real(let bits): sqlite3_bind_double(statement, number, Double(bitPattern: bits))
    case .blob(let bytes):
      // SQLite would bind a null pointer as NULL.
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(statement, number, 0)
        : sqlite3_bind_blob64(statement, number, bytes, UInt64(bytes.count), miniorm_transient())
    case .text(let bytes):
      (bytes + [0]).withUnsafeBytes {
        return sqlite3_bind_text64(
          statement, number, $0.assumingMemoryBound(to: CChar.self).baseAddress,
          UInt64(bytes.count), miniorm_transient(), encoding)
      }
    }
  }

  private func statement(_ count: Int) throws(DatabaseError) -> OpaquePointer {
    if let statement = statements[count] { return statement }
    var names: [String] = []
    if table.hasRowID, let name = table.rowIDName { names.append(name.quotedIdentifier) }
    for column in table.columns.prefix(count) where !column.isGenerated && !column.isRowID {
      names.append(column.name.quotedIdentifier)
    }
    let values = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    // An ON CONFLICT clause of the table would skip or replace rows without an error.
    let sql =
      names.isEmpty
      ? "INSERT OR ABORT INTO main.\(table.name.quotedIdentifier) DEFAULT VALUES"
      : "INSERT OR ABORT INTO main.\(table.name.quotedIdentifier) (\(names.joined(separator: ", "))) VALUES (\(values))"
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v2(database, sql, -1, &pointer, nil)
    guard code == SQLITE_OK, let pointer else {
      throw DatabaseError(.copy, code: code, from: database, sql: sql, table: table.name)
    }
    statements[count] = pointer
    return pointer
  }
}

extension DatabaseError {
  fileprivate init(
    _ operation: Operation, code: Int32, from database: OpaquePointer, sql: String? = nil,
    table: String
  ) {
    self = DatabaseError(operation, code: code, from: database, sql: sql).adding(table: table)
  }
}
