import CSQLCipher
import Foundation

extension HandWritten {
  func fetchTuples() async throws -> Int { try await fetch { try $0.fetchTuples() } }
  func fetchNames() async throws -> Int { try await fetch { try $0.fetchNames() } }
  func fetchPairs() async throws -> Int { try await fetch { try $0.fetchPairs() } }
  func fetchRelated() async throws -> Int {
    let rows = try await actor.run { try $0.fetchRelated() }
    return Self.countChildren(of: rows)
  }
  @inline(never)
  private static func countChildren(of rows: [(Parent, [Child])]) -> Int {
    rows.reduce(0) { $0 + $1.1.count }
  }
  func lookUpByCondition(_ keys: [Int64]) async throws -> Int {
    try await actor.run { raw in
      try raw.execute("BEGIN")
      var found = 0
      for key in keys { found += try raw.fetchItems(key, 0, "Nobody").count }
      try raw.execute("COMMIT")
      return found
    }
  }
  func upsert(_ rows: [Stock.Draft], isPrepared: Bool) async throws -> Int {
    try await scratch.run { try $0.upsert(rows) }
  }
  func fetchRecords() async throws -> Int { try await fetch { try $0.fetchRecords() } }
}

extension RawConnection {
  func fetchTuples() throws -> [(Int64, String, Double)] {
    let s = try statement("SELECT id, name, score FROM item")
    defer { sqlite3_reset(s) }
    var rows: [(Int64, String, Double)] = []
    while sqlite3_step(s) == SQLITE_ROW {
      rows.append((sqlite3_column_int64(s, 0), Self.string(s, 1), sqlite3_column_double(s, 2)))
    }
    return rows
  }

  func fetchNames() throws -> [String] {
    let s = try statement("SELECT name FROM item")
    defer { sqlite3_reset(s) }
    var rows: [String] = []
    while sqlite3_step(s) == SQLITE_ROW { rows.append(Self.string(s, 0)) }
    return rows
  }

  private static func child(_ s: OpaquePointer?) -> Child {
    Child(
      id: sqlite3_column_int64(s, 0), parentID: sqlite3_column_int64(s, 1), name: string(s, 2),
      size: Int(sqlite3_column_int64(s, 3)))
  }

  func fetchPairs() throws -> [(Child, Parent?)] {
    let s = try statement(
      """
      SELECT child.id, child.parentID, child.name, child.size, parent.id, parent.name
      FROM child LEFT JOIN parent ON child.parentID = parent.id
      """)
    defer { sqlite3_reset(s) }
    var rows: [(Child, Parent?)] = []
    while sqlite3_step(s) == SQLITE_ROW {
      let parent =
        sqlite3_column_type(s, 4) == SQLITE_NULL
        ? nil : Parent(id: sqlite3_column_int64(s, 4), name: Self.string(s, 5))
      rows.append((Self.child(s), parent))
    }
    return rows
  }

  func fetchRelated() throws -> [(Parent, [Child])] {
    try execute("BEGIN")
    let parents = try statement("SELECT id, name FROM parent ORDER BY id")
    let children = try statement("SELECT id, parentID, name, size FROM child")
    defer {
      sqlite3_reset(parents)
      sqlite3_reset(children)
    }
    var rows: [(Parent, [Child])] = []
    var places: [Int64: Int] = [:]
    while sqlite3_step(parents) == SQLITE_ROW {
      let id = sqlite3_column_int64(parents, 0)
      places[id] = rows.count
      rows.append((Parent(id: id, name: Self.string(parents, 1)), []))
    }
    while sqlite3_step(children) == SQLITE_ROW {
      let child = Self.child(children)
      if let place = places[child.parentID] { rows[place].1.append(child) }
    }
    try execute("COMMIT")
    return rows
  }

  func fetchItems(_ id: Int64, _ score: Double, _ name: String) throws -> [Item] {
    let s = try statement(
      "SELECT id, name, score FROM item WHERE id = ? AND score >= ? AND name <> ?")
    defer { sqlite3_reset(s) }
    sqlite3_bind_int64(s, 1, id)
    sqlite3_bind_double(s, 2, score)
    Self.bind(name, s, 3)
    var rows: [Item] = []
    while sqlite3_step(s) == SQLITE_ROW {
      rows.append(
        Item(
          id: sqlite3_column_int64(s, 0), name: Self.string(s, 1),
          score: sqlite3_column_double(s, 2)))
    }
    return rows
  }

