import CSQLCipher
import Foundation

/// What MiniORM is measured against: sqlite3 by hand, each statement prepared once, one row at a time, text
/// read by pointer and length and copied on binding. It trusts the file: no storage class is checked.
final class HandWritten: Contender {
  let name = "sqlite3 by hand"
  private let target: Target
  let actor: BareActor
  let scratch: BareActor

  init(_ target: Target, scratch: Target) throws {
    self.target = target
    actor = BareActor(try RawConnection(target))
    self.scratch = BareActor(try RawConnection(scratch))
  }

  /// Reads rows in the actor, and counts them where the caller runs: it frees them there too, as a program does that
  /// awaits them, and as MiniORM's callers do.
  func fetch<Row: Sendable>(
    _ read: @Sendable (RawConnection) throws -> [Row]
  ) async throws -> Int {
    let rows = try await actor.run(read)
    return Self.count(rows)
  }
  // Not inlined: the compiler has what it can see through run on the actor too.
  @inline(never)
  static func count<Row>(_ rows: [Row]) -> Int { rows.count }

  func fetchIntegers() async throws -> Int { try await fetch { try $0.fetchIntegers() } }
  func fetchMixed() async throws -> Int { try await fetch { try $0.fetchMixed() } }
  func fetchNulls() async throws -> Int { try await fetch { try $0.fetchNulls() } }
  func insertIntegers(_ rows: [Integers]) async throws -> Int {
    try await scratch.run { try $0.insert(rows) }
  }
  func insertMixed(_ rows: [Mixed]) async throws -> Int {
    try await scratch.run { try $0.insert(rows) }
  }
  func lookUpInTransaction(_ keys: [Int64]) async throws -> Int {
    try await actor.run { raw in
      try raw.execute("BEGIN")
      var found = 0
      for key in keys where try raw.find(key) != nil { found += 1 }
      try raw.execute("COMMIT")
      return found
    }
  }
  func lookUpEach(_ keys: [Int64]) async throws -> Int {
    // A loop without any await: what the others hop for is not here.
    try await actor.run { raw in
      var found = 0
      for key in keys where try raw.find(key) != nil { found += 1 }
      return found
    }
  }
  func insertEach(_ rows: [Integers]) async throws -> Int {
    try await scratch.run { raw in
      for row in rows { try raw.insert(row) }
      return rows.count
    }
  }
  func insertEachSynchronously(_ rows: [Integers]) async throws -> Int {
    try await insertEach(rows)
  }
  func insertAndFetchEach(_ rows: [Integers]) async throws -> Int {
    try await scratch.run { raw in
      var found = 0
      for row in rows where try raw.insertAndFetch(row) != nil { found += 1 }
      return found
    }
  }
  func update(_ rows: [Integers]) async throws -> Int {
    try await actor.run { try $0.update(rows) }
  }
  func fetchLines() async throws -> Int { try await fetch { try $0.fetchLines() } }
  func fetchArticles(of suppliers: [Int64]) async throws -> Int {
    try await actor.run { raw in
      try raw.execute("BEGIN")
      var found = 0
      for supplier in suppliers { found += try raw.fetchArticles(of: supplier).count }
      try raw.execute("COMMIT")
      return found
    }
  }
  func open() async throws -> Int {
    let raw = try RawConnection(target)
    defer { raw.close() }
    return try raw.find(1) == nil ? 0 : 1
  }
  func openBoth() async throws -> Int {
    let pair = RawPair()
    let row = try await pair.find(1, in: target)
    let found = Self.count(row.map { [$0] } ?? [])
    await pair.close()
    return found
  }
  func clear() async throws {
    try await scratch.run {
      try $0.execute(
        "DELETE FROM integers; DELETE FROM mixed; DELETE FROM stock; DELETE FROM image")
    }
  }
  func emptyLog() async throws {
    let isBusy = try await scratch.run { try $0.text("PRAGMA wal_checkpoint(TRUNCATE)") }
    guard isBusy == "0" else { throw BenchError(description: "somebody reads in the log") }
  }
  func cipherVersion() async throws -> String {
    try await actor.run { try $0.text("PRAGMA cipher_version") }
  }
  func close() async throws {
    await actor.close()
    await scratch.close()
  }
}

/// A connection on an executor of its own, where each piece of work is one call.
actor BareActor {
  private nonisolated let executor = BareExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let raw: RawConnection

  init(_ raw: sending RawConnection) { self.raw = raw }

  func run<Result: Sendable>(_ body: @Sendable (RawConnection) throws -> Result) rethrows -> Result
  { try body(raw) }
  func close() { raw.close() }
}

