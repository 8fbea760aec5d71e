import Foundation
import Testing

@testable public import MiniORM

// Comments in every place that Swift allows. The macro must ignore them.
@Table("odd shapes" /* inside */) /* behind */
// after
private struct OddShapes: Equatable {
  // before a property
  /// documented
  let id: Int64 /* behind */
  // and again
  var a, b: Int /* two at once */
  /* inside */ var /* everywhere */ c /* too */: /* yes */ String /* ! */ = "c"  // default
  var observed: Int = 1 { didSet { if observed < 0 { observed = 0 } } }
  var computed: Int { a + b }
  var accessed: Int {
    get { a }
    set { a = newValue }
  }
  static let shared = 5
  static var counter: Int { 6 }
  #if swift(>=6.0)
    var conditional: Int?
  #else
    var unknown: NoSuchType
  #endif
  #if false
    var never: NoSuchType
  #elseif true
    var always = true
  #endif
  @Transient var cache: [String: [Int]] = [:]
  @Transient var note: String?
  func method() -> Int { a }
  struct Nested { var x = 1 }
  enum Kind { case one }
}

@Table
struct `class`: Equatable {
  let id: Int64
  var `default`: String
  var `where`: Int?
  @Column("select") var from = 0
}

@Table("order")
struct Keywords: Equatable {
  let id: Int64
  var order: Int
  var group: String
  var select: Double
  var table: Bool
  var index: String?
  var values: Int
  var transaction = 1
  var check = "a"
}

/// Properties with the names of parameters and members in the generated code.
@Table
struct NamesInUse: Equatable {
  let id: Int64
  var first: String
  var statement: Int
  var row: String
  var key: Int
  var columns: Int
  var schema: String
  var column: Int?
  var indexes: Int
  var constraints: Int
  var limit: Int
  var value: Int
}

@Table("the \"quoted\" table — 😀 'x'; DROP TABLE y")
struct OddNames: Equatable {
  let id: Int64
  @Column("a \"b\"", .unique) var name: String
  @Column("日本 列") var japanese: Int?
  @Column("?1 :x @y $z") var parameters: Int = 3
  @Column("'; --") var quote: String = "';"
}

/// A model that is visible to other modules.
@Table
public struct PublicModel: Equatable {
  /// The key.
  public let id: Int64
  /// A column.
  public var name: String
  /// A column with a database default.
  @Column(.default(sql: "7")) public var seven: Int
  init(id: Int64, name: String, seven: Int) {
    self.id = id
    self.name = name
    self.seven = seven
  }
}

@Table
fileprivate struct FileprivateModel: Equatable {
  let id: Int64
  var name: String
}

@Table("everything", options: [])
struct Everything: Equatable {
  let id: Int64
  var int: Int
  var int8: Int8
  var uint64: UInt64
  var bool: Bool
  var double: Double
  var float: Float
  var string: String
  var data: Data
  var bytes: [UInt8]
  var date: Date
  @Column(as: .unixSeconds) var seconds: Date
  @Column(as: .unixMilliseconds) var milliseconds: Date
  var uuid: UUID
  @Column(as: .uuidBytes) var uuidBytes: UUID
  var url: URL
  var decimal: Decimal
  var size: RepresentationTests.Size
  @Column(as: .json) var tags: [String]
  var any: DatabaseValue
}

@Table
struct Nothing: Equatable {
  let id: Int64
  var int: Int?
  var bool: Bool?
  var double: Double?
  var float: Optional<Float>
  var string: String?
  var data: Data?
  var bytes: [UInt8]?
  var date: Date?
  @Column(as: .unixSeconds) var seconds: Date?
  @Column(as: .unixMilliseconds) var milliseconds: Date?
  var uuid: UUID?
  @Column(as: .uuidBytes) var uuidBytes: UUID?
  var url: URL?
  var decimal: Decimal?
  var size: RepresentationTests.Size?
  @Column(as: .json) var tags: [String]?
  @Column(as: .json) var address: RepresentationTests.Address?
  var any: DatabaseValue
}