  func upsert(_ rows: [Stock.Draft]) throws -> Int {
    let s = try statement(
      """
      INSERT INTO stock (name, size) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET size = size + excluded.size
      """)
    try execute("BEGIN IMMEDIATE")
    var count = 0
    for row in rows {
      guard Self.bind(row.name, s, 1) == SQLITE_OK,
        sqlite3_bind_int64(s, 2, Int64(row.size)) == SQLITE_OK, sqlite3_step(s) == SQLITE_DONE
      else { throw RawError(message: "upsert") }
      // As MiniORM counts them: a trigger may have ignored a row.
      count += Int(sqlite3_changes64(sqlite3_db_handle(s)))
      sqlite3_reset(s)
    }
    try execute("COMMIT")
    return count
  }

  func fetchRecords() throws -> [Record] {
    let s = try statement(Record.sql)
    defer { sqlite3_reset(s) }
    var rows: [Record] = []
    while sqlite3_step(s) == SQLITE_ROW {
      guard let id = Self.uuid(s, 0), let created = Self.date(s, 1), let changed = Self.date(s, 2),
        let kind = Kind(rawValue: Self.string(s, 3)), let tags = Self.tags(s, 4)
      else { throw RawError(message: "record") }
      rows.append(Record(id: id, created: created, changed: changed, kind: kind, tags: tags))
    }
    return rows
  }

  private static func bytes(_ s: OpaquePointer?, _ i: Int32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: sqlite3_column_text(s, i), count: Int(sqlite3_column_bytes(s, i)))
  }

  private static func uuid(_ s: OpaquePointer?, _ i: Int32) -> UUID? {
    func digit(_ byte: UInt8) -> UInt8? {
      switch byte {
      case 48...57: byte - 48
      case 97...102: byte - 87
      default: nil
      }
    }
    let text = bytes(s, i)
    guard text.count == 36 else { return nil }
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    return withUnsafeMutableBytes(of: &uuid) { bytes in
      var place = 0
      for index in 0..<16 {
        if [4, 6, 8, 10].contains(index) {
          guard text[place] == UInt8(ascii: "-") else { return nil }
          place += 1
        }
        guard let high = digit(text[place]), let low = digit(text[place + 1]) else { return nil }
        bytes[index] = high << 4 | low
        place += 2
      }
      return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }

  /// `2026-11-22 07:30:00.125`, with up to six digits after the seconds.
  private static func date(_ s: OpaquePointer?, _ i: Int32) -> Date? {
    let text = bytes(s, i)
    guard text.count > 20, text.count <= 26, text[4] == 45, text[7] == 45, text[10] == 32,
      text[13] == 58, text[16] == 58, text[19] == 46
    else { return nil }
    func number(_ range: Range<Int>) -> Int {
      text[range].reduce(0) { $0 * 10 + Int($1 &- 48) }
    }
    let (month, day) = (number(5..<7), number(8..<10))
    let year = month <= 2 ? number(0..<4) - 1 : number(0..<4)
    let (era, yearOfEra) = (year / 400, year % 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days =
      era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    let second =
      days * 86_400 + number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19) - 978_307_200
    var scale = 1
    for _ in 20..<text.count { scale *= 10 }
    return Date(
      timeIntervalSinceReferenceDate: Double(second * scale + number(20..<text.count))
        / Double(scale))
  }

  /// An array of texts without escapes.
  private static func tags(_ s: OpaquePointer?, _ i: Int32) -> [String]? {
    let text = bytes(s, i)
    guard text.count >= 2, text[0] == UInt8(ascii: "[") else { return nil }
    var tags: [String] = []
    var place = 1
    while place < text.count, text[place] != UInt8(ascii: "]") {
      if text[place] == UInt8(ascii: ",") { place += 1 }
      guard place < text.count, text[place] == UInt8(ascii: "\"") else { return nil }
      let start = place + 1
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\"") {
        guard text[end] != UInt8(ascii: "\\") else { return nil }
        end += 1
      }
      guard end < text.count else { return nil }
      tags.append(String(decoding: text[start..<end], as: UTF8.self))
      place = end + 1
    }
    return tags
  }
}
