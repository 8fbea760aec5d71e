import Testing

@testable import MiniORM

@Table("place", columns: .snakeCase)
private struct Place: Identifiable, Equatable {
  let id: Int64
  @Column(.unique) var name: String
  var west: Double
  var east: Double
  var north: Double?
  @Column(.references(Maker.self)) var makerID: Maker.ID?
}

private let places = Table<Place>()
private let map = SpatialIndex("place_map", of: Place.self) {
  [.from($0.west, to: $0.east), .at($0.north)]
}

@Table("box")
private struct Box: Identifiable, Equatable {
  let id: Int64
  var minX: Float
  var maxX: Float
  var minY: Float
  var maxY: Float
  var label: String?
  var level: Int?
}

/// The maximum number of axes.
@Table("shape")
private struct Shape: Identifiable, Equatable {
  let id: Int64
  var minA: Float
  var maxA: Float
  var minB: Float
  var maxB: Float
  var minC: Float
  var maxC: Float
  var minD: Float
  var maxD: Float
  var minE: Float
  var maxE: Float
}

private let boxes = Table<Box>()
private let boxTable = SpatialIndex(storing: Box.self, dimensions: 2)

@Suite("Spatial indexes")
struct SpatialTests {
  private static let some = [
    Place(id: 1, name: "a", west: 0, east: 2, north: 1),
    Place(id: 2, name: "b", west: 2, east: 2, north: 5),
    Place(id: 3, name: "c", west: -5, east: 10, north: nil),
    Place(id: 4, name: "d", west: 0.1, east: 0.3, north: 1, makerID: 1),
  ]

  private func withPlaces(_ body: (Database) async throws -> Void) async throws {
    try await withFile(DatabaseSchema(Maker.self, Place.self, objects: [map, boxTable])) {
      database throws in
      try await makers.insert(contentsOf: Maker.some, in: database)
      try await places.insert(contentsOf: Self.some, in: database)
      try await body(database)
    }
  }

