import Foundation
import Testing

@testable import MiniORM

private enum Keys {
  @Table("owner") struct ByText { let id: UUID }
  @Table("owner") struct ByBytes { @Column(as: .uuidBytes) let id: UUID }
  @Table("owner") struct ByNumber { let id: Int64 }
  @Table("owner") struct ByName { @Column(.primaryKey, .collate(.nocase)) let id: String }
  @Table("owner") struct ByCents { @Column(as: .decimal(scale: 2), .primaryKey) let id: Decimal }
  @Table("owner") struct BySeconds { @Column(as: .unixSeconds, .primaryKey) let id: Date }

  @Table("pet") struct OfText {
    let id: Int64
    @Column(.references(table: "owner")) var owner: UUID
  }
  @Table("pet") struct OfBytes {
    let id: Int64
    @Column(as: .uuidBytes, .references(table: "owner")) var owner: UUID?
  }
  @Table("pet") struct OfInt32 {
    let id: Int64
    @Column(.references(table: "owner")) var owner: Int32
  }
  @Table("pet") struct OfString {
    let id: Int64
    @Column(.references(table: "owner")) var owner: String
  }
  @Table("pet") struct OfName {
    let id: Int64
    @Column(.references(table: "owner"), .collate(.nocase)) var owner: String
  }
  @Table("pet") struct OfMills {
    let id: Int64
    @Column(as: .decimal(scale: 3), .references(table: "owner")) var owner: Decimal
  }
  @Table("pet") struct OfDate {
    let id: Int64
    @Column(.references(table: "owner")) var owner: Date
  }
  @Table("pet") struct OfMissing {
    let id: Int64
    @Column(.references(table: "owner", "name")) var owner: String
  }
  @Table("pet") struct OfValue {
    let id: Int64
    @Column(.references(table: "owner")) var owner: DatabaseValue
  }

  @Table("device") struct Device {
    struct ID: RawRepresentable, ColumnValue, Hashable { var rawValue: UUIDBytes }
    var id: ID = ID(rawValue: UUIDBytes(.v7()))
    var name: String
  }
  @Table("sample") struct Sample {
    let id: Int64
    @Column(.references(Device.self)) var device: Device.ID
  }

  @Table("place") struct Place {
    let country: String
    @Column(as: .uuidBytes) let code: UUID
    static var constraints: [TableConstraint<Place>] { [.unique { ($0.country, $0.code) }] }
  }
  @Table("plot", primaryKey: ["owner", "mark"]) struct Plot {
    @Column(.references(ByName.self), .collate(.nocase)) let owner: String
    @Column(.collate(.rtrim)) let mark: String
  }
  @Table("visit") struct Visit {
    let id: Int64
    @Column(.collate(.rtrim)) var owner: String
    var mark: String
    static var constraints: [TableConstraint<Visit>] {
      [TableConstraint(sql: "FOREIGN KEY (owner, mark) REFERENCES plot")]
    }
  }

  @Table("stay") struct Stay {
    let id: Int64
    var country: String
    var code: UUID
    static var constraints: [TableConstraint<Stay>] {
      [TableConstraint(sql: "FOREIGN KEY (country, code) REFERENCES place (country, code)")]
    }
  }
}

@Suite("Foreign keys of a schema")
struct ForeignKeyCheckTests {
  private static let parents: [any Model.Type] = [
    Keys.ByText.self, Keys.ByBytes.self, Keys.ByNumber.self, Keys.ByName.self, Keys.ByCents.self,
    Keys.BySeconds.self,
  ]
  /// The children, each with the only parent that it matches.
  private static let children: [(any Model.Type, Int?)] = [
    (Keys.OfText.self, 0), (Keys.OfBytes.self, 1), (Keys.OfInt32.self, 2), (Keys.OfName.self, 3),
    (Keys.OfString.self, 3), (Keys.OfMills.self, nil), (Keys.OfDate.self, nil),
    (Keys.OfMissing.self, nil),
  ]

