import CSQLCipher
import Testing

@testable import MiniORM

@Suite("The statement cache")
struct StatementCacheTests {
  private static func withDatabase(
    capacity: Int = 100, _ body: @Sendable (isolated Connection) throws -> Void
  ) async throws {
    var configuration = Configuration()
    configuration.statementCacheCapacity = capacity
    let database = try await Database.inMemory(configuration: configuration)
    try await database.writer.isolated(nil, body)
    try await database.close()
  }

  /// The counters of a cache.
  private struct Counts: Equatable {
    var hits: Int
    var misses: Int
    var kept: Int

    init(hits: Int, misses: Int, kept: Int) {
      (self.hits, self.misses, self.kept) = (hits, misses, kept)
    }

    init(_ cache: StatementCache) {
      self.init(hits: cache.hits, misses: cache.misses, kept: cache.count)
    }
  }

  @Test("a statement prepared a second time evicts no other statement")
  func twiceAtOnce() async throws {
    try await Self.withDatabase(capacity: 2) { db in
      let opened = db.cache
      let cache = try #require(opened)
      #expect(try db.value(Int.self, "SELECT 1") == 1)
      let database = try db.handle
      let first = try cache.checkOut("SELECT 2", on: database)
      let second = try cache.checkOut("SELECT 2", on: database)
      _ = consume first
      _ = consume second
      let before = Counts(cache)
      #expect(try db.value(Int.self, "SELECT 1") == 1)
      #expect(cache.hits == before.hits + 1 && cache.misses == before.misses)
    }
  }

  @Test(
    "a cache is released with its connection, or with its last statement", arguments: [0, 1, 2])
  func ends(inUse: Int) throws {
    var database: OpaquePointer?
    try #require(sqlite3_open(":memory:", &database) == SQLITE_OK)
    defer { sqlite3_close_v2(database) }
    weak var ended: StatementCache?
    do {
      let cache = StatementCache(capacity: 2)
      ended = cache
      let handle = try #require(database)
      let first = inUse > 0 ? try cache.checkOut("SELECT 1", on: handle) : nil
      let second = inUse > 1 ? try cache.checkOut("SELECT 2", on: handle) : nil
      cache.removeAll()
      _ = consume first
      _ = consume second
    }
    #expect(ended == nil)
  }

  @Test("the same SQL is prepared once, and hits and misses are counted")
  func counts() async throws {
    try await Self.withDatabase { db in
      let opened = db.cache
      let cache = try #require(opened)
      for value in 1...10 {
        #expect(try db.value(Int.self, "SELECT \(value)") == value)
      }
      #expect(Counts(cache) == Counts(hits: 9, misses: 1, kept: 1))
      #expect(throws: DatabaseError.self) { try db.query("SELECT nope") }
      #expect(Counts(cache) == Counts(hits: 9, misses: 2, kept: 1))
      #expect(cache.checkedOut == 0)
    }
  }

  @Test("a text with a stored hash is found like its SQL, also after eviction")
  func texts() async throws {
    try await Self.withDatabase(capacity: 2) { db in
      let opened = db.cache
      let cache = try #require(opened)
      let texts = (0..<4).map { StatementText("SELECT \($0)") }
      for round in 0..<3 {
        for text in texts { try db.statement(text).run() }
        #expect(Counts(cache) == Counts(hits: 0, misses: 4 * (round + 1), kept: 2))
      }
      let last = try #require(texts.last)
      try db.statement(last).run()
      try db.statement(last.sql).run()
      try db.statement(StatementText(last.sql)).run()
      #expect(Counts(cache) == Counts(hits: 3, misses: 12, kept: 2))
    }
  }

