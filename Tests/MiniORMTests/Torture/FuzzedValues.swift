import CSQLCipher
import Foundation

@testable import MiniORM
@testable import MiniORMRepair

/// Reads values of any kind as each type. The result is an equal value or an error.
enum FuzzValues {
  private enum Level: String, ColumnValue { case low, high }
  private enum Rank: Int, ColumnValue { case first = 1, second }
  @Selection struct Line: Equatable {
    var text: String?
    var number: Int?
    var value: DatabaseValue
    var real: Double?
    var isOn: Bool?
  }

  /// Declared column types. Their affinity converts some values.
  private static let types = ["", "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "DATE", "ANY"]
  nonisolated(unsafe) private static let database: FuzzDatabase = {
    let database = FuzzDatabase()
    let columns = types.enumerated().map { "c\($0) \($1)" }.joined(separator: ", ")
    _ = database.rows("CREATE TABLE kinds (\(columns))")
    return database
  }()  // one thread runs a target
  nonisolated(unsafe) private static let transient = unsafeBitCast(
    -1, to: sqlite3_destructor_type.self)

  static func run(_ bytes: [UInt8]) throws {
    guard let kind = bytes.first else { return }
    let rest = Array(bytes.dropFirst())
    let column = "c\(Int(kind) / 8 % types.count)"
    var bits: UInt64 = 0
    for byte in rest.prefix(8) { bits = bits << 8 | UInt64(byte) }
    var pointer: OpaquePointer?
    defer { sqlite3_finalize(pointer) }
    // Stores a value and returns the column six times.
    sqlite3_prepare_v2(
      database.database,
      "INSERT INTO kinds(\(column)) VALUES (?1) RETURNING \(Array(repeating: column, count: 6).joined(separator: ", "))",
      -1, &pointer, nil)
    guard let statement = pointer else {
      throw FuzzTarget.Finding(description: String(cString: sqlite3_errmsg(database.database)))
    }
    defer { _ = database.rows("DELETE FROM kinds") }
    switch kind % 8 {
    case 0: sqlite3_bind_null(statement, 1)
    case 1: sqlite3_bind_int64(statement, 1, Int64(bitPattern: bits))
    case 2: sqlite3_bind_double(statement, 1, Double(bitPattern: bits))
    case 3: sqlite3_bind_blob64(statement, 1, rest + [0], UInt64(rest.count), transient)
    case 4:
      sqlite3_bind_int64(statement, 1, Int64(Int8(bitPattern: UInt8(truncatingIfNeeded: bits))))
    // Any bytes as text: SQLite does not validate UTF-8.
    default:
      (rest + [0]).withUnsafeBufferPointer { text in
        text.withMemoryRebound(to: CChar.self) {
          _ = sqlite3_bind_text64(
            statement, 1, $0.baseAddress, UInt64(rest.count), transient, UInt8(SQLITE_UTF8))
        }
      }
    }
    guard sqlite3_step(statement) == SQLITE_ROW else { return }
    try same(Int.self, statement)
    try same(Int8.self, statement)
    try same(Int16.self, statement)
    try same(Int32.self, statement)
    try same(UInt8.self, statement)
    try same(UInt32.self, statement)
    try same(UInt64.self, statement)
    try same(Bool.self, statement)
    try same(Double.self, statement)
    try same(Float.self, statement)
    try same(String.self, statement)
    try same([UInt8].self, statement)
    try same(Data.self, statement)
    try wrapped(Date.self, statement, unless: { $0.iso8601 == nil && namesZone(rest) }) { $0 }
    try same(UUID.self, statement)
    try same(URL.self, statement)
    try same(Decimal.self, statement)
    try same(Level.self, statement)
    try same(Rank.self, statement)
    try same(Int?.self, statement)
    try same(String?.self, statement)
    try same(DatabaseValue.self, statement)
    try wrapped(JSON<[Int]>.self, statement) { $0.value }
    try wrapped(JSON<[String]>.self, statement) { $0.value }
    try wrapped(JSON<[Bool]>.self, statement) { $0.value }
    try wrapped(JSON<[String: Double]>.self, statement) { $0.value }
    try wrapped(ScaledDecimal<DecimalScales.S2>.self, statement) { $0.value }
    try wrapped(UUIDBytes.self, statement) { $0.value }
    try date(UnixSeconds.self, statement) { $0.value }
    try date(UnixMilliseconds.self, statement) { $0.value }
    try line(statement)
  }

  /// Reading a row gives the same values as reading each column.
  private static func line(_ statement: OpaquePointer) throws {
    var read: Line?
    var problem: DatabaseError?
    do throws(DatabaseError) {
      read = try Line(row: Row(statement))
    } catch {
      problem = error
    }
    let alone = try? Line(
      text: String?(cell: Cell(statement, 0)), number: Int?(cell: Cell(statement, 1)),
      value: DatabaseValue(cell: Cell(statement, 2)), real: Double?(cell: Cell(statement, 3)),
      isOn: Bool?(cell: Cell(statement, 4)))
    try FuzzTarget.Finding.check(
      read == alone && (read == nil) == (problem?.column != nil),
      "a row is \(String(describing: read)) \(String(describing: problem)), and its values are \(String(describing: alone))"
    )
  }

  private static func same<Value: ColumnValue & Equatable>(
    _ type: Value.Type, _ statement: OpaquePointer
  ) throws {
    try wrapped(type, statement) { $0 }
  }

  private static func wrapped<Value: ColumnValue, Known: Equatable>(
    _ type: Value.Type, _ statement: OpaquePointer,
    unless isExcused: (Value) -> Bool = { _ in false },
    _ known: (Value) -> Known
  ) throws {
    guard let value = try? Value(cell: Cell(statement, 0)), !isExcused(value) else { return }
    let again: Value
    do {
      again = try DatabaseValue(storing: value).value(as: type)
    } catch {
      throw FuzzTarget.Finding(description: "\(type) \(value) was read, and is refused: \(error)")
    }
    try FuzzTarget.Finding.check(
      known(again) == known(value), "\(type) \(value) comes back as \(again)")
  }

  /// True if a date has a time zone, which can shift it beyond the years that have a text form.
  static func namesZone(_ text: some Collection<UInt8>) -> Bool {
    text.dropFirst(10).contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
  }

  /// Times beyond the precision of a Double of seconds come back approximately.
  private static func date<Value: ColumnValue>(
    _ type: Value.Type, _ statement: OpaquePointer, _ known: (Value) -> Date
  ) throws {
    guard let value = try? Value(cell: Cell(statement, 0)),
      let again = try? DatabaseValue(storing: value).value(as: type)
    else { return }
    let (one, other) = (known(value).timeIntervalSince1970, known(again).timeIntervalSince1970)
    try FuzzTarget.Finding.check(
      (one - other).magnitude <= max(1, one.magnitude * 1e-15),
      "\(type) \(one) comes back as \(other)")
  }
}

/// Texts of dates, numbers, UUIDs and JSON, compared with the results of SQLite and Foundation.
enum FuzzTexts {
  nonisolated(unsafe) private static let database = FuzzDatabase()