/// A connection that writes and one that reads, opened as with care: the library and the key are checked.
actor RawPair {
  private nonisolated let executor = BareExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var connections: [RawConnection] = []

  func find(_ key: Int64, in target: Target) throws -> Integers? {
    for isReader in [false, true] {
      let raw = try RawConnection(target)
      connections.append(raw)
      guard try !raw.text("PRAGMA cipher_version").isEmpty else {
        throw RawError(message: "library")
      }
      // A wrong key is told by what is read first.
      _ = try raw.text("SELECT count(*) FROM sqlite_schema")
      if isReader { try raw.execute("PRAGMA query_only = ON") }
    }
    return try connections[1].find(key)
  }

  func close() {
    for raw in connections { raw.close() }
    connections = []
  }
}

final class BareExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "BareActor")
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

struct RawError: Error { let message: String }

final class RawConnection {
  private var database: OpaquePointer?
  private var statements: [OpaquePointer?] = []
  private var named: [String: OpaquePointer] = [:]

  private var selectIntegers, selectMixed, selectNulls, insertIntegers, insertMixed, findInteger,
    updateInteger, selectLines, selectArticles: OpaquePointer?

  init(_ target: Target) throws {
    guard
      sqlite3_open_v2(
        target.path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
        nil)
        == SQLITE_OK
    else { throw RawError(message: "open") }
    if let key = target.key {
      let text = "x'" + key.map { String(format: "%02x", $0) }.joined() + "'"
      guard miniorm_key(database, text, Int32(text.utf8.count)) == SQLITE_OK else {
        throw RawError(message: "key")
      }
    }
    sqlite3_busy_timeout(database, 5000)
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")
  }

