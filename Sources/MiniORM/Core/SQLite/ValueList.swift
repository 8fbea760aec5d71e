import CSQLCipher

/// The values or rows of `IN`.
///
/// A list of up to 1,024 values has a parameter per value, because SQLite's planner chooses indexes
/// by the number of parameters. The number is rounded up to a power of two, with the last value
/// repeated, so that few statements are compiled. A longer list, an empty list and rows are bound as a
/// single parameter: a pointer to a table-valued function.
///
/// See [Pointer Passing Interfaces](https://www.sqlite.org/bindptr.html).
struct ValueList: ColumnValue {
  static let moduleName = "miniorm_values"
  fileprivate static let pointerType: StaticString = "miniorm_values"

  /// The values of all rows, one row after the other.
  let values: [any ColumnValue]
  private let width: Int
  /// The number of parameters with a value each; 0 for a single parameter with all values.
  private let separateCount: Int

  /// - Parameters:
  ///   - width: The number of values in a row.
  ///   - isSingle: True for a single parameter, however short the list is.
  init(_ values: [any ColumnValue], width: Int = 1, isSingle: Bool = false) {
    (self.values, self.width) = (values, max(1, width))
    let isSeparate = !isSingle && width <= 1 && (1...1_024).contains(values.count)
    separateCount = isSeparate ? 1 << (Int.bitWidth - (values.count - 1).leadingZeroBitCount) : 0
  }

  var single: ValueList { ValueList(values, width: width, isSingle: true) }

  var parameterCount: Int { max(1, separateCount) }

  var parameters: [any ColumnValue] {
    guard separateCount > 0 else { return [self] }
    return (0..<separateCount).map { values[min($0, values.count - 1)] }
  }

  static var columnType: ColumnType { .any }

  /// With a plus sign, a column has no affinity, like the values in `VALUES`.
  var sql: String {
    if separateCount > 0 { return "(?\(String(repeating: ", ?", count: separateCount - 1)))" }
    guard width > 1 else { return "(SELECT value FROM \(Self.moduleName)(?))" }
    let columns = (0..<width).map { "+c\($0)" }.joined(separator: ", ")
    return "(SELECT \(columns) FROM \(BoundRows.moduleName)(?))"
  }

  var literal: String {
    get throws(DatabaseError) {
      let literals = try values.map { value throws(DatabaseError) in
        try DatabaseValue(storing: value).literal
      }
      guard width > 1 else { return "(\(literals.joined(separator: ", ")))" }
      guard !literals.isEmpty else {
        // VALUES needs a row.
        let nulls = Array(repeating: "NULL", count: width).joined(separator: ", ")
        return "(SELECT \(nulls) WHERE 0)"
      }
      let rows = stride(from: 0, to: literals.count, by: width).map { first in
        "(\(literals[first..<min(first + width, literals.count)].joined(separator: ", ")))"
      }
      return "(VALUES \(rows.joined(separator: ", ")))"
    }
  }

  init(cell: borrowing Cell) throws(DatabaseError) {
    throw cell.invalid("A list for IN cannot be read from a result")
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    let stored = try values.map { value throws(DatabaseError) in
      try DatabaseValue(storing: value)
    }
    try parameter.bind(pointer: BoundRows(stored, width: width))
  }
}

extension Parameter {
  func bind(pointer rows: BoundRows) throws(DatabaseError) {
    guard let statement else { return captured(.text("\(rows.count) values")) }
    let pointer = CallbackContext.retained(rows)
    // SQLite calls the destructor after its last use of the pointer, even if binding fails.
    try check(
      ValueList.pointerType.withUTF8Buffer { type in
        return sqlite3_bind_pointer(
          statement, index, pointer,
          UnsafeRawPointer(type.baseAddress)?.assumingMemoryBound(to: CChar.self),
          { pointer in if let pointer { CallbackContext<BoundRows>.release(pointer) } })
      })
  }
}

/// The table-valued functions behind ``ValueList``, with one column, and ``BoundRows``, with a column
/// for each bound value.
///
/// See [The Virtual Table Mechanism Of SQLite](https://www.sqlite.org/vtab.html).
enum ValueListModule {
  static func register(on database: OpaquePointer) -> Int32 {
    let code = sqlite3_create_module_v2(
      database, ValueList.moduleName, module, nil, nil)
    guard code == SQLITE_OK else { return code }
    return sqlite3_create_module_v2(
      database, BoundRows.moduleName, module, UnsafeMutableRawPointer(module), nil)
  }

  // The base comes first, so that a pointer to the table is a pointer to its base.
  private struct Table {
    var base = sqlite3_vtab()
    let hasRows: Bool
  }

