import Foundation
import Testing

@testable import MiniORM

/// Columns of most types.
@Table("sample") struct TypeSample: Equatable {
  let id: Int64
  var int: Int
  var int8: Int8
  var int16: Int16?
  var int32: Int32
  var uint: UInt
  var uint8: UInt8?
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64?
  var bool: Bool
  var flag: Bool?
  var double: Double
  var real: Double?
  var float: Float
  var text: String
  var note: String?
  var data: Data
  var bytes: [UInt8]?
  var date: Date
  var end: Date?
  var uuid: UUID

  /// The bit patterns, which distinguish 0.0 and -0.0.
  var bits: [UInt64] {
    [double.bitPattern, real?.bitPattern ?? 1, UInt64(float.bitPattern)]
      + [date, end ?? date].map(\.timeIntervalSinceReferenceDate.bitPattern)
  }
}

extension TypeSample.Draft {
  init(_ random: inout SeededRandom) {
    func some<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    func double() -> Double {
      let usual: [Double] = [
        0, -0.0, 1, -1.5, .infinity, -.infinity, .greatestFiniteMagnitude, 1e300,
        .leastNonzeroMagnitude,
      ]
      let any = Double(bitPattern: random.next())
      return some(usual.randomElement(using: &random) ?? 0) ?? (any.isNaN ? 0 : any)
    }
    func text() -> String {
      let pieces = [
        "", "a", "é", "e\u{301}", "日本", "\0", "'", "007", "1e3", "\u{FFFE}", "\u{FFFF}", "🎈",
      ]
      return (0..<Int.random(in: 0...4, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }
      .joined()
    }
    func bytes() -> [UInt8] {
      (0..<Int.random(in: 0...5, using: &random)).map { _ in .random(in: 0...255, using: &random) }
    }
    func date() -> Date {
      let usual: [Double] = [
        0, -0.0, 0.1, -0.1, 1e-300, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        86399.9999999999,
      ]
      return Date(
        timeIntervalSinceReferenceDate: some(usual.randomElement(using: &random) ?? 0)
          ?? .random(in: -1e9...1e10, using: &random))
    }
    let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
    let uuid = withUnsafeBytes(of: (random.next(), random.next())) {
      $0.loadUnaligned(as: uuid_t.self)
    }
    self.init(
      int: .random(in: .min ... .max, using: &random),
      int8: .random(in: -128...127, using: &random),
      int16: some(.random(in: .min ... .max, using: &random)),
      int32: .random(in: .min ... .max, using: &random),
      uint: .random(in: 0...UInt(Int.max), using: &random),
      uint8: some(.random(in: 0...255, using: &random)),
      uint16: .random(in: 0...UInt16.max, using: &random),
      uint32: .random(in: 0...UInt32.max, using: &random),
      uint64: some(.random(in: 0...UInt64(Int64.max), using: &random)),
      bool: .random(using: &random),
      flag: some(.random(using: &random)), double: double(), real: some(double()),
      float: float.isNaN ? -0.0 : float,
      text: text(), note: some(text()), data: Data(bytes()), bytes: some(bytes()), date: date(),
      end: some(date()),
      uuid: UUID(uuid: uuid))
  }
}

@Table("pebble", options: []) private struct Pebble: Equatable {
  let id: Int64
  var number: Int
  var text: String
  var real: Double?
}

/// The same columns with other types.
@Table("pebble", options: []) private struct WordPebble: Equatable {
  let id: Int64
  var number: String
  var text: String
  var real: Double?
}

/// A model with a property that is not stored.
@Table("pebble", options: []) private struct Marked: Equatable {
  let id: Int64
  var number: Int
  var text: String
  var real: Double?
  @Transient var mark = 0
}

private let samples = Table<TypeSample>()
private let pebbles = Table<Pebble>()

@Suite("Values of rows returned by insertions")
struct StoredValueTests {
  @Test(
    "the returned values equal the stored values, for random values of each type", arguments: 0..<8)
  func values(seed: UInt64) async throws {
    var random = SeededRandom(seed)
    let drafts = (0..<60).map { _ in TypeSample.Draft(&random) }
    try await withFile(DatabaseSchema(TypeSample.self)) { database throws in
      let stored = try await database.write { db throws in
        var stored = try drafts.map { try samples.insert($0, in: db) }
        for row in stored {
          var other = row
          other.text += "!"
          try samples.delete(row.id, in: db)
          stored[Int(row.id) - 1] = try samples.insert(other, in: db)
        }
        return stored
      }
      let alone = try await samples.insert(drafts[0], in: database)
      let read = try await samples.order { $0.id }.fetchAll(in: database)
      #expect(read.count == drafts.count + 1)
      #expect(read == stored + [alone])
      #expect(read.map(\.bits) == (stored + [alone]).map(\.bits))
    }
  }