  @Test("match the parent's type and format, or migrate refuses before any write")
  func pairs() async throws {
    for (child, match) in Self.children {
      for (index, parent) in Self.parents.enumerated() {
        let schema = DatabaseSchema([child, parent])
        if index == match {
          try await withFile(schema) { _ in }
          continue
        }
        try await withTemporaryDatabase { database throws in
          let error = try await failure { try await database.migrate(schema) }
          #expect(error.operation == .migrate)
          #expect(error.message.contains("pet.owner references"), "\(error)")
          #expect(error.message.contains("owner"), "\(error)")
          #expect(error.table == "pet" && error.column == "owner", "\(error)")
          #expect(try await database.values("SELECT count(*) FROM sqlite_schema") == [.integer(0)])
        }
      }
    }
  }

  @Test("a DatabaseValue matches every parent", arguments: parents.indices)
  func anyValue(parent: Int) async throws {
    try await withFile(DatabaseSchema([Keys.OfValue.self, Self.parents[parent]])) { _ in }
  }

  @Test("of several columns are compared column by column")
  func composite() async throws {
    try await withTemporaryDatabase { database throws in
      let error = try await failure {
        try await database.migrate(DatabaseSchema(Keys.Place.self, Keys.Stay.self))
      }
      #expect(
        error.message
          == "stay.code references place.code, but they store equal values differently, as UUID and UUIDBytes: write '@Column(as: .uuidBytes)' on stay.code"
      )
    }
  }

  @Test("name the attribute that the child lacks, or the type if the Swift types differ")
  func advice() async throws {
    let same = "declare both with the same type and the same @Column(as:)"
    let cases: [(any Model.Type, any Model.Type, String)] = [
      (Keys.OfText.self, Keys.ByBytes.self, "write '@Column(as: .uuidBytes)' on pet.owner"),
      (Keys.OfBytes.self, Keys.ByText.self, "leave out '@Column(as:)' on pet.owner"),
      (
        Keys.OfMills.self, Keys.ByCents.self,
        "write '@Column(as: .decimal(scale: 2))' on pet.owner"
      ),
      (Keys.OfDate.self, Keys.BySeconds.self, "write '@Column(as: .unixSeconds)' on pet.owner"),
      (Keys.OfDate.self, Keys.ByBytes.self, same),
    ]
    for (child, parent, advice) in cases {
      try await withTemporaryDatabase { database throws in
        let error = try await failure { try await database.migrate(DatabaseSchema(child, parent)) }
        #expect(error.message.hasSuffix(": " + advice), "\(error)")
      }
    }
  }

  @Test("need no @Column(as:) if the type of the key carries the format")
  func typedKey() async throws {
    try await withFile(DatabaseSchema(Keys.Device.self, Keys.Sample.self)) { database throws in
      let device = try await Table<Keys.Device>().insert(.init(name: "a"), in: database)
      try await Table<Keys.Sample>().insert(.init(device: device.id), in: database)
      let bytes = try await database.values("SELECT typeof(id) || length(id) FROM device")
      #expect(bytes == [.text("blob16")])
      let joined = try await Table<Keys.Sample>().join(Table<Keys.Device>())
        .where { $1.id == device.id }.select { $1.name }.fetchAll(in: database)
      #expect(joined == ["a"])
      let found = try await Table<Keys.Device>().find(device.id, in: database)
      #expect(found?.name == "a")
    }
  }

  @Test("to a table that is neither in the schema nor in the file are refused")
  func missingTable() async throws {
    try await withTemporaryDatabase { database throws in
      let error = try await failure { try await database.migrate(DatabaseSchema(Keys.OfText.self)) }
      #expect(
        error.message
          == "pet.owner references the table owner, which is neither in the schema nor in the file: add the model of owner to the schema"
      )
      #expect(try await database.values("SELECT count(*) FROM sqlite_schema") == [.integer(0)])
    }
  }

  @Test("a join and `including` refuse two formats, and name both columns")
  func queries() async throws {
    let script = """
      CREATE TABLE owner (id BLOB PRIMARY KEY);
      CREATE TABLE pet (id INTEGER PRIMARY KEY, owner TEXT NOT NULL REFERENCES owner);
      """
    try await withTemporaryDatabase(script: script) { database throws in
      let (owners, pets) = (Table<Keys.ByBytes>(), Table<Keys.OfText>())
      let message =
        #""pet"."owner" and "owner"."id" store equal values differently, as UUID and UUIDBytes: "#
        + "declare both columns with the same type and the same @Column(as:)"
      let errors = [
        try await failure { try await pets.join(owners).fetchAll(in: database) },
        try await failure { try await owners.leftJoin(pets).fetchAll(in: database) },
        try await failure { try await owners.including(pets).fetchAll(in: database) },
        try await failure {
          try await owners.including(pets, on: { $0.owner }).fetchAll(in: database)
        },
        try await failure {
          try await owners.including(owners, through: pets, from: { $0.owner }, to: { $0.owner })
            .fetchAll(in: database)
        },
        try await failure {
          try await owners.including(owners, through: pets).fetchAll(in: database)
        },
      ]
      for error in errors { #expect(error.message == message) }
    }
  }

  @Test("are compared with the parent's collation, also where the child has a different one")
  func collation() async throws {
    let (owners, visits) = (Table<Keys.ByName>(), Table<Keys.Visit>())
    let schema = DatabaseSchema(
      Keys.ByName.self, Keys.OfString.self, Keys.Plot.self, Keys.Visit.self)
    try await withFile(schema) { database throws in
      try await owners.insert(
        contentsOf: [Keys.ByName(id: "Ann"), Keys.ByName(id: "Éa")], in: database)
      try await Table<Keys.Plot>().insert(
        contentsOf: [Keys.Plot(owner: "ann", mark: "x  "), Keys.Plot(owner: "ANN", mark: "y")],
        in: database)
      let pets = Table<Keys.OfString>()
      for name in ["ANN", "ann", "Ann", "Éa"] {
        try await pets.insert(Keys.OfString.Draft(owner: name), in: database)
      }
      let unknown = try await failure {
        try await pets.insert(Keys.OfString.Draft(owner: "éa"), in: database)
      }
      #expect(unknown.code == .constraintForeignKey)
      #expect(try await pets.join(owners).fetchAll(in: database).count == 4)
      #expect(try await owners.leftJoin(pets).fetchAll(in: database).count == 4)
      for limit in [nil, 2, 9] {
        let some = pets.order { $0.id }
        let rows = try await owners.order { $0.id }
          .including(limit.map { some.limit($0) } ?? some).fetchAll(in: database)
        #expect(
          rows.map { $0.1.map(\.owner) } == [
            Array(["ANN", "ann", "Ann"].prefix(limit ?? 9)), ["Éa"],
          ])
      }
      let linked = owners.including(owners, through: pets, from: { $0.owner }, to: { $0.owner })
      #expect(try await linked.fetchAll(in: database).map { $0.1.count } == [3, 1])
      // Each column of a composite key has its own collation.
      for (owner, mark) in [("ANN", "x"), ("Ann", "x   "), ("aNN", "y")] {
        try await visits.insert(Keys.Visit.Draft(owner: owner, mark: mark), in: database)
      }
      let wrong = try await failure {
        try await visits.insert(Keys.Visit.Draft(owner: "ann", mark: "X"), in: database)
      }
      #expect(wrong.code == .constraintForeignKey)
      let plots = try await Table<Keys.Plot>().order { $0.mark }
        .including(visits.order { $0.id }).fetchAll(in: database)
      #expect(plots.map { $0.1.map(\.id) } == [[1, 2], [3]])
      #expect(try await visits.join(Table<Keys.Plot>()).fetchAll(in: database).count == 3)
      #expect(try await database.migrationPlan(for: schema).isEmpty)
    }
  }
}
