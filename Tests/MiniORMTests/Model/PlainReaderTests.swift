import Testing

@testable import MiniORM

@Suite("Columns of one value with specialized readers")
struct PlainReaderTests {
  /// The result or the error of a closure, as text.
  private static func outcome<Value>(_ body: () throws(DatabaseError) -> [Value]) -> String {
    do throws(DatabaseError) {
      return "\(try body())"
    } catch {
      return "\(error.code) \(error.message) \(error.column ?? "")"
    }
  }

  @Test("a single value is read or refused as in a tuple", arguments: 0..<4)
  func likeTuples(seed: Int) async throws {
    let values = [
      "NULL", "0", "-7", "9223372036854775807", "1.5", "3.0", "9e99", "''", "'a'", "'é'", "'7'",
      "'a text of more than fifteen bytes'", "x''", "x'61'", "CAST(x'ff61' AS TEXT)",
      "'\(String(repeating: "long é ", count: 40))'",
    ]
    // Not STRICT, so that each column stores any value.
    let script =
      "CREATE TABLE reading (id INTEGER PRIMARY KEY, text, count, big, real);"
      + values.indices.map { index in
        let some = (0..<4).map { values[(index + $0 * (seed + 1)) % values.count] }
        return
          "INSERT INTO reading (text, count, big, real) VALUES (\(some.joined(separator: ", ")))"
      }.joined(separator: ";")
    try await withTemporaryDatabase(script: script) { database in
      try await database.read { db in
        for id in 1...Int64(values.count) {
          let row = Table<Reading>().where { $0.id == id }
          let all = Table<Reading>().where { $0.id <= id }
          for table in [row, all] {
            #expect(
              Self.outcome { () throws(DatabaseError) in
                try table.select { $0.text }.fetchAll(in: db)
              }
                == Self.outcome { () throws(DatabaseError) in
                  try table.select { ($0.text, $0.id) }.fetchAll(in: db).map(\.0)
                })
            #expect(
              Self.outcome { () throws(DatabaseError) in
                try table.select { $0.count }.fetchAll(in: db)
              }
                == Self.outcome { () throws(DatabaseError) in
                  try table.select { ($0.count, $0.id) }.fetchAll(in: db).map(\.0)
                })
            #expect(
              Self.outcome { () throws(DatabaseError) in
                try table.select { $0.big }.fetchAll(in: db)
              }
                == Self.outcome { () throws(DatabaseError) in
                  try table.select { ($0.big, $0.id) }.fetchAll(in: db).map(\.0)
                })
            #expect(
              Self.outcome { () throws(DatabaseError) in
                try table.select { $0.real }.fetchAll(in: db)
              }
                == Self.outcome { () throws(DatabaseError) in
                  try table.select { ($0.real, $0.id) }.fetchAll(in: db).map(\.0)
                })
          }
        }
      }
    }
  }
}

@Table("reading")
private struct Reading: Identifiable {
  let id: Int64
  var text: String
  var count: Int
  var big: Int64
  var real: Double
}
