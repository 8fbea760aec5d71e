import Foundation
import Testing

@testable import MiniORM

private enum Old {
  enum Kind: String, ColumnValue { case a, b }

  @Table("item") struct Item: Equatable {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
    var name: String
    var note: String?
    var kind: Kind = .a
    var otherID: Int64?
  }
  @Table("other") struct Other: Equatable {
    let id: Int64
    var title: String
  }
}

private enum New {
  enum Kind: String, ColumnValue { case a, b, c }

  /// The order in which values are compared changes, too.
  @Table("item") struct Milliseconds {
    let id: Int64
    @Column(as: .unixMilliseconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
    var name: String
    var note: String?
    var kind: Old.Kind = .a
    var otherID: Int64?
  }
  @Table("item") struct Scale {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 3)) var price: Decimal
    var name: String
    var note: String?
    var kind: Old.Kind = .a
    var otherID: Int64?
  }
  @Table("item") struct Removed {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
    var note: String?
    var kind: Old.Kind = .a
    var otherID: Int64?
  }
  @Table("item") struct Renamed {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
    @Column(renamedFrom: "name") var title: String
    var note: String?
    var kind: Old.Kind = .a
    var otherID: Int64?
  }
  @Table("item") struct Case {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
    var name: String
    var note: String?
    var kind: Kind = .a
    var otherID: Int64?
  }
  @Table("item") struct Required {
    let id: Int64
    @Column(as: .unixSeconds) var at: Date
    @Column(as: .decimal(scale: 2)) var price: Decimal
    var name: String
    var note: String
    var kind: Old.Kind = .a
    var otherID: Int64?
  }
}

private let items = Table<Old.Item>()
private let others = Table<Old.Other>()
private let moment = Date(timeIntervalSince1970: 1_700_000_000)

/// A newer program migrates a file that an older program has open. The data keep their meaning, so each
/// read of the older program must return what it returned before, or throw a documented error.
@Suite("An older program beside a newer one")
struct OlderProgramTests {
  enum Change: CaseIterable {
    case milliseconds, scale, removed, renamed, enumCase, required

    fileprivate func schema(_ version: Int32) -> DatabaseSchema {
      switch self {
      case .milliseconds: DatabaseSchema(version: version, New.Milliseconds.self, Old.Other.self)
      case .scale: DatabaseSchema(version: version, New.Scale.self, Old.Other.self)
      case .removed: DatabaseSchema(version: version, New.Removed.self, Old.Other.self)
      case .renamed: DatabaseSchema(version: version, New.Renamed.self, Old.Other.self)
      case .enumCase: DatabaseSchema(version: version, New.Case.self, Old.Other.self)
      case .required: DatabaseSchema(version: version, New.Required.self, Old.Other.self)
      }
    }

    /// The beginning of the error of each read of table item; nil if reads keep working.
    fileprivate var error: String? {
      switch self {
      case .milliseconds:
        "Another program has migrated the file: column item.at is stored as unixMilliseconds, and "
          + "this program reads unixSeconds. "
      case .scale:
        "Another program has migrated the file: column item.price is stored as decimal(3), and this "
          + "program reads decimal(2). "
      case .removed, .renamed: "no such column: "
      case .enumCase, .required: nil
      }
    }

    /// True if the newer program stores values that the older program did not know.
    fileprivate var isFormat: Bool { self == .milliseconds || self == .scale }
  }

  private typealias Read = (
    name: String, usesName: Bool, run: @Sendable (Database) async throws -> String
  )

  private static let paged = PreparedQuery(Int.self) { items.order { $0.id }.limit($0) }

