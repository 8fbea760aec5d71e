import Testing

@testable import MiniORM

@Selection
private struct Postal: Equatable {
  var street: String
  @Column("town") var city: String
  var floor: Int?
}

@Table("client", columns: .snakeCase)
private struct Client: Equatable, Identifiable {
  let id: Int64
  @Column(.unique) var name: String
  @Embedded var homeAddress: Postal
  @Embedded("work_") var work: Postal?
  var rank = 0

  static var indexes: [Index<Client>] { [Index { ($0.homeAddress.city, $0.work.city) }] }
}

@Table("client", columns: .snakeCase)
private struct OldClient {
  let id: Int64
  @Column(.unique) var name: String
  var homeAddressStreet: String
  var homeAddressTown: String
  var homeAddressFloor: Int?
}

/// The same group in another model, with its own column names.
@Table("depot")
private struct Landing: Equatable {
  @Column(.primaryKey) let name: String
  @Embedded("") var place: Postal = Postal(street: "Quay", city: "Brest", floor: nil)
}

@Selection
private struct Move: Equatable {
  let client: Client
  let depot: Landing?
  let to: Postal
}

// A model has a key and generated columns, which are not values of another table's row.
@Table private struct Town {
  let id: Int64
  var name: String
  @Column(.generated("length(name)")) var size: Int
}
@Selection private struct Origin { var town: Town }
@Table private struct Parcel {
  let id: Int64
  @Embedded var from: Origin
  var weight: Int
}

private let clients = Table<Client>()
private let depots = Table<Landing>()

private let reims = Postal(street: "Rue A", city: "Reims", floor: 2)
private let lille = Postal(street: "Rue B", city: "Lille", floor: nil)
private let some = [
  Client(id: 1, name: "Ada", homeAddress: reims, work: lille, rank: 1),
  Client(id: 2, name: "Bob", homeAddress: lille, work: nil, rank: 2),
]

private func withClients(_ body: (Database) async throws -> Void) async throws {
  try await withFile(DatabaseSchema(Client.self, Landing.self)) { database throws in
    try await clients.insert(contentsOf: some, in: database)
    try await body(database)
  }
}

@Table("box") private struct OldBox {
  let id: Int64
}
@Table("box") private struct Box: Equatable {
  let id: Int64
  @Embedded var place: Postal = Postal(street: "Quay", city: "Brest", floor: 2)
  @Embedded("sent_") var sent: Postal = Self.elsewhere
  @Embedded("back_") var back: Postal? = Postal(street: "Way", city: "Lens", floor: nil)

  static var elsewhere: Postal { Postal(street: "Lane", city: "Caen", floor: nil) }
}