  @Test("the same SQL can run twice at the same time, with separate values and positions")
  func twice() async throws {
    try await Self.withDatabase { db in
      let opened = db.cache
      let cache = try #require(opened)
      let sql: SQL = "SELECT \(1) UNION ALL SELECT \(2)"
      let first = try db.statement(sql)
      #expect(try first.step())
      let second = try db.statement("SELECT \(3) UNION ALL SELECT \(4)" as SQL)
      #expect(cache.checkedOut == 2)
      #expect(try second.step())
      #expect(try first.step())
      #expect(sqlite3_column_int64(first.pointer, 0) == 2)
      #expect(sqlite3_column_int64(second.pointer, 0) == 3)
      #expect(first.pointer != second.pointer)
      #expect(Counts(cache) == Counts(hits: 0, misses: 2, kept: 1))
    }
  }

  @Test("a statement in use is never evicted, and the capacity applies afterwards")
  func inUse() async throws {
    try await Self.withDatabase(capacity: 2) { db in
      let opened = db.cache
      let cache = try #require(opened)
      do {
        let first = try db.statement("SELECT 1")
        let second = try db.statement("SELECT 2")
        let third = try db.statement("SELECT 3")
        #expect(try first.step())
        #expect(try second.step())
        #expect(try third.step())
        #expect(cache.count == 3)
        #expect(cache.checkedOut == 3)
        #expect(sqlite3_column_int64(first.pointer, 0) == 1)
      }
      #expect(cache.checkedOut == 0)
      try db.statement("SELECT 4").run()
      #expect(cache.count == 2)
    }
  }

  @Test("a returned statement holds no values and no lock")
  func givenBack() async throws {
    try await Self.withDatabase { db in
      let pointer = try Self.pointer(of: "SELECT \("marker") UNION SELECT 2", in: db)
      #expect(sqlite3_stmt_busy(pointer) == 0)
      let expanded = sqlite3_expanded_sql(pointer)
      defer { sqlite3_free(expanded) }
      #expect(expanded.map { String(cString: $0) } == "SELECT NULL UNION SELECT 2")
    }
  }