  private static let reads: [Read] = [
    ("fetchAll", true, { "\(try await items.order { $0.id }.fetchAll(in: $0))" }),
    ("find", true, { "\(String(describing: try await items.find(1, in: $0)))" }),
    ("prepared", true, { "\(try await paged.fetchAll(2, in: $0))" }),
    (
      "where by date", true,
      { "\(try await items.where { $0.at == moment }.fetchAll(in: $0))" }
    ),
    ("count by date", false, { "\(try await items.where { $0.at <= moment }.count(in: $0))" }),
    (
      "count by price", false,
      { "\(try await items.where { $0.price < 5 }.count(in: $0))" }
    ),
    ("sum", false, { "\(String(describing: try await items.sum(of: { $0.price }, in: $0)))" }),
    (
      "columns", false,
      { "\(try await items.order { $0.id }.select { ($0.at, $0.price) }.fetchAll(in: $0))" }
    ),
    (
      "join", false,
      { database in
        let pairs = try await others.join(items) { $0.id.optional == $1.otherID }
          .select { ($0.title, $1.at, $1.price) }.fetchAll(in: database)
        return "\(pairs)"
      }
    ),
    (
      "subquery", false,
      { database in
        let late = items.where { $0.at > moment }.select { $0.id }
        return "\(try await others.where { $0.id.isIn(late) }.fetchAll(in: database))"
      }
    ),
    (
      "in one transaction", true,
      { try await $0.read { db in "\(try items.find(2, in: db) as Any)" } }
    ),
    (
      "in a write", true, { try await $0.write { db in "\(try items.find(2, in: db) as Any)" } }
    ),
    (
      "without a transaction", true,
      { try await $0.withoutTransaction { db in "\(try items.find(2, in: db) as Any)" } }
    ),
    (
      "row by row", true,
      { database in
        try await database.read { db in
          var rows: [Old.Item] = []
          try items.order { $0.id }.forEach(in: db) { rows.append($0) }
          return "\(rows)"
        }
      }
    ),
  ]

  private static func create(_ file: borrowing TemporaryFile) async throws -> Database {
    let database = try await file.open()
    try await database.migrate(DatabaseSchema(version: 1, Old.Item.self, Old.Other.self))
    try await others.insert(
      contentsOf: [Old.Other(id: 1, title: "x"), .init(id: 2, title: "y")], in: database)
    let rows = [
      Old.Item(id: 1, at: moment - 1, price: 3.25, name: "n1", note: "note", otherID: 1),
      Old.Item(id: 2, at: moment, price: 6.25, name: "n2", note: "note", kind: .b, otherID: 1),
      Old.Item(id: 3, at: moment + 1, price: 9.25, name: "n3", note: "note"),
    ]
    try await items.insert(contentsOf: rows, in: database)
    return database
  }