  // The base comes first, so that a pointer to the cursor is a pointer to its base.
  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    var list: BoundRows?
    var index = 0
  }

  private static var module: UnsafeMutablePointer<sqlite3_module>? {
    UnsafeMutablePointer(bitPattern: address)
  }

  // An address, because the connections of all threads share the memory: it is written once, and
  // SQLite only reads it. Eponymous: without xCreate, the module is a table with its own name.
  private static let address: UInt = {
    let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    pointer.initialize(to: sqlite3_module())
    pointer.pointee.xConnect = { database, data, _, _, table, _ in
      let hasRows = data != nil
      let columns = hasRows ? BoundRows.columns : "value"
      let code = sqlite3_declare_vtab(database, "CREATE TABLE x(list HIDDEN, \(columns))")
      guard code == SQLITE_OK else { return code }
      let new = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      new.initialize(to: Table(hasRows: hasRows))
      table?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    pointer.pointee.xDisconnect = { table in
      let table = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self)
      table?.deinitialize(count: 1)
      table?.deallocate()
      return SQLITE_OK
    }
    pointer.pointee.xBestIndex = { table, info in
      guard let info else { return SQLITE_ERROR }
      for index in 0..<Int(info.pointee.nConstraint) {
        let constraint = info.pointee.aConstraint[index]
        guard constraint.iColumn == 0, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ),
          constraint.usable != 0
        else { continue }
        info.pointee.aConstraintUsage[index].argvIndex = 1
        info.pointee.aConstraintUsage[index].omit = 1
        let table = UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self)
        // The rows of a change are read once, and each finds its row by key. They are never the
        // inner loop, whatever the statistics say about the table.
        let hasRows = table?.pointee.hasRows ?? false
        info.pointee.estimatedCost = hasRows ? 1e12 : 1
        info.pointee.estimatedRows = hasRows ? 1 : 100
        return SQLITE_OK
      }
      return SQLITE_CONSTRAINT  // without the argument, there is no list
    }
    pointer.pointee.xOpen = { _, cursor in
      let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      new.initialize(to: Cursor())
      cursor?.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(
        to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    pointer.pointee.xClose = { cursor in
      let cursor = ValueListModule.cursor(cursor)
      cursor?.deinitialize(count: 1)
      cursor?.deallocate()
      return SQLITE_OK
    }
    pointer.pointee.xFilter = { cursor, _, _, count, arguments in
      guard let cursor = ValueListModule.cursor(cursor) else { return SQLITE_ERROR }
      cursor.pointee.index = 0
      cursor.pointee.list = nil
      guard count == 1, let argument = arguments?.pointee else { return SQLITE_OK }
      let pointer = ValueList.pointerType.withUTF8Buffer { type in
        sqlite3_value_pointer(
          argument, UnsafeRawPointer(type.baseAddress)?.assumingMemoryBound(to: CChar.self))
      }
      cursor.pointee.list = pointer.map { CallbackContext.object($0) }
      return SQLITE_OK
    }
    pointer.pointee.xNext = { cursor in
      ValueListModule.cursor(cursor)?.pointee.index += 1
      return SQLITE_OK
    }
    pointer.pointee.xEof = { cursor in
      guard let cursor = ValueListModule.cursor(cursor), let list = cursor.pointee.list else {
        return 1
      }
      return cursor.pointee.index < list.count ? 0 : 1
    }
    pointer.pointee.xColumn = { cursor, context, column in
      guard let cursor = ValueListModule.cursor(cursor), let list = cursor.pointee.list, column > 0
      else {
        return SQLITE_OK  // an unset result is NULL
      }
      guard let value = list.value(cursor.pointee.index, Int(column) - 1) else {
        return SQLITE_ERROR
      }
      value.result(in: context)
      return SQLITE_OK
    }
    pointer.pointee.xRowid = { cursor, rowID in
      rowID?.pointee = Int64(ValueListModule.cursor(cursor)?.pointee.index ?? 0)
      return SQLITE_OK
    }
    return UInt(bitPattern: pointer)
  }()

  private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?)
    -> UnsafeMutablePointer<Cursor>?
  {
    cursor.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Cursor.self) }
  }
}

extension DatabaseValue {
  func result(in context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value + 0)  // 0.0 for −0.0
    case .text(var value):
      value.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          sqlite3_result_text64(
            context, text.baseAddress, UInt64(text.count), miniorm_transient(), UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
          _ = sqlite3_result_zeroblob64(context, 0)
          return
        }
        sqlite3_result_blob64(context, start, UInt64(bytes.count), miniorm_transient())
      }
    }
  }
}

/// The rows of a table-valued function: the values of `IN`, or the rows of a change of many rows,
/// which are converted when SQLite reads them.
final class BoundRows {
  static let moduleName = "miniorm_rows"
  /// SQLite allows 2,000 columns, and one is the function's argument.
  static let maximumWidth = 1_999
  static let columns = (0..<maximumWidth).map { "c\($0)" }.joined(separator: ", ")
  private static let partCount = 128

  static func column(_ index: Int) -> String { "\(moduleName).c\(index)" }

  let count: Int
  private let width: Int
  /// The values of some rows, and the position of the first of these rows.
  private var values: [DatabaseValue]
  private var first = 0
  private let next: (_ isStart: Bool) throws(DatabaseError) -> [DatabaseValue]

  /// Creates rows from the values of all rows, one row after the other.
  init(_ values: [DatabaseValue], width: Int) {
    self.values = values
    (count, self.width) = (values.count / width, width)
    next = { (_) throws(DatabaseError) in [] }
  }

  init<Rows: Collection>(
    _ rows: Rows, width: Int,
    bind: @escaping (Rows.Element, borrowing Statement) throws(DatabaseError) -> Void
  ) {
    (count, self.width, values) = (rows.count, width, [])
    var rest = rows[...]
    next = { (isStart) throws(DatabaseError) in
      if isStart { rest = rows[...] }
      let part = rest.prefix(Self.partCount)
      rest = rest.dropFirst(Self.partCount)
      return try EchoDatabase.values(count: width, of: part, bind: bind).flatMap { $0 }
    }
  }

  /// Returns a value, or nil if a row cannot be converted. Rows are read in order, from the first.
  func value(_ row: Int, _ column: Int) -> DatabaseValue? {
    guard column < width else { return .null }
    if row < first || (row - first) * width >= values.count {
      let isStart = row == 0
      let end = first + values.count / width
      guard isStart || row == end, let part = try? next(isStart) else { return nil }
      (first, values) = (row, part)
    }
    let index = (row - first) * width + column
    return index < values.count ? values[index] : nil
  }
}
