import Foundation
import Testing

@testable import MiniORM

@Table("thing")
private struct Thing: Equatable {
  let id: Int64
  @Column(.unique) var code: Int
  @Column(.unique) var name: String?
  var x = 0
  var y: Int?
}

@Table("other")
private struct Other: Equatable {
  let id: Int64
  var code: Int
  var name: String?
  var x = 0
}

private typealias Rows = [String]
private typealias Expr<Value> = MiniORM.SQLExpression<Value>

/// A write built with MiniORM, and the same write as SQL text with literals.
private struct Write: Sendable {
  /// Runs the write, and returns rows or the number of changed rows.
  let run: @Sendable (isolated Connection) throws(DatabaseError) -> Rows
  let text: String
  let returns: Bool
  /// True if the write changes nothing.
  var isEmpty: Bool { text.isEmpty }
}

private struct Writer {
  var random: SeededRandom
  let isInTransaction: Bool
  private let things = Table<Thing>()
  private let others = Table<Other>()

  init(seed: UInt64, isInTransaction: Bool) {
    random = SeededRandom(seed)
    self.isInTransaction = isInTransaction
  }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func number() -> Int { Int.random(in: -4...12, using: &random) }
  private mutating func word() -> String? {
    [nil, "a", "b", "c'c", "é", "f", "日本", "g", ""][pick(9)]
  }
  private func literal(_ text: String?) -> String {
    text.map {
      "'"
        + $0.split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "''") + "'"
    } ?? "NULL"
  }
  private func literal(_ number: Int?) -> String { number.map { "(\($0))" } ?? "NULL" }

  mutating func write() -> Write {
    switch pick(8) {
    case 0, 1, 2: insertion()
    case 3: copy()
    case 4, 5: update()
    case 6: updateFrom()
    default: deletion()
    }
  }

  // MARK: Statements

  private mutating func insertion() -> Write {
    var rows: [String] = []
    var columns = "code, name, x, y"
    var insert: Insert<Thing>
    let count = pick(5)
    if pick(2) == 0 {
      var drafts: [Thing.Draft] = []
      for _ in 0..<count {
        let draft = Thing.Draft(
          code: number(), name: word(), x: number(), y: pick(3) == 0 ? nil : number())
        drafts.append(draft)
        rows.append(
          "(\(draft.code), \(literal(draft.name)), \(draft.x), \(literal(draft.y)))")
      }
      insert = things.insert(contentsOf: drafts)
    } else {
      var models: [Thing] = []
      for _ in 0..<count {
        let model = Thing(
          id: Int64(1 + pick(20)), code: number(), name: word(), x: number(), y: number())
        models.append(model)
        rows.append(
          "(\(model.id), \(model.code), \(literal(model.name)), \(model.x), \(literal(model.y)))")
      }
      insert = things.insert(contentsOf: models)
      columns = "id, code, name, x, y"
    }
    let text = "thing (\(columns)) VALUES " + rows.joined(separator: ", ")
    return insertion(&insert, text, isEmpty: count == 0, "")
  }

  private mutating func copy() -> Write {
    let (condition, filter) = conditionOnOther()
    var insert: Insert<Thing>
    let text: String
    switch pick(3) {
    case 0:
      insert = things.insert(
        into: { ($0.code, $0.name, $0.x) },
        from: others.where { _ in condition }.order { $0.id }
          .select { ($0.code, $0.name, $0.x + 1) })
      text = "thing (code, name, x) SELECT code, name, x + 1 FROM other WHERE \(filter) ORDER BY id"
    case 1:
      insert = things.insert(into: { $0.code }, from: others.select { $0.code }.distinct())
      text = "thing (code) SELECT DISTINCT o.code FROM other AS o WHERE 1 = 1"
    default:
      let bound = number()
      let some = things.where { $0.x > bound }
      let assigns = pick(2) == 0
      insert = things.insert(from: some, assigningRowIDs: assigns)
      let list = assigns ? "code, name, x, y" : "id, code, name, x, y"
      text = "thing (\(list)) SELECT \(list) FROM thing WHERE x > \(bound)"
    }
    return insertion(&insert, text, isEmpty: false, "")
  }

  private mutating func insertion(
    _ insert: inout Insert<Thing>, _ text: String, isEmpty: Bool, _ more: String
  ) -> Write {
    var (head, tail) = ("INSERT INTO ", "")
    if let resolution = resolution() {
      insert = insert.or(resolution)
      head = "INSERT OR \(resolution.rawValue) INTO "
    }
    // A second clause for a target is refused.
    var targets = Set<String>()
    for _ in 0..<[0, 0, 1, 1, 2][pick(5)] {
      let n = number()
      let choice = pick(5)
      let target = ["code", "code", "name", "id", "name"][choice]
      guard targets.insert(target).inserted else { continue }
      switch choice {
      case 0:
        insert = insert.onConflictDoNothing { $0.code }
        tail += " ON CONFLICT (code) DO NOTHING"
      case 1:
        insert = insert.onConflict {
          $0.code
        } update: { row, new in
          row.x += new.x
          row.name = new.name
        }
        tail += " ON CONFLICT (code) DO UPDATE SET x = thing.x + excluded.x, name = excluded.name"
      case 2:
        insert = insert.onConflict {
          $0.name
        } update: { row, new in
          row.y = new.x.optional + row.y
        } where: { row, new in
          row.x < n || new.code == row.code
        }
        tail += " ON CONFLICT (name) DO UPDATE SET y = excluded.x + thing.y "
        tail += "WHERE thing.x < \(n) OR excluded.code = thing.code"
      case 3:
        insert = insert.onConflict {
          $0.id
        } update: { row, new in
          row.code = new.code
        }
        tail += " ON CONFLICT (id) DO UPDATE SET code = excluded.code"
      default:
        insert = insert.onConflictDoNothing { $0.name }
        tail += " ON CONFLICT (name) DO NOTHING"
      }
    }
    switch pick(4) {
    case 0:
      insert = insert.onConflictDoNothing()
      tail += " ON CONFLICT DO NOTHING"
    case 1:
      insert = insert.onConflict { row, new in row.x = 99 }
      tail += " ON CONFLICT DO UPDATE SET x = 99"
    default: break
    }
    return returning(insert, isEmpty ? "" : head + text + tail)
  }

  private mutating func update() -> Write {
    let (table, selection) = selection()
    let (n, kind) = (number(), pick(4))
    var update = table.update {
      switch kind {
      case 0: $0.x += n
      case 1:
        $0.code = $0.code + n
        $0.y = nil
      case 2: $0.name = $0.name.lower()
      default:
        $0.y = $0.x.optional
        $0.x = n
      }
    }
    var head = "UPDATE "
    if let resolution = resolution() {
      update = update.or(resolution)
      head = "UPDATE OR \(resolution.rawValue) "
    }
    let set = [
      "x = x + (\(n))", "code = code + (\(n)), y = NULL", "name = lower(name)", "y = x, x = \(n)",
    ][kind]
    return returning(update, "\(head)thing SET \(set)\(selection)")
  }

  private mutating func updateFrom() -> Write {
    let (table, selection) = selection()
    let (condition, filter) = conditionOnOther()
    let source = others.where { _ in condition }
    let isNamed = pick(2) == 0
    var update =
      isNamed
      // Each row has at most a single matching source row, so the result is determined.
      ? table.update(from: source, on: { $0.id == $1.id }) { thing, other in
        thing.name = other.name
        thing.x = thing.x + other.x * 2
      }
      : table.update(
        from: things.alias("twin").where { $0.x > 0 }, on: { $0.id == $1.id + 1 }
      ) { thing, twin in
        thing.y = twin.x.optional
      }
    var head = "UPDATE "
    if let resolution = resolution() {
      update = update.or(resolution)
      head = "UPDATE OR \(resolution.rawValue) "
    }
    let chosen = "thing.id IN (SELECT id FROM thing\(selection))"
    let text =
      isNamed
      ? "thing SET name = o.name, x = thing.x + 2 * o.x "
        + "FROM (SELECT * FROM other WHERE \(filter)) AS o WHERE thing.id = o.id AND \(chosen)"
      : "thing SET y = t.x FROM thing AS t WHERE thing.id = t.id + 1 AND t.x > 0 AND \(chosen)"
    return returning(update, head + text)
  }

  private mutating func deletion() -> Write {
    let (table, selection) = selection()
    return returning(
      table.where { $0.id > 4 }.delete(),
      "DELETE FROM thing WHERE id IN (SELECT id FROM thing\(limited(selection, "id > 4")))")
  }

  // MARK: Parts

  private mutating func resolution() -> ConflictResolution? {
    let all: [ConflictResolution?] = [
      nil, .ignore, .replace, .fail, .abort, .ignore, nil, .rollback,
    ]
    return all[pick(isInTransaction ? 7 : 8)]
  }

  /// Some rows, and the SQL clauses that select them.
  private mutating func selection() -> (Table<Thing>, String) {
    let n = number()
    var (table, text) = (things, "")
    switch pick(5) {
    case 0: (table, text) = (table.where { $0.x < n }, " WHERE x < \(n)")
    case 1: (table, text) = (table.where { $0.name == nil }, " WHERE name IS NULL")
    case 2:
      let word = word() ?? "q"
      table = table.where { $0.name != word }.where { $0.code % 2 == 0 }
      text = " WHERE name IS NOT \(literal(word)) AND code % 2 = 0"
    case 3: (table, text) = (table.where { $0.y > n || $0.id == 3 }, " WHERE y > \(n) OR id = 3")
    default: text = " WHERE 1"
    }
    guard pick(3) == 0 else { return (table, text) }
    let (limit, offset) = (1 + pick(4), pick(3))
    return (
      table.order { ($0.x.descending, $0.id) }.limit(limit, offset: offset),
      " WHERE id IN (SELECT id FROM thing\(text) ORDER BY x DESC, id LIMIT \(limit) OFFSET \(offset))"
    )
  }

  /// Adds a condition to the clauses of a selection.
  private func limited(_ selection: String, _ condition: String) -> String {
    guard let range = selection.range(of: " ORDER BY ") else {
      return selection.replacing(" WHERE ", with: " WHERE \(condition) AND (", maxReplacements: 1)
        + ")"
    }
    let inner = selection[..<range.lowerBound].dropFirst(" WHERE id IN (SELECT id FROM thing".count)
    return " WHERE id IN (SELECT id FROM thing\(limited(String(inner), condition))"
      + selection[range.lowerBound...]
  }

  private mutating func conditionOnOther() -> (any SQLCondition, String) {
    let n = number()
    switch pick(3) {
    case 0: return (Other.columns.code > n, "code > \(n)")
    case 1: return (Other.columns.name != nil, "name NOT NULL")
    default: return (Other.columns.id % 3 == Int64(0), "id % 3 = 0")
    }
  }

  private mutating func returning(_ change: some Change<Thing>, _ text: String) -> Write {
    let end = text.isEmpty ? "" : text + " RETURNING "
    switch pick(4) {
    case 0:
      return Write(
        run: { (db) throws(DatabaseError) in ["\(try change.run(in: db))"] }, text: text,
        returns: false)
    case 1:
      let returning = change.returning { $0.id }
      return Write(
        run: { (db) throws(DatabaseError) in
          try returning.fetchAll(in: db).map { "\($0)" }.sorted()
        }, text: end.isEmpty ? "" : end + "id", returns: true)
    case 2:
      let returning = change.returning { ($0.id, $0.x * 2, $0.name) }
      return Write(
        run: { (db) throws(DatabaseError) in
          try returning.fetchAll(in: db).map { "\($0.0)|\($0.1)|\($0.2 ?? "-")" }.sorted()
        }, text: end.isEmpty ? "" : end + "id, x * 2, name", returns: true)
    default:
      let returning = change.returning()
      return Write(
        run: { (db) throws(DatabaseError) in
          try returning.fetchAll(in: db).map {
            "\($0.id)|\($0.code)|\($0.name ?? "-")|\($0.x)|\($0.y.map(String.init) ?? "-")"
          }
          .sorted()
        }, text: end.isEmpty ? "" : end + "id, code, name, x, y", returns: true)
    }
  }
}