  @Test(
    "statements reused in a transaction hold no values after it, however it ends")
  func valuesAfterTransactions() async throws {
    struct Stop: Error {}
    try await withTemporaryDatabase { database in
      try await database.write { try $0.execute("CREATE TABLE t(a, b)") }
      let insertion = PreparedChange(String.self, Int.self) { text, number in
        Table<Pair>().insert {
          $0.a = text
          $0.b = number
        }
      }
      func values() async throws -> [String] {
        try await database.writer.isolated { db in
          var (found, statement): ([String], OpaquePointer?) = ([], nil)
          while true {
            statement = sqlite3_next_stmt(try db.handle, statement)
            guard let statement else { return found }
            let expanded = sqlite3_expanded_sql(statement)
            defer { sqlite3_free(expanded) }
            let text = expanded.map { String(cString: $0) } ?? ""
            #expect(sqlite3_stmt_busy(statement) == 0)
            if text.contains("marker") || text.contains("4711") { found.append(text) }
          }
        }
      }
      // Committed, rolled back, ended by SQL, ended by an error, and in autocommit mode.
      try await database.write { db in
        for _ in 1...3 { try insertion.run("marker", 4711, in: db) }
      }
      #expect(try await values() == [])
      await #expect(throws: Stop.self) {
        try await database.write { db in
          for _ in 1...3 { try insertion.run("marker", 4711, in: db) }
          throw Stop()
        }
      }
      #expect(try await values() == [])
      try await database.withoutTransaction { db in
        for sql in ["BEGIN", "ROLLBACK"] {
          for _ in 1...3 { try insertion.run("marker", 4711, in: db) }
          try db.execute(SQL(raw: sql))
        }
      }
      #expect(try await values() == [])
      for _ in 1...3 { try await insertion.run("marker", 4711, in: database) }
      #expect(try await values() == [])
      // Large bindings are released at once.
      try await database.write { db in
        let long = String(repeating: "marker", count: 1_000)
        for _ in 1...3 { try insertion.run(long, 1, in: db) }
        let database = try db.handle
        var statement = sqlite3_next_stmt(database, nil)
        while let found = statement {
          let expanded = sqlite3_expanded_sql(found)
          defer { sqlite3_free(expanded) }
          #expect(expanded.map { !String(cString: $0).contains("marker") } ?? false)
          statement = sqlite3_next_stmt(database, found)
        }
      }
    }
  }

  @Table("t") struct Pair: Sendable {
    var a: String
    var b: Int
  }

  private static func pointer(of sql: SQL, in db: isolated Connection) throws -> OpaquePointer {
    let statement = try db.statement(sql)
    #expect(try statement.step())
    return statement.pointer
  }

  @Test("a cached statement follows a changed schema")
  func schemaChange() async throws {
    try await Self.withDatabase { db in
      try db.execute(script: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      #expect(try db.query("SELECT * FROM t").map(\.columnNames) == [["a"]])
      try db.execute("ALTER TABLE t ADD COLUMN b DEFAULT 'new'")
      let rows = try db.query("SELECT * FROM t")
      #expect(rows.map(\.columnNames) == [["a", "b"]])
      #expect(rows.map(\.values) == [[.integer(1), .text("new")]])
      try db.execute("ALTER TABLE t RENAME COLUMN a TO z")
      #expect(try db.query("SELECT * FROM t").map(\.columnNames) == [["z", "b"]])
      try db.execute("ALTER TABLE t DROP COLUMN b")
      #expect(try db.query("SELECT * FROM t").map(\.values) == [[.integer(1)]])
      try db.execute("DROP TABLE t")
      let error = #expect(throws: DatabaseError.self) { try db.query("SELECT * FROM t") }
      #expect(error?.message == "no such table: t")
      try db.execute("CREATE TABLE t(q)")
      #expect(try db.query("SELECT * FROM t") == [])
      let hits = db.cache?.hits ?? 0
      #expect(hits >= 5)
    }
  }

  @Test("a capacity below one keeps one statement", arguments: [0, -5, 1])
  func smallest(capacity: Int) async throws {
    try await Self.withDatabase(capacity: capacity) { db in
      let opened = db.cache
      let cache = try #require(opened)
      for _ in 0..<2 { try db.statement("SELECT 1").run() }
      try db.statement("SELECT 2").run()
      #expect(Counts(cache) == Counts(hits: 1, misses: 2, kept: 1))
    }
  }

  /// A reference model of an LRU cache, as a list.
  private struct ListModel {
    let capacity: Int
    var sql: [String] = []
    var counts = Counts(hits: 0, misses: 0, kept: 0)

    mutating func use(_ text: String) {
      if let index = sql.firstIndex(of: text) {
        sql.remove(at: index)
        counts.hits += 1
      } else {
        if sql.count == capacity { sql.removeFirst() }
        counts.misses += 1
      }
      sql.append(text)
      counts.kept = sql.count
    }
  }

  @Test("any sequence of uses evicts the least recently used statement", arguments: 1...12)
  func property(capacity: Int) async throws {
    try await Self.withDatabase(capacity: capacity) { db in
      let opened = db.cache
      let cache = try #require(opened)
      let texts = (0..<(capacity * 2)).map { StatementText("SELECT \($0)") }
      var state = UInt64(capacity) &* 0x9E37_79B9_7F4A_7C15
      var model = ListModel(capacity: capacity)
      for step in 0..<1_000 {
        // xorshift: a reproducible sequence.
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        if step % 331 == 330 {
          cache.removeAll()
          model.sql = []
        }
        let index = Int(state % UInt64(texts.count))
        if state & 0x1_0000 == 0 {
          try db.statement(texts[index]).run()
        } else {
          try db.statement(texts[index].sql).run()
        }
        model.use(texts[index].sql)
        try #require(Counts(cache) == model.counts, "at step \(step)")
      }
    }
  }
}