@Suite("Models")
struct ModelTests {
  @Table("storage_first")
  struct StorageFirst {
    let id: Int64
    @Column(as: .unixSeconds, .unique) var one: Date
    @Column(as: .unixSeconds, .check("two > 0"), .unique, renamedFrom: "second") var two: Date?
  }

  @Test("constraints may precede or follow the storage")
  func storageFirst() throws {
    let columns = StorageFirst.schema.columns.dropFirst().map {
      $0.definition(isKey: false, isStrict: true)
    }
    #expect(
      columns == [
        #""one" INTEGER NOT NULL UNIQUE"#, #""two" INTEGER UNIQUE CHECK (two > 0)"#,
      ])
    #expect(StorageFirst.schema.columns[2].formerNames == ["second"])
  }

  @Table
  struct Nested: Equatable {
    let id: Int64
    var name: String
    var size: Inner = .small
    enum Inner: String, ColumnValue { case small, large }
  }

  @Test("a model with every column type round-trips")
  func everything() async throws {
    let second = Date(timeIntervalSince1970: 1_000_000_000)
    let row = Everything(
      id: 1, int: .min, int8: -128, uint64: UInt64(Int64.max), bool: true, double: 0.1,
      float: 0.1, string: "a\0b", data: Data([0]), bytes: [], date: second + 0.123_456_7,
      seconds: second, milliseconds: second + 0.125, uuid: UUID(), uuidBytes: UUID(),
      url: try #require(URL(string: "https://example.com/")), decimal: 1, size: .large,
      tags: ["a", "'"], any: .blob([1]))
    try await withFile(DatabaseSchema(Everything.self)) { database throws in
      #expect(try await Table<Everything>().insert(row, in: database) == row)
      #expect(try await Table<Everything>().fetchAll(in: database) == [row])
    }
  }

  @Test("NULL is nil in an optional of every type, and nil is stored as NULL")
  func nothing() async throws {
    try await withFile(DatabaseSchema(Nothing.self)) { database throws in
      let row = try await Table<Nothing>().insert(
        Nothing.Draft(float: nil, any: .null), in: database)
      #expect(row == Nothing(id: 1, float: nil, any: .null))
      let values = try await database.read { db in try db.query("SELECT * FROM \"Nothing\"") }
      #expect(values.map(\.values) == [[.integer(1)] + Array(repeating: .null, count: 18)])
      var full = row
      full.seconds = Date(timeIntervalSince1970: 5)
      full.uuidBytes = UUID()
      full.tags = []
      full.address = .init(street: "x")
      full.data = Data()
      full.string = ""
      #expect(try await Table<Nothing>().update(full, in: database))
      #expect(try await Table<Nothing>().find(1, in: database) == full)
    }
  }

  @Test(
    "comments, observers, computed and static properties, #if, several properties per declaration")
  func oddShapes() async throws {
    #expect(
      OddShapes.schema.columns.map(\.name)
        == ["id", "a", "b", "c", "observed", "conditional", "always"])
    let row = OddShapes(id: 3, a: 1, b: 2)  // the memberwise initializer is kept
    try await withFile(DatabaseSchema(OddShapes.self)) { database throws in
      #expect(try await Table<OddShapes>().insert(row, in: database) == row)
      let draft = OddShapes.Draft(a: 5, b: 6, conditional: 7)
      #expect(
        try await Table<OddShapes>().insert(draft, in: database)
          == OddShapes(id: 4, a: 5, b: 6, conditional: 7))
    }
  }

  @Test("reserved words and back-ticked names are quoted")
  func keywords() async throws {
    try await withFile(DatabaseSchema(MiniORMTests.`class`.self, Keywords.self)) {
      database throws in
      let row = try await Table<`class`>().insert(
        `class`.Draft(default: "d", where: 1), in: database)
      #expect(row == `class`(id: 1, default: "d", where: 1, from: 0))
      #expect(`class`.schema.columns.map(\.name) == ["id", "default", "where", "select"])
      let found = try await Table<`class`>().where { $0.default == "d" && $0.where != nil }
        .order { $0.from }.fetchAll(in: database)
      #expect(found == [row])

      let words = try await Table<Keywords>().insert(
        Keywords.Draft(order: 1, group: "g", select: 2, table: true, values: 3), in: database)
      let ordered = try await Table<Keywords>()
        .where { $0.order == 1 && $0.group == "g" && $0.table && $0.index == nil }
        .order { ($0.select.descending, $0.values) }.fetchAll(in: database)
      #expect(ordered == [words])
      #expect(
        try await Table<Keywords>().where { $0.check == "a" }.update { $0.transaction += 1 }
          .run(in: database) == 1)
    }
  }

  @Test("properties may have the names that generated code uses")
  func namesInUse() async throws {
    let row = NamesInUse(
      id: 9, first: "f", statement: 1, row: "r", key: 2, columns: 3, schema: "s",
      column: 5, indexes: 6, constraints: 7, limit: 8, value: 9)
    try await withFile(DatabaseSchema(NamesInUse.self)) { database throws in
      let table = Table<NamesInUse>()
      #expect(try await table.insert(row, in: database) == row)
      var changed = row
      changed.first = "g"
      changed.statement = 100
      #expect(try await table.update(changed, in: database))
      #expect(try await table.where { $0.first == "g" }.fetchAll(in: database) == [changed])
    }
  }

  @Test("odd names of tables and columns are quoted")
  func oddNames() async throws {
    try await withFile(DatabaseSchema(OddNames.self)) { database throws in
      let table = Table<OddNames>()
      let row = try await table.insert(OddNames.Draft(name: "n", japanese: 1), in: database)
      #expect(row == OddNames(id: 1, name: "n", japanese: 1, parameters: 3, quote: "';"))
      #expect(
        try await table.where { $0.japanese == 1 && $0.parameters == 3 }.limit(1)
          .fetchAll(in: database) == [row])
      let outcome = try await table.upsert(
        OddNames.Draft(name: "n", quote: "q"), onConflict: { $0.name }, in: database)
      guard case .updated(let updated) = outcome else { throw outcome.unexpected }
      #expect(updated == OddNames(id: 1, name: "n", japanese: nil, parameters: 3, quote: "q"))
      #expect(try await table.where { $0.quote == "q" }.limit(1).deleteAll(in: database) == 1)
      #expect(try await table.truncate(in: database) == 0)
      try await database.migrate(DatabaseSchema(OddNames.self))
    }
  }

  @Test("nested, public, private and fileprivate models")
  func access() async throws {
    let schema = DatabaseSchema(
      Nested.self, PublicModel.self, FileprivateModel.self)
    try await withFile(schema) { database throws in
      #expect(
        try await Table<Nested>().insert(Nested.Draft(name: "n"), in: database)
          == Nested(id: 1, name: "n", size: .small))
      #expect(
        try await Table<PublicModel>().insert(PublicModel.Draft(name: "p"), in: database)
          == PublicModel(id: 1, name: "p", seven: 7))
      #expect(
        try await Table<FileprivateModel>().insert(FileprivateModel.Draft(name: "f"), in: database)
          == FileprivateModel(id: 1, name: "f"))
    }
  }

  @Test("properties without columns have their defaults in every row")
  func transient() async throws {
    try await withFile(DatabaseSchema(OddShapes.self)) { database throws in
      var row = OddShapes(id: 1, a: 1, b: 2)
      row.cache = ["a": [1]]
      row.note = "n"
      let stored = try await Table<OddShapes>().insert(row, in: database)
      #expect(stored == OddShapes(id: 1, a: 1, b: 2))
    }
  }
}

extension UpsertOutcome {
  /// For `guard case`: the error for an unexpected outcome.
  var unexpected: DatabaseError { DatabaseError(.step, "Unexpected outcome \(self)") }
}
