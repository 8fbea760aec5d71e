import Foundation
import Testing

@testable import MiniORM

@Table private struct Plain: Equatable {
  let id: Int64
  var name = ""
}
@Table private struct Counted: Equatable {
  @Column(.primaryKey(autoincrement: true)) let number: Int
  var name = ""
}
@Table(options: [.strict, .withoutRowID]) private struct Word: Equatable {
  @Column(.primaryKey) let text: String
  var count = 0
}
@Table private struct Thing: Equatable {
  let id: UUID
  var name = ""
}
@Table private struct BytesKey: Equatable {
  @Column(as: .uuidBytes) let id: UUID
  var name = ""
}
@Table private struct TimeKey: Equatable {
  @Column(.primaryKey, as: .unixSeconds) let time: Date
  var name = ""
}
@Table(primaryKey: ["left", "right"]) private struct Pair: Equatable {
  @Column(as: .uuidBytes) let left: UUID
  let right: Int
  var name = ""
}
@Table(primaryKey: ["student", "course", "year"], options: [.strict, .withoutRowID])
private struct Grade: Equatable {
  let course: String
  let year: Int
  let student: Int64
  var grade: Double?
}
@Table private struct Keyless: Equatable {
  var name: String
  var count: Int
}
@Table private struct OnlyKey: Equatable {
  let id: Int64
}
@Table private struct Enumerated: Equatable {
  enum Kind: String, ColumnValue { case a, b }
  @Column(.primaryKey) let kind: Kind
  var name = ""
}

@Suite("Primary keys")
struct PrimaryKeyTests {
  /// Finds, updates and deletes a row by its key.
  private func exercise<T: PrimaryKeyedModel & Equatable>(
    _ row: T, _ key: T.PrimaryKey, changed: T, absent: T
  ) async throws {
    try await withFile(DatabaseSchema(T.self)) { database throws in
      let table = Table<T>()
      #expect(try await table.insert(row, in: database) == row)
      #expect(try await table.find(key, in: database) == row)
      #expect(try await table.where(sql: "1").find(key, in: database) == row)
      #expect(try await table.limit(0).find(key, in: database) == nil)
      #expect(try await table.find(absent.primaryKey, in: database) == nil)
      #expect(try await table.update(changed, in: database))
      #expect(try await table.update(absent, in: database) == false)
      #expect(try await table.fetchAll(in: database) == [changed])
      #expect(try await table.delete(absent, in: database) == false)
      #expect(try await table.delete(absent.primaryKey, in: database) == false)
      let again = try await failure { try await table.insert(changed, in: database) }
      #expect(again.code == .constraintPrimaryKey)
      #expect(try await table.delete(key, in: database))
      #expect(try await table.delete(key, in: database) == false)
      #expect(try await table.fetchAll(in: database) == [])
    }
  }

  @Test("rows are found, updated and deleted by every kind of key")
  func kinds() async throws {
    let (a, b) = (UUID(), UUID())
    try await exercise(Plain(id: 5), 5, changed: Plain(id: 5, name: "n"), absent: Plain(id: 6))
    try await exercise(
      Word(text: "it's"), "it's", changed: Word(text: "it's", count: 1), absent: Word(text: "x"))
    try await exercise(Thing(id: a), a, changed: Thing(id: a, name: "n"), absent: Thing(id: b))
    try await exercise(
      BytesKey(id: a), a, changed: BytesKey(id: a, name: "n"), absent: BytesKey(id: b))
    let (now, then) = (Date(timeIntervalSince1970: 1e9), Date(timeIntervalSince1970: 5))
    try await exercise(
      TimeKey(time: now), now, changed: TimeKey(time: now, name: "n"), absent: TimeKey(time: then))
    try await exercise(
      Pair(left: a, right: 1), (a, 1), changed: Pair(left: a, right: 1, name: "n"),
      absent: Pair(left: b, right: 1))
    try await exercise(
      Grade(course: "c", year: 1, student: 2, grade: nil), (2, "c", 1),
      changed: Grade(course: "c", year: 1, student: 2, grade: 1.5),
      absent: Grade(course: "c", year: 2, student: 2))
    try await exercise(
      Enumerated(kind: .a), .a, changed: Enumerated(kind: .a, name: "n"),
      absent: Enumerated(kind: .b))
    try await exercise(OnlyKey(id: 1), 1, changed: OnlyKey(id: 1), absent: OnlyKey(id: 2))
  }

