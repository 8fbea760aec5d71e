import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Suite("SQL rendered as a statement with bound values")
struct RenderedSQLTests {
  /// The statement's text with its values inserted.
  private static func expanded(_ statement: borrowing Statement) -> String {
    guard let text = sqlite3_expanded_sql(statement.pointer) else { return "" }
    defer { sqlite3_free(text) }
    return String(cString: text)
  }

  /// The same for a statement compiled from plain text, with its values bound.
  private static func plain(_ sql: SQL, _ db: isolated Connection) throws -> String {
    let statement = try db.statement(sql.text)
    try statement.bind(sql.bindings)
    return expanded(statement)
  }

  @Test(
    "3,000 random queries and changes bind each value to its own parameter",
    arguments: [0, 1, 2, 3], [3, 40, 400])
  func random(seed: Int, capacity: Int) async throws {
    var configuration = Configuration()
    configuration.statementCacheCapacity = capacity
    try await withTemporaryDatabase(configuration: configuration) { database throws in
      try await database.migrate(DatabaseSchema(Shape.self))
      let (differences, hits) = try await database.write { db in
        var generator = ShapeGenerator(seed: UInt64(seed))
        var differences: [String] = []
        for _ in 0..<3_000 {
          let made = generator.sql()
          let sql = try #require(made)
          let found = Self.expanded(try db.statement(sql))
          let expected = try Self.plain(sql, db)
          if found != expected { differences.append("\(found)\ninstead of\n\(expected)") }
        }
        return (differences, db.cache?.hits ?? 0)
      }
      #expect(differences == [])
      if capacity == 400 { #expect(hits > 4_000) }
    }
  }

  @Test("rendered SQL returns the same rows as its text", arguments: 0..<4)
  func rows(seed: Int) async throws {
    try await withTemporaryDatabase { database throws in
      try await database.migrate(DatabaseSchema(Shape.self))
      try await database.write { db in
        var generator = ShapeGenerator(seed: UInt64(seed) + 100)
        for _ in 0..<300 { try generator.upsert().run(in: db) }
        for _ in 0..<500 {
          let table = generator.table()
          let sql = table.sql
          let found = try table.fetchAll(in: db)
          let expected = try db.query(Shape.self, SQL(raw: sql.text), Arguments(sql.bindings))
          #expect(found == expected, "\(sql.text)")
        }
      }
    }
  }

  @Test("a statement in use is prepared a second time")
  func inUse() async throws {
    try await withTemporaryDatabase { database throws in
      try await database.migrate(DatabaseSchema(Shape.self))
      try await database.write { db in
        let table = Table<Shape>().where { $0.size >= 0 }
        for size in 1...3 {
          try Table<Shape>().insert(Shape.Draft(name: "\(size)", size: size)).run(in: db)
          _ = try table.fetchAll(in: db)
        }
        var pairs = 0
        try table.forEach(in: db) { _ in pairs += try table.fetchAll(in: db).count }
        #expect(pairs == 9)
      }
    }
  }

  @Test("an order by a subquery with a common table expression has its own cache entry")
  func orderedByCommonTable() async throws {
    try await withTemporaryDatabase { database throws in
      try await database.migrate(DatabaseSchema(Shape.self))
      for name in ["a", "b", "c"] {
        try await Table<Shape>().insert(Shape.Draft(name: name, size: 1), in: database)
      }
      let first = CommonTableExpression(
        "first", as: Table<Shape>().where { $0.name == "b" }.select { Name.Columns(name: $0.name) })
      func names(_ isDescending: Bool) async throws -> [String] {
        try await Table<Shape>().order { shape in
          let isFirst = shape.name.isIn(first.select { $0.name })
          return [isDescending ? isFirst.descending : isFirst.ascending]
        }.order { $0.id }.fetchAll(in: database).map(\.name)
      }
      #expect(try await names(true) == ["b", "a", "c"])
      #expect(try await names(false) == ["a", "c", "b"])
      #expect(try await names(true) == ["b", "a", "c"])
    }
  }

  @Test(
    "conditions, orders and upserts with a common table expression have their own cache entries")
  func commonTables() async throws {
    try await withTemporaryDatabase { database throws in
      try await database.migrate(DatabaseSchema(Shape.self))
      for size in 1...4 {
        try await Table<Shape>().insert(Shape.Draft(name: "\(size)", size: size), in: database)
      }
      for size in [2, 3, 2, 3, 3, 2] {
        let sized = CommonTableExpression("sized", as: Table<Shape>().where { $0.size == size })
        let found = try await Table<Shape>().where { shape in
          shape.size.isIn(sized.select { $0.size }) && shape.name != "x"
        }.fetchAll(in: database)
        #expect(found.map(\.size) == [size])
        let ordered = try await Table<Shape>().order { shape in
          (shape.size.isIn(sized.select { $0.size }) && shape.name != "x").descending
        }.fetchAll(in: database)
        #expect(ordered.first?.size == size)
        try await Table<Shape>().insert(Shape.Draft(name: "4", size: size)).onConflict {
          $0.name
        } update: { row, _ in
          row.weight = sized.select { $0.size.cast(to: Double.self) }.limit(1).scalar()
        }.run(in: database)
        let weights = try await Table<Shape>().where { $0.name == "4" }.fetchAll(in: database)
          .map(\.weight)
        #expect(weights == [Double(size)])
      }
    }
  }

  @Test(
    "a chain of any number of operators runs, or throws SQLite's error",
    arguments: [600, 900, 5_000],
    [true, false])
  func chain(count: Int, isOnLeft: Bool) async throws {
    try await withTemporaryDatabase { database throws in
      try await database.migrate(DatabaseSchema(Shape.self))
      try await Table<Shape>().insert(Shape.Draft(name: "a", size: count), in: database)
      let table = Table<Shape>().where { columns in
        (1..<count).reduce(columns.size == count) { chain, number in
          isOnLeft ? chain || columns.size == number : columns.size == number || chain
        }
      }
      if count < 1_000 { #expect(table.sql.bindings.count == count) }
      if count <= (isOnLeft ? 900 : 600) {
        #expect(try await table.fetchAll(in: database).count == 1)
      } else if count == 900, let rows = try? await table.fetchAll(in: database) {
        // Later versions of SQLite limit the parser's stack. A parenthesis takes three entries.
        #expect(rows.count == 1)
      } else {
        let error = try await failure { try await table.fetchAll(in: database) }
        #expect(error.code == .error || error.code == .range, "\(error.code)")
      }
    }
  }

  /// Secondary threads have a stack of 512 KB on Apple platforms.
  @Test("a long chain of operators needs no deeper stack", arguments: [true, false])
  func stack(isOnLeft: Bool) {
    let length = Mutex(0)
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      let table = Table<Shape>().where { columns in
        (1..<5_000).reduce(columns.size == 0) { chain, number in
          isOnLeft ? chain || columns.size == number : columns.size == number || chain
        }
      }
      length.withLock { $0 = table.sql.text.utf8.count }
      ended.signal()
    }
    thread.stackSize = 256 << 10
    thread.start()
    ended.wait()
    #expect(length.withLock { $0 } > 5_000 * 20)
  }
}

@Selection
private struct Name {
  let name: String
}

@Table("shape")
private struct Shape: Identifiable, Equatable {
  let id: Int64
  @Column(.unique) var name: String
  var size: Int
  var weight: Double?
  var aNameThatIsNoShortText: String?
}

/// Generates SQL of a few shapes with many values.
private struct ShapeGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  private mutating func below(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(truncatingIfNeeded: state >> 33) % count
  }