  @Test("the index finds boxes that overlap, lie within or contain another box")
  func questions() async throws {
    let columns = Place.schema.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let candidates =
      #"SELECT \#(columns) FROM "place" WHERE "place"."id" IN (SELECT id FROM "place_map" WHERE "#
      + #""place_map".min1 <= ? AND "place_map".max1 >= ? AND "place_map".min2 <= ? AND "place_map".max2 >= ?) AND "#
    try await withPlaces { database throws in
      func expect(
        _ table: Table<Place>, _ exact: String, _ values: [Double], _ ids: [Int64]
      ) async throws {
        #expect(table.sql.text == candidates + exact)
        #expect(try table.sql.values == values.map { .real($0) })
        #expect(try await table.fetchAll(in: database).map(\.id) == ids)
        let plan = try await table.queryPlan(in: database)
        #expect(plan.description.contains("place_map VIRTUAL TABLE INDEX 2:"))
        #expect(plan.searches("place"))
      }
      try await expect(
        places.overlapping([0.3...2, 1...4], by: map),
        #""place"."west" <= ? AND "place"."east" >= ? AND "place"."north" <= ? AND "place"."north" >= ?"#,
        [2, 0.3, 4, 1, 2, 0.3, 4, 1], [1, 4])
      try await expect(
        places.within([0.1...2, 1...5], by: map),
        #""place"."west" >= ? AND "place"."east" <= ? AND "place"."north" >= ? AND "place"."north" <= ?"#,
        [2, 0.1, 5, 1, 0.1, 2, 1, 5], [2, 4])
      try await expect(
        places.containing([0.1...0.3, 1...1], by: map),
        #""place"."west" <= ? AND "place"."east" >= ? AND "place"."north" <= ? AND "place"."north" >= ?"#,
        [0.3, 0.1, 1, 1, 0.1, 0.3, 1, 1], [1, 4])
      // The index rounds 0.1 and 0.3 to 32 bits, so the columns are compared too.
      #expect(
        try await places.overlapping([(0.3).nextUp...1.9, 1...1], by: map).fetchAll(in: database)
          .map(\.id) == [1])
      // Filtered, joined, counted, changed and deleted like any table.
      let everywhere = [-Double.infinity...Double.infinity, 0...9]
      #expect(try await places.overlapping(everywhere, by: map).count(in: database) == 3)
      let joined = places.overlapping(everywhere, by: map).where { $0.id > 1 }.leftJoin(makers)
        .select { ($0.name, $1.name) }
      #expect(
        "\(try await joined.fetchAll(in: database))" == #"[("b", nil), ("d", Optional("Acme"))]"#)
      #expect(
        try await places.within([0...1, 0...9], by: map).update {
          $0.name = "moved"; $0.east = 3
        }
        .run(in: database) == 1)
      #expect(
        try await places.overlapping([2.5...2.5, 1...1], by: map).fetchAll(in: database).map(\.name)
          == ["moved"])
      let error = try await failure {
        try await places.within([0...1], by: map).fetchAll(in: database)
      }
      #expect(
        error.message
          == "The box of the query must have 2 axes for place_map, not 1")
    }
  }

  @Test("the index is a virtual table with triggers, which migrate creates and fills")
  func migration() async throws {
    #expect(
      try map.definitions.map(\.sql) == [
        #"CREATE VIRTUAL TABLE "place_map" USING rtree(id, min1, max1, min2, max2)"#,
        #"CREATE TRIGGER "place_map_after_insert" AFTER INSERT ON "place" BEGIN "#
          + #"DELETE FROM "place_map" WHERE id = NEW."id"; INSERT INTO "place_map" "#
          + #"SELECT NEW."id", NEW."west", NEW."east", NEW."north", NEW."north" "#
          + #"WHERE NEW."west" IS NOT NULL AND NEW."east" IS NOT NULL AND NEW."north" IS NOT NULL; END"#,
        #"CREATE TRIGGER "place_map_after_update" AFTER UPDATE ON "place" "#
          + #"WHEN OLD."id" IS NOT NEW."id" OR OLD."west" IS NOT NEW."west" OR OLD."east" IS NOT NEW."east" "#
          + #"OR OLD."north" IS NOT NEW."north" BEGIN DELETE FROM "place_map" WHERE id = OLD."id"; "#
          + #"DELETE FROM "place_map" WHERE id = NEW."id"; INSERT INTO "place_map" "#
          + #"SELECT NEW."id", NEW."west", NEW."east", NEW."north", NEW."north" "#
          + #"WHERE NEW."west" IS NOT NULL AND NEW."east" IS NOT NULL AND NEW."north" IS NOT NULL; END"#,
        #"CREATE TRIGGER "place_map_after_delete" AFTER DELETE ON "place" BEGIN "#
          + #"DELETE FROM "place_map" WHERE id = OLD."id"; END"#,
      ])
    try await withFile(DatabaseSchema(Maker.self, Place.self)) { database throws in
      try await places.insert(
        contentsOf: Self.some.filter { $0.makerID == nil }, in: database)
      let schema = DatabaseSchema(Maker.self, Place.self, objects: [map])
      try await database.migrate(schema)
      #expect(try await database.schemaReport(for: schema).isEmpty)
      #expect(try await places.overlapping([0...9, 0...9], by: map).count(in: database) == 2)
      // Other axes: the index is dropped, created and filled again.
      let line = SpatialIndex("place_map", of: Place.self) { [.from($0.west, to: $0.east)] }
      let other = DatabaseSchema(Maker.self, Place.self, objects: [line])
      #expect(try await database.schemaReport(for: other).differences.count == 3)
      try await database.migrate(other)
      #expect(
        try await places.overlapping([3...3], by: line).fetchAll(in: database).map(\.id) == [3])
      try await database.migrate(DatabaseSchema(Maker.self, Place.self))
      let rest = try await database.read { db in
        try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'place_map%'")
      }
      #expect(rest == 0)
    }
  }

  @Test("a box that ends before it begins is refused, with its row")
  func constraint() async throws {
    try await withPlaces { database throws in
      let error = try await failure {
        try await places.insert(
          Place(id: 9, name: "z", west: 1, east: 0, north: 0), in: database)
      }
      #expect(
        error.summary == "step 19 -.- -: rtree constraint failed: place_map.(min1<=max1)")
      #expect(try await places.find(9, in: database) == nil)
      // A row with a NULL coordinate has no box.
      try await places.insert(Place(id: 9, name: "z", west: 1, east: 0), in: database)
      let cases: [(SpatialIndex<Place>, String)] = [
        (
          SpatialIndex("m", of: Place.self) { _ in [] },
          "The spatial index m must have 1 to 5 axes, not 0"
        ),
        (
          SpatialIndex(storing: Place.self, dimensions: 1),
          "The coordinates of the spatial table place must be declared as Float"
        ),
        (
          SpatialIndex(storing: Place.self, dimensions: 4),
          "The spatial table place needs two columns for each of its 4 axes"
        ),
      ]
      let keyed = SpatialIndex(storing: Sale.self, dimensions: 1)
      #expect(
        #expect(throws: DatabaseError.self) { try keyed.definitions }?.message
          == "The first property of the spatial table sale must be an integer key")
      for (index, message) in cases {
        let error = #expect(throws: DatabaseError.self) { try index.definitions }
        #expect(error?.message == message)
      }
      let sale = SpatialIndex("m", of: Sale.self) { [.at($0.pieces)] }
      let keyless = #expect(throws: DatabaseError.self) { try sale.definitions }
      #expect(
        keyless?.message
          == "The spatial index m needs a table with an integer key; the key of sale is not an integer"
      )
    }
  }

  @Test("a spatial table as a model")
  func standalone() async throws {
    #expect(
      try boxTable.definitions.map(\.sql) == [
        #"CREATE VIRTUAL TABLE "box" USING rtree("id", "minX", "maxX", "minY", "maxY", +"label" TEXT, +"level" INTEGER)"#
      ])
    try await withPlaces { database throws in
      let some = [
        Box(id: 1, minX: 0, maxX: 1, minY: 0, maxY: 1, label: "one"),
        Box(id: 2, minX: 0.1, maxX: 5, minY: 0.5, maxY: 9, level: 3),
      ]
      try await boxes.insert(contentsOf: some, in: database)
      #expect(try await boxes.find(1, in: database) == some[0])
      // Coordinates are rounded outwards, so they differ from the inserted values.
      let stored = try #require(try await boxes.find(2, in: database))
      #expect(stored.minX <= 0.1 && stored.minX > 0.099 && stored.label == nil && stored.level == 3)
      let table = boxes.overlapping([0.5...0.5, 0.75...3], by: boxTable).where { $0.level == nil }
      #expect(
        table.select { $0.id }.sql.text
          == #"""
          SELECT "box"."id"
          FROM "box"
          WHERE "box"."minX" <= ? AND "box"."maxX" >= ? AND "box"."minY" <= ?
            AND "box"."maxY" >= ? AND ("box"."level" IS ?)
          """#.onOneLine)
      #expect(try await table.fetchAll(in: database) == [some[0]])
      let plan = try await table.queryPlan(in: database)
      #expect(plan.description.contains("box VIRTUAL TABLE INDEX 2:"))
      #expect(try await boxes.within([0...2, 0...2], by: boxTable).count(in: database) == 1)
      #expect(
        try await boxes.containing([0.5...0.6, 0.6...0.7], by: boxTable).count(in: database) == 2)
      try await boxes.where { $0.id == 1 }.update { $0.label = "uno" }.run(in: database)
      #expect(try await boxes.find(1, in: database)?.label == "uno")
      #expect(try await boxes.delete(2, in: database))
      let error = try await failure {
        try await boxes.insert(Box(id: 3, minX: 2, maxX: 1, minY: 0, maxY: 0), in: database)
      }
      #expect(error.code.primary == .constraint)
      #expect(error.message == "rtree constraint failed: box.(minX<=maxX)")
    }
  }

  @Test(
    "results equal a scan of all rows, after any changes", arguments: [1, 2, 3] as [UInt64])
  func bruteForce(seed: UInt64) async throws {
    try await withFile(DatabaseSchema(Maker.self, Place.self, objects: [map])) { database throws in
      var random = SeededRandom(seed)
      func number() -> Double {
        let scales: [Double] = [1, 10, 1000, 1e6]
        let scale = scales.randomElement(using: &random) ?? 1
        let number = Double.random(in: -scale...scale, using: &random)
        return Bool.random(using: &random) ? number.rounded() + 0 : number
      }
      var statements: [SQL] = []
      for _ in 0..<1_000 {
        let id = Int.random(in: 1...300, using: &random)
        let west = number()
        let east = west + number().magnitude
        let north =
          Int.random(in: 0..<9, using: &random) == 0 ? DatabaseValue.null : .real(number())
        let name = "n\(Int.random(in: 1...400, using: &random))"
        let policy = ["", " OR REPLACE", " OR IGNORE"].randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3:
          statements.append(
            """
            INSERT\(raw: policy) INTO place (id, name, west, east, north)
            VALUES (\(id), \(name), \(west), \(east), \(north))
            """)
        case 4:
          statements.append(
            """
            INSERT INTO place (id, name, west, east) VALUES (\(id), \(name), \(west), \(east))
            ON CONFLICT (name) DO UPDATE SET north = \(north) ON CONFLICT DO NOTHING
            """)
        case 5:
          statements.append(
            "UPDATE\(raw: policy) place SET id = \(id) WHERE name = \(name)")
        case 6:
          statements.append("UPDATE place SET west = \(west), east = \(east) WHERE id = \(id)")
        default: statements.append("DELETE FROM place WHERE id = \(id)")
        }
      }
      let all = statements
      try await database.write { db in
        for statement in all {
          do {
            _ = try db.transaction { db in try db.execute(statement) }
          } catch let error as DatabaseError where error.code.primary == .constraint {
          }
        }
      }
      let rows = try await places.fetchAll(in: database)
      #expect(rows.count > 80)
      var found = 0
      for _ in 0..<200 {
        let some = Bool.random(using: &random) ? rows.randomElement(using: &random) : nil
        let left = some?.west ?? number()
        let bottom = some?.north ?? number()
        let box = [
          left...(left + number().magnitude), bottom...(bottom + number().magnitude),
        ]
        let (x, y) = (box[0], box[1])
        let overlapping = rows.filter { row in
          row.north.map { row.west <= x.upperBound && row.east >= x.lowerBound && y.contains($0) }
            ?? false
        }
        let within = rows.filter { row in
          row.north.map { row.west >= x.lowerBound && row.east <= x.upperBound && y.contains($0) }
            ?? false
        }
        let point = [x.lowerBound...x.lowerBound, y.lowerBound...y.lowerBound]
        let containing = rows.filter { row in
          row.north == y.lowerBound && row.west <= x.lowerBound && row.east >= x.lowerBound
        }
        found += overlapping.count + within.count + containing.count
        #expect(
          try await places.overlapping(box, by: map).order { $0.id }.fetchAll(in: database)
            == overlapping)
        #expect(
          try await places.within(box, by: map).order { $0.id }.fetchAll(in: database) == within)
        #expect(
          try await places.containing(point, by: map).order { $0.id }.fetchAll(in: database)
            == containing)
      }
      #expect(found > 300)
    }
  }

  @Test("an index of five axes is searched by each axis")
  func fiveAxes() async throws {
    let shapes = SpatialIndex(storing: Shape.self, dimensions: 5)
    try await withFile(DatabaseSchema(objects: [shapes])) { database throws in
      let table = Table<Shape>()
      let shape = Shape(
        id: 1, minA: 0, maxA: 1, minB: 2, maxB: 3, minC: 4, maxC: 5, minD: 6, maxD: 7, minE: 8,
        maxE: 9)
      try await table.insert(shape, in: database)
      let edges: [ClosedRange<Double>] = [0...1, 2...3, 4...5, 6...7, 8...9]
      let found = try await table.overlapping(edges, by: shapes).fetchAll(in: database)
      #expect(found == [shape])
      for axis in edges.indices {
        var beside = edges
        beside[axis] = 20...21
        #expect(try await table.overlapping(beside, by: shapes).fetchAll(in: database) == [])
      }
    }
  }

  @Test(
    "an invalid number of axes is refused", arguments: [.min, -1, 0, 6, .max] as [Int])
  func axes(_ count: Int) async throws {
    let index = SpatialIndex(storing: Box.self, dimensions: count)
    let error = try await failure {
      try await withFile(DatabaseSchema(objects: [index])) { _ throws in }
    }
    #expect(error.operation == .migrate)
    #expect(error.message.contains("must have 1 to 5 axes, not \(count)"), "\(error)")
  }
}