  func createTables() throws {
    let integers = "abcdefghi".map { "\($0) INTEGER NOT NULL" }.joined(separator: ", ")
    try execute("CREATE TABLE integers (id INTEGER PRIMARY KEY NOT NULL, \(integers)) STRICT")
    try execute(
      """
      CREATE TABLE mixed (
        id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, street TEXT NOT NULL,
        city TEXT NOT NULL, country TEXT NOT NULL, notes TEXT, age INTEGER NOT NULL, score REAL NOT NULL,
        ratio REAL NOT NULL, isActive INTEGER NOT NULL, rank INTEGER NOT NULL, parentID INTEGER,
        avatar BLOB NOT NULL) STRICT
      """)
    try execute(
      """
      CREATE TABLE nulls (
        id INTEGER PRIMARY KEY NOT NULL, a INTEGER, b TEXT, c REAL, d INTEGER, e TEXT, f INTEGER, g INTEGER, h REAL,
        i TEXT) STRICT
      """)
    try execute(
      """
      CREATE TABLE supplier (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, country TEXT NOT NULL) STRICT;
      CREATE TABLE article (
        id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, price REAL NOT NULL,
        supplierID INTEGER NOT NULL REFERENCES supplier) STRICT;
      CREATE INDEX article_supplier ON article (supplierID);
      CREATE TABLE depot (id INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
      CREATE TABLE delivery (
        id INTEGER PRIMARY KEY NOT NULL, articleID INTEGER NOT NULL REFERENCES article,
        depotID INTEGER REFERENCES depot, pieces INTEGER NOT NULL) STRICT;
      """)
    try execute(Shapes.tables)
    try execute(Everyday.tables)
    try execute(News.tables)
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw RawError(message: "\(String(cString: sqlite3_errmsg(database))): \(sql)")
    }
  }

  func text(_ sql: String) throws -> String {
    let statement = try prepare(sql)
    guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) else {
      return ""
    }
    defer { sqlite3_reset(statement) }
    return String(cString: text)
  }

  func close() {
    for statement in statements { sqlite3_finalize(statement) }
    (statements, named) = ([], [:])
    sqlite3_close_v2(database)
    database = nil
  }

  private func prepare(_ sql: String) throws -> OpaquePointer? {
    var statement: OpaquePointer?
    guard
      sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        == SQLITE_OK
    else {
      throw RawError(message: "\(String(cString: sqlite3_errmsg(database))): \(sql)")
    }
    statements.append(statement)
    return statement
  }

  private func once(_ statement: inout OpaquePointer?, _ sql: String) throws -> OpaquePointer? {
    if statement == nil { statement = try prepare(sql) }
    return statement
  }

  /// The statement for SQL of a piece of work, prepared once.
  func statement(_ sql: String) throws -> OpaquePointer? {
    if let known = named[sql] { return known }
    let statement = try prepare(sql)
    named[sql] = statement
    return statement
  }

  static func string(_ s: OpaquePointer?, _ i: Int32) -> String {
    guard let text = sqlite3_column_text(s, i) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(s, i))),
      as: UTF8.self)
  }

  private static func data(_ s: OpaquePointer?, _ i: Int32) -> Data {
    guard let bytes = sqlite3_column_blob(s, i) else { return Data() }
    return Data(bytes: bytes, count: Int(sqlite3_column_bytes(s, i)))
  }

  private static func integers(_ s: OpaquePointer?) -> Integers {
    Integers(
      id: sqlite3_column_int64(s, 0), a: sqlite3_column_int64(s, 1), b: sqlite3_column_int64(s, 2),
      c: sqlite3_column_int64(s, 3), d: sqlite3_column_int64(s, 4), e: sqlite3_column_int64(s, 5),
      f: sqlite3_column_int64(s, 6), g: sqlite3_column_int64(s, 7), h: sqlite3_column_int64(s, 8),
      i: sqlite3_column_int64(s, 9))
  }

  func fetchIntegers() throws -> [Integers] {
    let s = try once(&selectIntegers, "SELECT id, a, b, c, d, e, f, g, h, i FROM integers")
    defer { sqlite3_reset(s) }
    var rows: [Integers] = []
    while sqlite3_step(s) == SQLITE_ROW { rows.append(Self.integers(s)) }
    return rows
  }

  func fetchMixed() throws -> [Mixed] {
    let s = try once(
      &selectMixed,
      "SELECT id, name, email, street, city, country, notes, age, score, ratio, isActive, rank, parentID, avatar FROM mixed"
    )
    defer { sqlite3_reset(s) }
    var rows: [Mixed] = []
    while sqlite3_step(s) == SQLITE_ROW {
      rows.append(
        Mixed(
          id: sqlite3_column_int64(s, 0), name: Self.string(s, 1), email: Self.string(s, 2),
          street: Self.string(s, 3),
          city: Self.string(s, 4), country: Self.string(s, 5),
          notes: sqlite3_column_type(s, 6) == SQLITE_NULL ? nil : Self.string(s, 6),
          age: Int(sqlite3_column_int64(s, 7)), score: sqlite3_column_double(s, 8),
          ratio: sqlite3_column_double(s, 9),
          isActive: sqlite3_column_int64(s, 10) != 0, rank: sqlite3_column_int(s, 11),
          parentID: sqlite3_column_type(s, 12) == SQLITE_NULL ? nil : sqlite3_column_int64(s, 12),
          avatar: Self.data(s, 13)))
    }
    return rows
  }

  func fetchNulls() throws -> [Nulls] {
    let s = try once(&selectNulls, "SELECT id, a, b, c, d, e, f, g, h, i FROM nulls")
    defer { sqlite3_reset(s) }
    func isNull(_ i: Int32) -> Bool { sqlite3_column_type(s, i) == SQLITE_NULL }
    var rows: [Nulls] = []
    while sqlite3_step(s) == SQLITE_ROW {
      rows.append(
        Nulls(
          id: sqlite3_column_int64(s, 0), a: isNull(1) ? nil : sqlite3_column_int64(s, 1),
          b: isNull(2) ? nil : Self.string(s, 2), c: isNull(3) ? nil : sqlite3_column_double(s, 3),
          d: isNull(4) ? nil : Int(sqlite3_column_int64(s, 4)),
          e: isNull(5) ? nil : Self.string(s, 5),
          f: isNull(6) ? nil : sqlite3_column_int64(s, 6),
          g: isNull(7) ? nil : sqlite3_column_int64(s, 7) != 0,
          h: isNull(8) ? nil : sqlite3_column_double(s, 8), i: isNull(9) ? nil : Self.string(s, 9)))
    }
    return rows
  }

  func find(_ key: Int64) throws -> Integers? {
    let s = try once(
      &findInteger, "SELECT id, a, b, c, d, e, f, g, h, i FROM integers WHERE id = ?")
    defer { sqlite3_reset(s) }
    sqlite3_bind_int64(s, 1, key)
    return sqlite3_step(s) == SQLITE_ROW ? Self.integers(s) : nil
  }

  func fetchLines() throws -> [DeliveryLine] {
    let s = try once(&selectLines, DeliveryLine.sql)
    defer { sqlite3_reset(s) }
    sqlite3_bind_double(s, 1, DeliveryLine.limit)
    var rows: [DeliveryLine] = []
    while sqlite3_step(s) == SQLITE_ROW {
      rows.append(
        DeliveryLine(
          id: sqlite3_column_int64(s, 0), article: Self.string(s, 1), supplier: Self.string(s, 2),
          depot: sqlite3_column_type(s, 3) == SQLITE_NULL ? nil : Self.string(s, 3),
          pieces: Int(sqlite3_column_int64(s, 4)), price: sqlite3_column_double(s, 5)))
    }
    return rows
  }

  func fetchArticles(of supplier: Int64) throws -> [Article] {
    let s = try once(&selectArticles, Article.sql)
    defer { sqlite3_reset(s) }
    sqlite3_bind_int64(s, 1, supplier)
    sqlite3_bind_double(s, 2, DeliveryLine.limit)
    sqlite3_bind_int64(s, 3, Int64(Article.found))
    var rows: [Article] = []
    while sqlite3_step(s) == SQLITE_ROW {
      rows.append(
        Article(
          id: sqlite3_column_int64(s, 0), name: Self.string(s, 1),
          price: sqlite3_column_double(s, 2), supplierID: sqlite3_column_int64(s, 3)))
    }
    return rows
  }

  private static func bind(_ row: Integers, _ s: OpaquePointer?) {
    sqlite3_bind_int64(s, 1, row.id)
    sqlite3_bind_int64(s, 2, row.a)
    sqlite3_bind_int64(s, 3, row.b)
    sqlite3_bind_int64(s, 4, row.c)
    sqlite3_bind_int64(s, 5, row.d)
    sqlite3_bind_int64(s, 6, row.e)
    sqlite3_bind_int64(s, 7, row.f)
    sqlite3_bind_int64(s, 8, row.g)
    sqlite3_bind_int64(s, 9, row.h)
    sqlite3_bind_int64(s, 10, row.i)
  }

  private static let insertion = "INSERT INTO integers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

  func insert(_ row: Integers) throws {
    let s = try once(&insertIntegers, Self.insertion)
    Self.bind(row, s)
    guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "insert") }
    sqlite3_reset(s)
  }

  func insertAndFetch(_ row: Integers) throws -> Integers? {
    try run("BEGIN IMMEDIATE")
    try insert(row)
    let stored = try find(row.id)
    try run("COMMIT")
    return stored
  }

  /// Runs a statement without rows, which is prepared once.
  private func run(_ sql: String) throws {
    let s = try statement(sql)
    let code = sqlite3_step(s)
    sqlite3_reset(s)
    guard code == SQLITE_DONE else { throw RawError(message: sql) }
  }

  func insert(_ rows: [Integers]) throws -> Int {
    let s = try once(&insertIntegers, Self.insertion)
    try execute("BEGIN IMMEDIATE")
    for row in rows {
      Self.bind(row, s)
      guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "insert") }
      sqlite3_reset(s)
    }
    try execute("COMMIT")
    return rows.count
  }

  @discardableResult
  static func bind(_ text: String, _ s: OpaquePointer?, _ i: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(s, i, $0.baseAddress, Int32($0.count), miniorm_transient())
      }
    }
  }

  func insert(_ rows: [Mixed]) throws -> Int {
    let s = try once(
      &insertMixed, "INSERT INTO mixed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    try execute("BEGIN IMMEDIATE")
    for row in rows {
      sqlite3_bind_int64(s, 1, row.id)
      Self.bind(row.name, s, 2)
      Self.bind(row.email, s, 3)
      Self.bind(row.street, s, 4)
      Self.bind(row.city, s, 5)
      Self.bind(row.country, s, 6)
      if let notes = row.notes { Self.bind(notes, s, 7) } else { sqlite3_bind_null(s, 7) }
      sqlite3_bind_int64(s, 8, Int64(row.age))
      sqlite3_bind_double(s, 9, row.score)
      sqlite3_bind_double(s, 10, row.ratio)
      sqlite3_bind_int64(s, 11, row.isActive ? 1 : 0)
      sqlite3_bind_int64(s, 12, Int64(row.rank))
      if let parent = row.parentID {
        sqlite3_bind_int64(s, 13, parent)
      } else {
        sqlite3_bind_null(s, 13)
      }
      _ = row.avatar.withUnsafeBytes {
        sqlite3_bind_blob(s, 14, $0.baseAddress, Int32($0.count), miniorm_transient())
      }
      guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "insert") }
      sqlite3_reset(s)
    }
    try execute("COMMIT")
    return rows.count
  }

  func update(_ rows: [Integers]) throws -> Int {
    let s = try once(
      &updateInteger,
      "UPDATE integers SET a = ?2, b = ?3, c = ?4, d = ?5, e = ?6, f = ?7, g = ?8, h = ?9, i = ?10 WHERE id = ?1"
    )
    try execute("BEGIN IMMEDIATE")
    var count = 0
    for row in rows {
      Self.bind(row, s)
      guard sqlite3_step(s) == SQLITE_DONE else { throw RawError(message: "update") }
      count += Int(sqlite3_changes(database))
      sqlite3_reset(s)
    }
    try execute("COMMIT")
    return count
  }
}