  static func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    try date(text)
    try decimal(text)
    try json(text, [Int].self)
    try json(text, [Int64].self)
    try json(text, [String].self)
    try json(text, [Bool].self)
    if let plain = bytes.withUnsafeBufferPointer({ UUID(text: $0) }) {
      try FuzzTarget.Finding.check(UUID(uuidString: text) == plain, "\(text) is another UUID")
      try FuzzTarget.Finding.check(
        text.uppercased() == plain.uuidString, "\(text) is no UUID, and is read as \(plain)")
    }
  }

  private static func date(_ text: String) throws {
    guard let date = Date(iso8601: text) else { return }
    guard let written = date.iso8601 else {
      return try FuzzTarget.Finding.check(
        FuzzValues.namesZone(text.utf8), "\(text) is read, and cannot be written")
    }
    try FuzzTarget.Finding.check(Date(iso8601: written) == date, "\(text) is written as \(written)")
    guard let row = database.rows("SELECT unixepoch(?1)", [text]),
      let stamp = row[0][0].flatMap({ Double($0) })
    else { return }
    try FuzzTarget.Finding.check(
      (stamp - date.timeIntervalSince1970).magnitude <= 1,
      "\(text) is \(date), and to SQLite \(stamp)")
  }

  private static func decimal(_ text: String) throws {
    guard let parts = DecimalText(text.utf8), parts.digits.count <= 30,
      (-90...90).contains(parts.point)
    else { return }
    guard let number = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) else {
      return
    }
    try FuzzTarget.Finding.check(
      DecimalText(number.description.utf8) == parts,
      "\(text) is \(parts), and to Foundation \(number)")
    if let units = try? parts.units(scale: 4) {
      try FuzzTarget.Finding.check(
        Decimal(units) / 10_000 == number, "\(text) has \(units) ten-thousandths")
    }
  }

  private static func json<Value: Decodable & Equatable>(_ text: String, _ type: Value.Type) throws
  {
    guard let plain = PlainJSON.read(type, from: text) else { return }
    let decoded = try? JSONDecoder().decode(type, from: Data(text.utf8))
    try FuzzTarget.Finding.check(decoded == plain, "\(text) is read as \(plain)")
  }
}