@Suite("@Embedded: groups of columns")
struct ColumnGroupTests {
  @Test("the default of a group gives its columns defaults, also in existing rows")
  func defaults() async throws {
    try await withFile(DatabaseSchema(OldBox.self)) { database throws in
      try await Table<OldBox>().insert(OldBox(id: 1), in: database)
      try await database.migrate(DatabaseSchema(Box.self))
      let box = try await Table<Box>().fetchOne(in: database)
      #expect(
        box
          == Box(
            id: 1, place: Postal(street: "Quay", city: "Brest", floor: 2), sent: Box.elsewhere,
            back: nil))
      try await database.write { db in
        try db.execute("INSERT INTO box (sent_street, sent_town) VALUES ('a', 'b')")
      }
      let other = try await Table<Box>().where { $0.id == 2 }.fetchOne(in: database)
      #expect(other?.place == Postal(street: "Quay", city: "Brest", floor: 2))
      #expect(try await database.schemaReport(for: DatabaseSchema(Box.self)).differences == [])
    }
  }

  @Test("a model within a group is refused, because the file would store its columns by position")
  func modelInGroup() async throws {
    try await withFile(DatabaseSchema(Landing.self)) { database throws in
      let error = try await failure {
        try await database.migrate(DatabaseSchema(Landing.self, Parcel.self))
      }
      #expect(error.operation == .migrate && error.code == .misuse)
      #expect(error.table == "Parcel" && error.column == "from_town.id")
      #expect(
        error.message.hasSuffix(
          "Column from_town.id comes from a model in an @Embedded property, which takes only values and "
            + "structs with @Selection. Store the model's key, or declare a @Selection with these columns"
        ))
    }
  }

  @Test("a group's columns are columns of the table, NULL for a nil group")
  func schema() async throws {
    try await withClients { database throws in
      let sql = try await database.values(
        "SELECT sql FROM sqlite_master WHERE type = 'table' AND name IN ('client', 'depot') ORDER BY name"
      )
      #expect(
        sql == [
          .text(
            """
            CREATE TABLE "client" (
              "id" INTEGER PRIMARY KEY NOT NULL,
              "name" TEXT NOT NULL UNIQUE,
              "home_address_street" TEXT NOT NULL,
              "home_address_town" TEXT NOT NULL,
              "home_address_floor" INTEGER,
              "work_street" TEXT,
              "work_town" TEXT,
              "work_floor" INTEGER,
              "rank" INTEGER NOT NULL DEFAULT (0)
            ) STRICT
            """),
          .text(
            """
            CREATE TABLE "depot" (
              "name" TEXT PRIMARY KEY NOT NULL,
              "street" TEXT NOT NULL DEFAULT ('Quay'),
              "town" TEXT NOT NULL DEFAULT ('Brest'),
              "floor" INTEGER
            ) STRICT
            """),
        ])
      #expect(
        try await database.values(
          "SELECT name FROM pragma_index_info('index_client_on_home_address_town_work_town')")
          == [.text("home_address_town"), .text("work_town")])
      #expect(
        try await database.schemaReport(for: DatabaseSchema(Client.self, Landing.self)).differences
          == [])
    }
  }

  @Test("rows come back as they were stored")
  func roundTrip() async throws {
    try await withClients { database throws in
      #expect(try await clients.fetchAll(in: database) == some)
      let drafted = try await clients.insert(
        Client.Draft(name: "Cy", homeAddress: reims), in: database)
      #expect(drafted == Client(id: 3, name: "Cy", homeAddress: reims, work: nil, rank: 0))
      var changed = some[1]
      (changed.work, changed.homeAddress.floor) = (reims, 7)
      #expect(try await clients.update(changed, in: database))
      #expect(try await clients.find(2, in: database) == changed)
      let outcome = try await clients.upsert(
        Client.Draft(name: "Cy", homeAddress: lille, work: lille, rank: 9),
        onConflict: { $0.name }, in: database)
      #expect(outcome.row == Client(id: 3, name: "Cy", homeAddress: lille, work: lille, rank: 9))
      let place = try await depots.insert(Landing(name: "North"), in: database)
      #expect(place.place == Postal(street: "Quay", city: "Brest", floor: nil))
      let returned = try await clients.insert(contentsOf: [
        Client.Draft(name: "Di", homeAddress: lille, work: reims)
      ]).returning { ($0.id, $0.homeAddress, $0.work) }.fetchOne(in: database)
      #expect(returned?.0 == 4 && returned?.1 == lille && returned?.2 == reims)
      try await database.read { db throws in
        #expect(try db.query(Client.self, "SELECT * FROM client WHERE id = 1") == [some[0]])
      }
    }
  }

  @Test("conditions, orders and selections of columns and of groups")
  func queries() async throws {
    try await withClients { database throws in
      let query = clients.where { $0.homeAddress.city == "Reims" && $0.work.city != nil }
        .order { ($0.homeAddress.floor.descending, $0.work.street) }
      #expect(
        query.sql.text.hasSuffix(
          #" FROM "client" WHERE (("client"."home_address_town" = ?) AND "#
            + #"("client"."work_town" IS NOT ?)) ORDER BY "client"."home_address_floor" DESC, "#
            + #""client"."work_street""#))
      #expect(try await query.fetchAll(in: database) == [some[0]])
      let pairs = try await clients.order { $0.id }.select {
        ($0.homeAddress, $0.work, $0.work.city)
      }
      .fetchAll(in: database)
      #expect(pairs.map(\.0) == [reims, lille])
      #expect(pairs.map(\.1) == [lille, nil])
      #expect(pairs.map(\.2) == ["Lille", nil])
      try await depots.insert(Landing(name: "D", place: lille), in: database)
      let moves = clients.leftJoin(depots) { $0.homeAddress.city == $1.place.city }
        .select { Move.Columns(client: $0, depot: $1, to: $0.homeAddress) }
      let expected = [
        Move(client: some[0], depot: nil, to: reims),
        Move(client: some[1], depot: Landing(name: "D", place: lille), to: lille),
      ]
      #expect(try await moves.order { $0.client.id }.fetchAll(in: database) == expected)
      let move = CommonTableExpression("move", as: moves)
      let later = move.where { $0.client.homeAddress.city == "Lille" && $0.depot.place.city != nil }
        .select { ($0.client.homeAddress, $0.client.work, $0.to.street) }
      let found = try await later.fetchAll(in: database)
      #expect(found.map(\.0) == [lille])
      #expect(found.map(\.1) == [nil])
      #expect(found.map(\.2) == ["Rue B"])
      // The table under an alias, and in a subquery on itself.
      let others = clients.alias("other").where { $0.work.city == "Lille" }.select { $0.work }
      #expect(try await others.fetchAll(in: database) == [lille])
      let same = clients.where { client in
        clients.where { $0.work.city == client.homeAddress.city.optional }.exists()
      }
      #expect(try await same.fetchAll(in: database) == [some[1]])
    }
  }

  @Test("columns of a group are assigned individually or together")
  func assignments() async throws {
    try await withClients { database throws in
      let update = clients.where { $0.id == 1 }.update {
        $0[\.homeAddress].city = "Metz"
        $0[\.homeAddress].floor += 1
        $0[\.work].street = $0[\.work].street.upper()
        $0.rank = 5
      }
      #expect(
        update.sql.text
          == #"""
          UPDATE "client" SET "home_address_town" = ?, "home_address_floor" = ("client"."home_address_floor" + ?),
            "work_street" = upper("client"."work_street"), "rank" = ?
          WHERE ("client"."id" = ?)
          """#.onOneLine)
      try await update.run(in: database)
      var changed = some[0]
      changed.homeAddress = Postal(street: "Rue A", city: "Metz", floor: 3)
      changed.work?.street = "RUE B"
      changed.rank = 5
      #expect(try await clients.find(1, in: database) == changed)
      try await clients.update {
        $0[\.homeAddress] = lille
        $0[\.work] = reims
      }.run(in: database)
      #expect(
        try await clients.order { $0.id }.fetchAll(in: database).map { [$0.homeAddress, $0.work] }
          == [[lille, reims], [lille, reims]])
      try await clients.where { $0.id == 1 }.update { $0[\.work] = nil }.run(in: database)
      #expect(
        try await clients.where { $0.work.street == nil }.fetchAll(in: database).map(\.id) == [1])
    }
  }

  @Test(
    "an optional group is added to an old file, and plain columns become a group")
  func migration() async throws {
    let file = TemporaryFile()
    let old = try await file.open()
    try await old.migrate(DatabaseSchema(version: 1, OldClient.self))
    try await Table<OldClient>().insert(
      OldClient(
        id: 1, name: "Ada", homeAddressStreet: "Rue A", homeAddressTown: "Reims",
        homeAddressFloor: 2), in: old)
    try await old.close()
    let database = try await file.open()
    try await database.migrate(DatabaseSchema(version: 2, Client.self))
    #expect(
      try await clients.fetchAll(in: database) == [
        Client(id: 1, name: "Ada", homeAddress: reims, work: nil, rank: 0)
      ])
    #expect(try await database.schemaReport(for: DatabaseSchema(Client.self)).differences == [])
    try await database.close()
  }

  @Test("a group with a missing part throws an error with the column")
  func mistakes() async throws {
    try await withClients { database throws in
      try await database.write { db throws in
        _ = try db.execute("UPDATE client SET work_floor = 3 WHERE id = 2")
      }
      let error = try await failure { try await clients.fetchAll(in: database) } as DatabaseError
      #expect(
        error.summary
          == "read 20 client.work_street Postal: Expected TEXT but found NULL in column work_street"
      )
    }
  }
}