  @Test("a rowid key is assigned on insertion, and an explicit key is kept")
  func rowID() async throws {
    try await withFile(DatabaseSchema(Plain.self)) { database throws in
      let table = Table<Plain>()
      #expect(
        try await table.insert(Plain.Draft(name: "a"), in: database) == Plain(id: 1, name: "a"))
      #expect(try await table.insert(Plain(id: 41, name: "b"), in: database).id == 41)
      #expect(try await table.insert(Plain.Draft(name: "c"), in: database).id == 42)
      #expect(try await table.insert(Plain(id: -5), in: database).id == -5)
      #expect(try await table.insert(Plain(id: 0), in: database).id == 0)
      // Without AUTOINCREMENT, SQLite reuses the id of a deleted last row.
      #expect(try await table.delete(42, in: database))
      #expect(try await table.insert(Plain.Draft(name: "d"), in: database).id == 42)
    }
  }

  @Test("with AUTOINCREMENT, an id is never reused")
  func autoincrement() async throws {
    try await withFile(DatabaseSchema(Counted.self)) { database throws in
      let table = Table<Counted>()
      #expect(table.schema.columns.map(\.isAutoincrement) == [true, false])
      #expect(Table<Plain>().schema.columns.allSatisfy { !$0.isAutoincrement })
      #expect(try await table.insert(Counted.Draft(), in: database).number == 1)
      #expect(try await table.insert(Counted.Draft(), in: database).number == 2)
      #expect(try await table.delete(2, in: database))
      #expect(try await table.insert(Counted.Draft(), in: database).number == 3)
      #expect(try await table.insert(Counted(number: 10), in: database).number == 10)
      #expect(try await table.deleteAll(in: database) == 3)
      #expect(try await table.insert(Counted.Draft(), in: database).number == 11)
    }
  }

  @Test("a table with only its key")
  func onlyKey() async throws {
    try await withFile(DatabaseSchema(OnlyKey.self)) { database throws in
      let table = Table<OnlyKey>()
      #expect(try await table.insert(OnlyKey.Draft(), in: database) == OnlyKey(id: 1))
      let drafts = Array(repeating: OnlyKey.Draft(), count: 40)
      #expect(try await table.insert(contentsOf: drafts, in: database) == 40)
      #expect(try await table.max(of: { $0.id }, in: database) == 41)
    }
  }

  @Test("a table without a key")
  func keyless() async throws {
    try await withFile(DatabaseSchema(Keyless.self)) { database throws in
      let table = Table<Keyless>()
      let row = Keyless(name: "a", count: 1)
      let rows = [row, row, Keyless(name: "b", count: 2)]
      #expect(try await table.insert(contentsOf: rows, in: database) == 3)
      #expect(try await table.distinct().count(in: database) == 2)
      #expect(
        try await table.distinct().order { $0.name }.fetchAll(in: database)
          == [row, Keyless(name: "b", count: 2)])
      #expect(
        try await table.where { $0.name == "a" }.limit(1).update { $0.count = 9 }
          .run(in: database) == 1)
      #expect(try await table.sum(of: { $0.count }, in: database) == 12)
      #expect(
        try await table.order { $0.count.descending }.limit(1).deleteAll(in: database) == 1)
      #expect(try await table.sum(of: { $0.count }, in: database) == 3)
    }
  }

  @Test("several rows of a composite key are deleted by their keys")
  func compositeKeys() async throws {
    try await withFile(DatabaseSchema(Grade.self)) { database throws in
      let table = Table<Grade>()
      let rows = (1...5).map { Grade(course: "c", year: 2026, student: $0, grade: 1) }
      try await table.insert(contentsOf: rows, in: database)
      let count = try await database.write { db in
        try table.delete(keys: [(1, "c", 2026), (3, "c", 2026), (3, "d", 2026)], in: db)
      }
      #expect(count == 2)
      #expect(
        try await table.order { $0.student.descending }.limit(2).deleteAll(in: database) == 2)
      #expect(try await table.fetchAll(in: database).map(\.student) == [2])
    }
  }
}