/// Files of any bytes: opening, reading and salvaging give rows or an error.
enum FuzzFiles {
  private static let key = Key.raw([UInt8](repeating: 1, count: 32))
  /// A folder shared by all inputs, removed at process exit.
  private static let folder: String = {
    atexit { try? FileManager.default.removeItem(atPath: FuzzFiles.folder) }
    return FileManager.default.temporaryDirectory.path
      + "/miniorm-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
  }()

  /// Builds a file with tables, indexes and texts on overflow pages, plain or encrypted.
  private actor Originals {
    static let shared = Originals()
    private var files: [Bool: [UInt8]] = [:]

    func bytes(isEncrypted: Bool) async throws -> [UInt8] {
      if let bytes = files[isEncrypted] { return bytes }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = folder + "/original-\(isEncrypted).db"
      var configuration = Configuration()
      configuration.journalMode = .delete
      configuration.cipher.pageSize = 1024
      let database = try await Database(
        path: path, key: isEncrypted ? key : nil, configuration: configuration)
      try await database.migrate(Library.schema(2))
      try await database.write { db in
        for number in 0..<8 {
          let author = try Library.authors.insert(
            LibraryAuthor.Draft(
              name: String(repeating: "n\(number)", count: number * 99), born: number),
            in: db)
          let book = Library1.Book.Draft(
            authorID: author.id, title: "t\(number)", pages: number, price: Double(number),
            cover: Data(repeating: 7, count: number * 300))
          try Library.books.insert(book, in: db)
        }
      }
      try await database.close()
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      try Database.delete(path: path)
      files[isEncrypted] = bytes
      return bytes
    }
  }

  static func run(_ bytes: [UInt8]) async throws {
    guard let kind = bytes.first else { return }
    var file = Array(bytes.dropFirst())
    if kind % 4 > 0 {
      // Mutates a valid file: three bytes choose the offset, a fourth the value.
      let changes = file
      file = try await Originals.shared.bytes(isEncrypted: kind % 4 == 2)
      for start in stride(from: 0, to: changes.count - 3, by: 4) {
        let place =
          Int(changes[start]) << 16 | Int(changes[start + 1]) << 8 | Int(changes[start + 2])
        file[place % file.count] = changes[start + 3]
      }
      if kind > 128 { file.removeLast(min(file.count, Int(changes.first ?? 0) * 64)) }
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let name = folder + "/\(UUID().uuidString)"
    defer {
      for path in DatabaseFile.all(name + ".db") + DatabaseFile.all(name + ".new") {
        try? DatabaseFile.remove(path)
      }
    }
    try Data(file).write(to: URL(fileURLWithPath: name + ".db"))
    for key in kind % 4 == 2 ? [key] : [nil, key] {
      try await attempt { try await use(name + ".db", key) }
      try await attempt { _ = try await Database.verify(path: name + ".db", key: key) }
      try await attempt {
        _ = try await Database.salvage(path: name + ".db", key: key, to: name + ".new")
      }
      try? Database.delete(path: name + ".new")
    }
  }

  private static func use(_ path: String, _ key: Key?) async throws {
    var configuration = Configuration()
    configuration.journalMode = .delete
    configuration.synchronous = .off
    configuration.cipher.pageSize = 1024
    let database = try await Database(path: path, key: key, configuration: configuration)
    try await attempt { _ = try await Library.authors.fetchAll(in: database) }
    try await attempt {
      _ = try await Table<Library2.Book>().order { $0.title }.including(Library.loans).fetchAll(
        in: database)
    }
    try await attempt { _ = try await database.integrityReport() }
    try await attempt { _ = try await database.schemaReport(for: Library.schema(2)) }
    try await attempt {
      _ = try await Library.authors.insert(
        LibraryAuthor.Draft(name: "new", born: nil), in: database)
    }
    try await attempt { try await database.migrate(Library.schema(3)) }
    try await attempt { try await database.close() }
  }

  /// Accepts an error as a valid outcome.
  private static func attempt(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch is DatabaseError {}
  }
}
