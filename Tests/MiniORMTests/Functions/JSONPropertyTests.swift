import Testing

@testable import MiniORM

@Table("document")
private struct Document: Equatable {
  let id: Int64
  @Column(as: .json) var content: [String: Int]
  var text: String
  var other: String?
  var flag: Bool
}

/// Grows JSON values, paths and functions, each as a MiniORM expression and as SQL text.
private struct JSONGrower {
  var random: SeededRandom
  private let c = Document.columns
  private let keys = ["a", "b", "a.b", "", "x y", "it's", "[0]", "q\"r", "\\", "日本", "#", "t\tb"]

  init(seed: UInt64) { random = SeededRandom(seed) }

  mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  mutating func key() -> String { keys[pick(keys.count)] }

  private func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
  }

  /// A key as a JSON string.
  private func json(_ key: String) -> String {
    "\"" + key.map { ["\"": "\\\"", "\\": "\\\\", "\t": "\\t"][$0] ?? String($0) }.joined() + "\""
  }

  /// A key in a path, quoted for SQLite.
  private func step(_ key: String) -> String {
    ".\"" + key.map { ["\"": "\\u0022", "\\": "\\\\", "\t": "\\t"][$0] ?? String($0) }.joined()
      + "\""
  }

  mutating func value(_ depth: Int) -> String {
    switch depth > 0 ? pick(8) : pick(6) {
    case 0: return "null"
    case 1: return ["true", "false"][pick(2)]
    case 2: return "\(pick(200) - 100)"
    case 3: return ["0.5", "-1.25e2", "3.0"][pick(3)]
    case 4, 5: return json(key())
    case 6: return "[" + (0..<pick(4)).map { _ in value(depth - 1) }.joined(separator: ",") + "]"
    default: return object(depth)
    }
  }

  mutating func object(_ depth: Int) -> String {
    var used: Set<String> = []
    let members = (0..<pick(5)).compactMap { _ -> String? in
      let key = key()
      let value = value(depth - 1)
      return used.insert(key).inserted ? "\(json(key)):\(value)" : nil
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// A path, and the same path in SQL with another quoting.
  mutating func path() -> (JSONPath, String) {
    var path = JSONPath.root
    var text = "$"
    for _ in 0...pick(2) {
      if pick(3) == 0 {
        let index = pick(5) - 2
        path = "\(path)[\(index)]"
        text += index < 0 ? "[#-\(-index)]" : "[\(index)]"
      } else {
        let key = key()
        path = "\(path).\(key)"
        text += step(key)
      }
    }
    return (path, quoted(text))
  }

  mutating func pair() -> (SQL, String) {
    let (path, sql) = path()
    let (second, other) = self.path()
    let number = pick(100)
    let key = key()
    switch pick(16) {
    case 0: return (c.text.json(path, as: DatabaseText.self).sql, "json_extract(text, \(sql))")
    case 1: return (c.text.json(path, as: JSON<[Int]>.self).sql, "text -> \(sql)")
    case 2: return (c.text.jsonType(path).sql, "json_type(text, \(sql))")
    case 3: return (c.text.jsonArrayLength(path).sql, "json_array_length(text, \(sql))")
    case 4:
      return (
        c.text.jsonExtract(path, second, as: JSON<[Int?]>.self).sql,
        "json_array(text -> \(sql), text -> \(other))"
      )
    case 5: return (c.text.settingJSON(path, to: number).sql, "json_set(text, \(sql), \(number))")
    case 6:
      return (
        c.text.insertingJSON(key, at: path).sql, "json_insert(text, \(sql), \(quoted(key)))"
      )
    case 7:
      return (
        c.text.replacingJSON(path, with: c.flag).sql,
        "json_replace(text, \(sql), json(iif(flag, 'true', 'false')))"
      )
    case 8:
      return (
        c.text.settingJSON(path, to: c.content).sql, "json_set(text, \(sql), json(content))"
      )
    case 9: return (c.text.removingJSON(path, second).sql, "json_remove(text, \(sql), \(other))")
    case 10:
      return (
        c.text.patchingJSON(with: ["a": number]).sql, "json_patch(text, '{\"a\":\(number)}')"
      )
    case 11: return (c.text.patchingJSON(with: c.content).sql, "json_patch(text, content)")
    case 12:
      return (
        SQL.jsonObject(as: Int.self, (key, c.text), ("f", c.flag), ("c", c.content)).sql,
        "json_object(\(quoted(key)), text, 'f', json(iif(flag, 'true', 'false')), 'c', json(content))"
      )
    case 13:
      return (
        SQL.jsonArray(as: Int.self, c.other, c.content, c.text.json(path, as: JSON<Int>.self)).sql,
        "json_array(other, json(content), text -> \(sql))"
      )
    case 14: return (c.other.jsonValid().sql, "json_valid(other)")
    default:
      return (
        c.content.json("$.\(key)", as: Int.self).optionalSum(number).sql,
        "json_extract(content, \(quoted("$" + step(key)))) + \(number)"
      )
    }
  }
}

private typealias DatabaseText = DatabaseValue

extension MiniORM.SQLExpression<Int?> {
  fileprivate func optionalSum(_ number: Int) -> MiniORM.SQLExpression<Int?> { self + number }
}

@Suite("JSON against hand-written SQL")
struct JSONPropertyTests {
  @Test(
    "1,500 generated uses of JSON have the same results as hand-written SQL",
    arguments: [1, 2, 3] as [UInt64])
  func functions(seed: UInt64) async throws {
    var grower = JSONGrower(seed: seed)
    let pairs = (0..<500).map { _ in grower.pair() }
    let documents = (1...20).map { id in
      Document(
        id: Int64(id),
        content: Dictionary(
          (0..<3).map { _ in (grower.key(), grower.pick(9)) }, uniquingKeysWith: { $1 }),
        text: grower.object(3), other: [nil, "x", grower.value(1)][grower.pick(3)],
        flag: grower.pick(2) == 0)
    }
    try await withFile(DatabaseSchema(Document.self)) { database throws in
      try await Table<Document>().insert(contentsOf: documents, in: database)
      let (different, found) = try await database.read { db in
        var different: [String] = []
        var found = 0
        for (sql, text) in pairs {
          var typed: SQL = "SELECT "
          typed.append(sql)
          typed.append(" FROM document ORDER BY id")
          let mine = try db.query(typed).map(\.values)
          let own = try db.query(SQL(raw: "SELECT \(text) FROM document ORDER BY id")).map(\.values)
          if mine != own || mine.count != 20 {
            different.append("\(sql.text)\n\(text)\n\(mine)\n\(own)")
          }
          found += mine.filter { $0 != [.null] }.count
        }
        return (different, found)
      }
      #expect(different == [])
      #expect(found > 3_000)
    }
  }

  @Test(
    "elements and trees of generated JSON equal the results of hand-written SQL",
    arguments: [4, 5] as [UInt64])
  func rows(seed: UInt64) async throws {
    var grower = JSONGrower(seed: seed)
    let documents = (1...60).map { id in
      Document(
        id: Int64(id),
        content: Dictionary(
          (0..<4).map { _ in (grower.key(), grower.pick(9)) }, uniquingKeysWith: { $1 }),
        text: grower.object(5), other: nil, flag: true)
    }
    let table = Table<Document>()
    try await withFile(DatabaseSchema(Document.self)) { database throws in
      try await table.insert(contentsOf: documents, in: database)
      let each = try await table.join { $0.content.jsonEach() }
        .order { ($0.0.id, $0.1.key) }.select { ($0.id, $1.key, $1.value) }.fetchAll(in: database)
      let expected = documents.flatMap { document in
        document.content.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
          .map { (document.id, $0.key, $0.value) }
      }
      #expect("\(each)" == "\(expected)")
      let tree = try await table.join { $0.text.jsonTree() }.order { ($0.0.id, $0.1.id) }
        .select {
          ($0.id, $1.key, $1.value, $1.atom, $1.parent, $1.fullKey, $1.path)
        }.fetchAll(in: database)
      let own = try await database.read { db in
        try db.query(
          """
          SELECT d.id, t.key, t.value, t.atom, t.parent, t.fullkey, t.path
          FROM document AS d, json_tree(d.text) AS t ORDER BY d.id, t.id
          """)
      }
      #expect(tree.count > 150 && tree.count == own.count)
      #expect(
        tree.map {
          [
            .integer($0.0), $0.1, $0.2, $0.3, $0.4.map { .integer(Int64($0)) } ?? .null,
            .text($0.5), .text($0.6),
          ]
        } == own.map(\.values))
    }
  }
}