  private mutating func text() -> String {
    [
      "", "a", "é", "x'; DROP TABLE shape; --", "?",
      "a text of more than fifteen bytes \(below(9))",
    ][
      below(6)]
  }

  private mutating func condition(_ columns: Shape.Columns, depth: Int) -> SQLExpression<Bool?> {
    switch depth > 0 ? below(12) : below(9) {
    case 0: (columns.size == below(9)).condition
    case 1: (columns.name != text()).condition
    case 2: (columns.weight > Double(below(9)))
    case 3: (columns.weight == (below(2) == 0 ? nil : 1.5)).condition
    case 4: columns.aNameThatIsNoShortText.isIn((0..<below(4)).map { _ in text() })
    case 5: (columns.size + below(3) <= columns.id.cast(to: Int.self) * 2).condition
    // Equal text, built again on each call.
    case 6: SQLExpression<Bool?>(SQL(raw: "length(name) > 20 + \(below(3))"))
    case 7: SQLExpression<Bool?>("size > \(below(9)) AND name <> \(text())")
    case 8: columns.size.between(below(3), and: below(9)).condition
    case 9: condition(columns, depth: depth - 1) && condition(columns, depth: depth - 1)
    case 10: condition(columns, depth: depth - 1) || condition(columns, depth: depth - 1)
    default: !condition(columns, depth: depth - 1)
    }
  }

  mutating func table() -> Table<Shape> {
    var table = Table<Shape>().where { condition($0, depth: below(3)) }
    if below(3) == 0 { table = table.where { condition($0, depth: 1) } }
    table = table.order { $0.id }
    return below(2) == 0 ? table : table.limit(below(5), offset: below(3))
  }

  mutating func upsert() -> Insert<Shape> {
    var draft = Shape.Draft(name: "\(below(40)) " + text(), size: below(100))
    if below(2) == 0 { draft.weight = Double(below(9)) }
    if below(2) == 0 { draft.aNameThatIsNoShortText = text() }
    let insert = Table<Shape>().insert(draft)
    switch below(4) {
    case 0:
      return insert.onConflict {
        $0.name
      } update: { row, new in
        row.size = row.size + new.size
      }
    case 1:
      let (limit, note) = (below(9), text())
      return insert.onConflict {
        $0.name
      } update: { row, new in
        row.aNameThatIsNoShortText = note
        row.weight = new.weight
      } where: { row, new in
        row.size < new.size + limit
      }
    case 2: return insert.or(.replace)
    default: return insert.onConflictDoNothing()
    }
  }

  mutating func sql() -> SQL? {
    switch below(6) {
    case 0: return upsert().asStatement.parts.first
    case 1:
      let size = below(9)
      return table().update { $0.size += size }.asStatement.parts.first
    case 2: return Table<Shape>().where { condition($0, depth: 1) }.delete().asStatement.parts.first
    case 3: return table().select { ($0.name, $0.size + 1) }.sql
    default: return table().sql
    }
  }
}