  @Test(
    "a table that converts values returns the converted values",
    arguments: [
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text INTEGER, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text NUMERIC, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number REAL, text TEXT, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number TEXT, text TEXT, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, real TEXT)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, real INTEGER)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY DESC, number INTEGER, text TEXT, real REAL)",
      "CREATE TABLE pebble (number INTEGER, text TEXT, real REAL)",
      "CREATE TABLE pebble (id INTEGER AS (number), number INTEGER, text TEXT, real REAL)",
      "CREATE TABLE pebble (id INTEGER DEFAULT 7, number INTEGER, text TEXT, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, real REAL NOT NULL ON CONFLICT REPLACE DEFAULT 9)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT UNIQUE ON CONFLICT REPLACE, real REAL)",
      "CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, real REAL) WITHOUT ROWID",
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, real REAL)",
      """
      CREATE TABLE pebble (id INTEGER PRIMARY KEY, number INTEGER, text TEXT, real REAL);
      CREATE TRIGGER change AFTER INSERT ON pebble BEGIN UPDATE pebble SET text = 'changed' WHERE id = NEW.id; END
      """,
      // A table that stores values unchanged and has other columns.
      "CREATE TABLE PEBBLE (more DEFAULT 3, REAL real, TEXT text, id integer primary key, number Integer, twice AS (number * 2)) ",
    ])
  func otherTables(script: String) async throws {
    let texts = ["007", "1e3", "0x10", " 12", "\u{FFFE}", "9223372036854775808", "abc", ""]
    try await withTemporaryPath { path throws in
      try runSQL(script, on: path, key: "x'\(testKeyBytes.hexadecimal)'")
      let database = try await Database(path: path, key: .raw(testKeyBytes))
      for text in texts {
        for insertsDrafts in [true, false] {
          try await database.write { db throws in
            for n in 1...3 {
              // If the model cannot read its row, the row is not stored.
              let before = try db.query("SELECT * FROM pebble")
              do {
                let (number, real) = (n << 53 + 1, n == 1 ? nil : Double(n) + 0.5)
                let stored =
                  if insertsDrafts {
                    try pebbles.insert(Pebble.Draft(number: number, text: text, real: real), in: db)
                  } else {
                    try pebbles.insert(
                      Pebble(id: Int64(n) - 1000, number: number, text: text, real: real), in: db)
                  }
                let values = try db.query(
                  "SELECT id, number, text, real FROM pebble WHERE id = \(stored.id)"
                ).last
                #expect(try values?[1]?.value(as: Int.self) == stored.number)
                #expect(try values?[2]?.value(as: String.self) == stored.text)
                #expect(try values?[3]?.value(as: Double?.self) == stored.real)
                if script.contains("TRIGGER") { #expect(stored.text == "changed") }
              } catch is DatabaseError {
                #expect(try db.query("SELECT * FROM pebble") == before)
              }
            }
            try db.execute("DELETE FROM pebble")
          }
        }
      }
      try await database.close()
    }
  }

  @Test(
    "schema changes in the transaction affect the returned row",
    arguments: [
      "CREATE TRIGGER change AFTER INSERT ON pebble BEGIN UPDATE pebble SET text = 'b' WHERE id = NEW.id; END",
      "CREATE TEMP TRIGGER change AFTER INSERT ON pebble BEGIN UPDATE pebble SET text = 'b' WHERE id = NEW.id; END",
      "ALTER TABLE pebble RENAME TO old; CREATE TABLE pebble (id INTEGER PRIMARY KEY, number TEXT, text INTEGER, real REAL)",
    ], [false, true])
  func changedTable(script: String, isScript: Bool) async throws {
    try await withFile(DatabaseSchema(Pebble.self)) { database throws in
      try await database.write { db throws in
        let draft = Pebble.Draft(number: 1, text: "007", real: 0.5)
        for _ in 0..<3 { #expect(try pebbles.insert(draft, in: db).text == "007") }
        if isScript || script.contains("; ") && !script.contains("BEGIN") {
          try db.execute(script: script)
        } else {
          try db.execute(SQL(raw: script))
        }
        for _ in 0..<3 {
          do {
            let stored = try pebbles.insert(draft, in: db)
            let text = try db.value(String.self, "SELECT text FROM pebble WHERE id = \(stored.id)")
            #expect(stored.text == text)
            if script.contains("TRIGGER") { #expect(text == "b") }
          } catch let error as DatabaseError {
            #expect(error.operation == .read)
            #expect(try db.value(Int.self, "SELECT count(*) FROM pebble") == 0)
          }
        }
      }
    }
  }

  @Test("recompiled statements store the same rows as before")
  func compiledAnew() async throws {
    try await withFile(DatabaseSchema(Pebble.self)) { database throws in
      try await database.write { db throws in
        for n in 1...6 {
          let stored = try pebbles.insert(
            Pebble.Draft(number: n, text: "\(n)", real: n == 4 ? -0.0 : 0), in: db)
          #expect(stored == Pebble(id: Int64(n), number: n, text: "\(n)", real: 0))
          #expect(stored.real?.sign == .plus)
          // Expires the statements, as the start of a row observation does.
          try db.cache?.authorizer?.install(on: db.handle)
        }
        #expect(try pebbles.count(in: db) == 6)
      }
    }
  }

  @Test("models that share a statement read the row as their own type")
  func twoModels() async throws {
    let words = Table<WordPebble>()
    try await withFile(DatabaseSchema(Pebble.self)) { database throws in
      try await database.write { db throws in
        for n in 1...4 {
          #expect(try pebbles.insert(Pebble.Draft(number: n, text: "a"), in: db).number == n)
          // Integer affinity stores the digits as an integer.
          let error = #expect(throws: DatabaseError.self) {
            try words.insert(WordPebble.Draft(number: "00\(n)", text: "a"), in: db)
          }
          #expect(error?.operation == .read)
          #expect(try pebbles.insert(Pebble.Draft(number: n, text: "b"), in: db).number == n)
        }
        #expect(
          try pebbles.order { $0.id }.fetchAll(in: db).map(\.number) == [1, 1, 2, 2, 3, 3, 4, 4])
      }
    }
  }

  @Test("stored properties without a column are not part of the row")
  func transient() async throws {
    let marked = Table<Marked>()
    try await withFile(DatabaseSchema(Pebble.self)) { database throws in
      try await database.write { db throws in
        for n in Int64(1)...3 {
          let row = Marked(id: n, number: 1, text: "a", mark: 7)
          #expect(try marked.insert(row, in: db) == Marked(id: n, number: 1, text: "a"))
          #expect(try marked.insert(Marked.Draft(number: 1, text: "a"), in: db).mark == 0)
          try db.execute("DELETE FROM pebble")
        }
      }
    }
  }
}