  @Test(
    "after a change of a column, each read is right or throws the documented error",
    arguments: Change.allCases, [1, 2] as [Int32])
  func reads(change: Change, version: Int32) async throws {
    let file = TemporaryFile()
    let (warm, cold) = (try await Self.create(file), try await file.open())
    try await cold.migrate(DatabaseSchema(version: 1, Old.Item.self, Old.Other.self))
    var right: [String] = []
    for read in Self.reads { right.append(try await read.run(warm)) }
    let snapshot = try await warm.snapshot()
    let before = try await snapshot.read { db in "\(try items.find(1, in: db) as Any)" }

    let new = try await file.open()
    try await new.migrate(change.schema(version), allowingDrops: true)

    for database in [warm, cold] {
      for (read, right) in zip(Self.reads, right) {
        let found: Result<String, DatabaseError>
        do {
          found = .success(try await read.run(database))
        } catch let error as DatabaseError {
          found = .failure(error)
        }
        switch found {
        case .success(let text):
          #expect(text == right, "\(read.name)")

          #expect(!change.isFormat && (change.error == nil || !read.usesName), "\(read.name)")
        case .failure(let error):
          let isWrite = read.name == "in a write" && version == 2
          let isNewer = error.message.hasPrefix("The file was migrated by a newer program")
          #expect(
            isWrite && isNewer || error.message.hasPrefix(change.error ?? "no error"),
            "\(read.name): \(error)")
        }
      }
      // The change does not concern this table.
      let titles = try await others.order { $0.id }.fetchAll(in: database).map(\.title)
      #expect(titles == ["x", "y"])
      let report = try await database.schemaReport(for: change.schema(version))
      #expect(report.isEmpty)
    }
    // The snapshot is older than the migration.
    let after = try await snapshot.read { db in "\(try items.find(1, in: db) as Any)" }
    #expect(after == before)
    snapshot.close()
    for database in [warm, cold, new] { try await database.close() }
  }

  @Test(
    "after a change of a format, the older program cannot write, even at the same version",
    arguments: [Change.milliseconds, .scale])
  func writes(change: Change) async throws {
    let file = TemporaryFile()
    let (old, new) = (try await Self.create(file), try await file.open())
    let item = try #require(try await items.find(1, in: old))
    try await new.migrate(change.schema(1))
    let stored = try await new.values("SELECT quote(at) || quote(price) FROM item")
    let writes: [@Sendable (Database) async throws -> Void] = [
      { try await items.insert(.init(at: moment, price: 1, name: "new"), in: $0) },
      {
        try await items.insert(
          contentsOf: [Old.Item.Draft(at: moment, price: 1, name: "new")], in: $0)
      },
      { try await items.update(item, in: $0) },
      { try await items.upsert(item, in: $0) },
      { try await items.where { $0.price > 4 }.update { $0.at = moment }.run(in: $0) },
      { try await items.where { $0.at < moment }.delete().run(in: $0) },
      { try await items.delete(1, in: $0) },
      { _ = try await $0.write { try $0.execute("UPDATE item SET at = 8") } },
      { _ = try await $0.write(.deferred) { try $0.execute("UPDATE item SET at = 8") } },
      { _ = try await $0.withoutTransaction { try $0.execute("UPDATE item SET at = 8") } },
      { try await $0.withoutTransaction { try $0.execute(script: "UPDATE item SET at = 8") } },
      { try await $0.write { try $0.execute(script: "UPDATE item SET at = 8") } },
    ]
    for (number, write) in writes.enumerated() {
      let error = try await failure { try await write(old) }
      #expect(error.message.hasPrefix(change.error ?? ""), "\(number): \(error)")
      let now = try await new.values("SELECT quote(at) || quote(price) FROM item")
      #expect(now == stored, "\(number)")
    }
    // Another table has no changed column.
    try await others.insert(Old.Other(id: 3, title: "z"), in: old)
    // After its own migration, the program reads its format again.
    try await old.migrate(DatabaseSchema(version: 1, Old.Item.self, Old.Other.self))
    #expect(try await items.find(1, in: old) == item)
    let reading = try await failure { try await Table<New.Milliseconds>().fetchAll(in: new) }
    #expect(reading.message.hasPrefix("Another program has migrated the file: "))
    for database in [old, new] { try await database.close() }
  }

  @Test("between two steps of a newer program, the older program reads what a step has changed")
  func claims() async throws {
    struct Stop: Error {}
    let file = TemporaryFile()
    let (old, new) = (try await Self.create(file), try await file.open())
    let steps = [
      DatabaseSchema.Step(to: 2, "marks", .sql("UPDATE item SET name = name || '.', at = at")),
      DatabaseSchema.Step(to: 3, "stops", .run { _ in throw Stop() }),
    ]
    await #expect(throws: DatabaseError.self) {
      try await new.migrate(
        DatabaseSchema(version: 3, Old.Item.self, Old.Other.self, steps: steps))
    }
    let claims = try await new.values(
      "SELECT count(*) FROM miniorm_columns WHERE col IN ('at', 'name') AND format LIKE '?%'")
    #expect(claims == [.integer(2)])
    let read = try await items.fetchAll(in: old)
    #expect(!read.isEmpty && read.allSatisfy { $0.name.hasSuffix(".") })
    for database in [old, new] { try await database.close() }
  }

  @Test("an unknown case of an enum throws an error that names the column, and other rows are read")
  func unknownCase() async throws {
    let file = TemporaryFile()
    let (old, new) = (try await Self.create(file), try await file.open())
    try await new.migrate(Change.enumCase.schema(1))
    try await Table<New.Case>().where { $0.id == 3 }.update { $0.kind = .c }.run(in: new)
    let error = try await failure { try await items.fetchAll(in: old) }
    #expect(error.message.contains("not a raw value of Kind") && error.column == "kind")
    let known = try await items.where { $0.kind == .b }.fetchAll(in: old).map(\.id)
    #expect(known == [2])
    for database in [old, new] { try await database.close() }
  }

  @Test("a column that became NOT NULL refuses the older program's NULL, and stores nothing")
  func requiredColumn() async throws {
    let file = TemporaryFile()
    let (old, new) = (try await Self.create(file), try await file.open())
    try await new.migrate(Change.required.schema(1))
    let error = try await failure {
      try await items.insert(.init(at: moment, price: 1, name: "new"), in: old)
    }
    #expect(error.code.primary == .constraint && error.column == "note")
    let count = try await items.count(in: old)
    #expect(count == 3)
    for database in [old, new] { try await database.close() }
  }
}