@Suite("Generated writes")
struct WritePropertyTests {
  /// The rows of a query as text.
  private static func texts(_ rows: [ResultRow]) -> Rows {
    rows.map { row in
      row.values.map { value in
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        default: "-"
        }
      }.joined(separator: "|")
    }
  }

  /// Runs writes on a new file. After each write, records its result or error code and the whole
  /// table.
  private static func history(
    _ writes: [Write], isInTransaction: Bool, _ others: [Other],
    _ run: @escaping @Sendable (Write, isolated Connection) throws(DatabaseError) -> Rows
  ) async throws -> [Rows] {
    try await withFile(DatabaseSchema(Thing.self, Other.self)) { database throws in
      try await Table<Other>().insert(contentsOf: others, in: database)
      return try await database.writer.isolated(isInTransaction ? .immediate : nil) { db in
        var history: [Rows] = []
        for write in writes {
          do throws(DatabaseError) {
            history.append(try run(write, db))
          } catch {
            history.append(["error \(error.code.rawValue)"])
          }
          history.append(texts(try db.query("SELECT id, code, name, x, y FROM thing ORDER BY id")))
        }
        return history
      }
    }
  }

  @Test(
    "1,600 random writes store and return the same rows as hand-written SQL",
    arguments: 0..<8)
  func random(seed: Int) async throws {
    let isInTransaction = seed % 2 == 1
    var writer = Writer(seed: UInt64(seed) + 40, isInTransaction: isInTransaction)
    let writes = (0..<200).map { _ in writer.write() }
    var others: [Other] = []
    for id in 1...12 {
      let name: String? = id % 4 == 0 ? nil : "o\(id % 5)"
      others.append(
        Other(
          id: Int64(id), code: .random(in: 0...30, using: &writer.random),
          name: name, x: .random(in: -3...9, using: &writer.random)))
    }
    let typed = try await Self.history(writes, isInTransaction: isInTransaction, others) {
      (write, db) throws(DatabaseError) in try write.run(db)
    }
    let written = try await Self.history(writes, isInTransaction: isInTransaction, others) {
      (write, db) throws(DatabaseError) in
      if write.isEmpty { return write.returns ? [] : ["0"] }
      guard write.returns else { return ["\(try db.execute(SQL(raw: write.text)))"] }
      return Self.texts(try db.query(SQL(raw: write.text))).sorted()
    }
    #expect(typed.count == 400)
    for (index, write) in writes.enumerated() {
      let places = [2 * index, 2 * index + 1]
      guard places.contains(where: { typed[$0] != written[$0] }) else { continue }
      Issue.record(
        """
        \(write.text)
        typed: \(places.map { typed[$0] })
        written: \(places.map { written[$0] })
        """)
      break
    }
    // Guards against writes without an effect.
    let changing = (1..<200).count { (index: Int) -> Bool in
      typed[2 * index + 1] != typed[2 * index - 1]
    }
    #expect(changing > 60)
    #expect(typed.contains { $0.first?.hasPrefix("error") == true })
  }
}
