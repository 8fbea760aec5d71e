#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Compiles sources that use the macros. Expansion tests alone cannot tell if the generated code
  /// compiles.
  @Suite(
    "Compiler diagnostics for models",
    .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct CompilerTests {
    @Test(
      "models compile",
      arguments: [[], ["-default-isolation", "MainActor"]] as [[String]],
      [nested, publicInInternal, names, rawNames, kinds, app])
    func compiles(flags: [String], source: String) throws {
      let compiler = try #require(Compiler.here)
      #expect(try compiler.errors(in: source, flags) == [])
    }

    @Test("a type that cannot be a column is an error at its property")
    func notAColumn() throws {
      let compiler = try #require(Compiler.here)
      let errors = try compiler.errors(
        in: """
          import MiniORM
          struct Address { var street = "" }
          @Table struct Person {
            let id: Int64
            var address: Address
          }
          """)
      #expect(
        errors.filter { $0.hasPrefix("source.swift:5:16:") } == [
          "source.swift:5:16: error: 'Address' cannot be a column: store it as JSON with "
            + "'@Column(as: .json)', leave it out with '@Transient', or make it conform to "
            + "'ColumnValue' (from macro 'MiniORM._CheckColumn')"
        ])
    }

    @Test("a type that cannot be selected is an error at its property")
    func notSelected() throws {
      let compiler = try #require(Compiler.here)
      let errors = try compiler.errors(
        in: """
          import MiniORM
          struct Address { var street = "" }
          @Selection struct Line {
            let id: Int64
            var address: Address?
          }
          """)
      #expect(
        errors.filter { $0.hasPrefix("source.swift:5:16:") } == [
          "source.swift:5:16: error: 'Address?' cannot be a column: store it as JSON with "
            + "'@Column(as: .json)', leave it out with '@Transient', or make it conform to "
            + "'ColumnValue', a '@Table' or a '@Selection' (from macro 'MiniORM._CheckSelected')"
        ])
    }

    @Test("a missing column and a value of another type do not compile")
    func misuse() throws {
      let compiler = try #require(Compiler.here)
      let errors = try compiler.errors(
        in: """
          import MiniORM
          @Table struct Person {
            let id: Int64
            var name: String
          }
          @Table struct Log { var line: String }
          func f() { _ = Table<Person>().where { $0.nope == 1 } }
          func g() { _ = Table<Person>().where { $0.name == 1 } }
          func h() { _ = Table<Person>().update { $0.name = 5 } }
          func i(_ db: Database) async throws { _ = try await Table<Log>().find(1, in: db) }
          """)
      #expect(
        errors == [
          "source.swift:7:43: error: value of type 'Person.Columns' has no member 'nope'",
          "source.swift:8:48: error: conformance of 'Int' to 'SQLOperand' is unavailable: both "
            + "sides must have the same type: convert with 'cast(to:)'",
          "source.swift:9:51: error: cannot assign value of type 'Int' to type "
            + "'SQLExpression<String>'",
          "source.swift:10:66: error: instance method 'find(_:in:)' requires that 'Log' conform "
            + "to 'PrimaryKeyedModel'",
        ])
    }
  }

  /// Models that refer to themselves and to each other, nested in every kind of type.
  private let nested = """
    import MiniORM
    enum Version1 {
      @Table struct Land: Identifiable { let id: Int64 }
      @Table struct Town: Identifiable {
        enum Size: Int, ColumnValue { case small, large }
        let id: Int64
        @Column(.references(Land.self)) var land: Land.ID?
        @Column(.references(Self.self)) var twin: Self.ID?
        var size: Size = .small
      }
    }
    final class Owner {
      @Table(primaryKey: ["a", "b"]) struct Pair { let a: Int64; let b: Version1.Town.Size }
    }
    private enum Secret {
      @Table struct First { let id: Int64; var name: String }
      enum Deeper { @Table public struct Second { let id: Int64; var name = "" } }
      @Selection struct Third { let id: Int64; var name: String? }
      @Selection struct Fifth { let first: First; var third: Third?; var size: Version1.Town.Size }
    }
    struct Shown { fileprivate struct Hidden { @Table struct Fourth { var name: String } } }
    @Table public struct Ticket: Hashable, Identifiable {
      public typealias ID = Int64
      public let id: ID
      var name = ""
    }
    @Table struct Stub: Equatable {
      @Column(.primaryKey) let ticket: Ticket.ID
      @Column(.default(sql: "1")) var count: Int
    }
    private func use() {
      _ = Ticket.Draft(name: "a") == Ticket.Draft() && Stub.Draft() == Stub.Draft(count: 1)
      _ = Table<Secret.First>().join(Table<Secret.Deeper.Second>()) { $0.id == $1.id }
        .select { Secret.Third.Columns(id: $0.id, name: $1.name.optional) }
      _ = Table<Secret.First>().join(Table<Version1.Town>()) { $0.id == $1.id }
        .select { Secret.Fifth.Columns(
          first: $0,
          third: Secret.Third.Columns.nullable(.init(id: $0.id, name: $0.name.optional)),
          size: $1.size) }
      _ = Table<Shown.Hidden.Fourth>().where { $0.name == "" }
    }
    extension Owner {
      @Table fileprivate struct Note { @Column(.primaryKey) let key: String }
    }
    struct Outer { @Table struct Inner { let id: Int64; private var secret = "" } }
    @Table struct Hen { let id: Int64; @Column(.references(Egg.self)) var from: Int64? }
    @Table struct Egg { let id: Int64; @Column(.references(Hen.self)) var from: Int64? }
    @Selection struct Brood { let hen: Hen; let eggs: Eggs?; var size: Version1.Town.Size? }
    @Selection struct Eggs { let egg: Egg; let other: Egg? }
    """

  /// Public models in types and extensions that are less accessible.
  private let publicInInternal = """
    public import Foundation
    public import MiniORM
    struct Code: Hashable, ColumnValue {
      var text = ""
      static var columnType: ColumnType { .text }
      init() {}
      init(cell: borrowing Cell) throws(DatabaseError) { text = try String(cell: cell) }
      func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
        try text.bind(to: parameter)
      }
    }
    enum Space {
      @Table public struct Numbered { public let id: Int64; public var at = Date() }
      @Table public struct Coded { public let id: Code; public var other = Code(); var more: Code? }
      @Table(primaryKey: ["a", "b"]) public struct Pair { public let a: Code; public let b: Int }
      @Table package struct Timed { @Column(as: .unixSeconds, .primaryKey) package let at: Date }
      @Selection public struct Line { public var code: Code; public var at: Date }
    }
    extension Space { @Table public struct Added { public let id: Int64; public var code: Code } }
    public enum Open { @Table public struct Inner { public let id: Int64; public var at: Date } }
    extension Open { @Table public struct Added { public let id: String; public var name: String } }
    private enum Secret { @Table public struct Inner { public let id: Int64 } }
    package enum Shared { @Table public struct Inner { public let id: Int64; public var at = Date() } }
    private func use() {
      _ = (Space.Coded(id: Code()), Space.Added.Draft(code: Code()), Shared.Inner.Draft())
      _ = Table<Space.Pair>().where { $0.b == 1 }.select { ($0.a, $0.b) }
    }
    """

  /// Names that are written in backticks, or begin with an underscore.
  private let rawNames = #"""
    public import Foundation
    public import MiniORM
    @Selection public struct Part { public var _x: Int; public var `y z`: String; var _table: Int }
    public nonisolated struct Own: Codable, Sendable { public init() {} }
    @Table public struct `Raw table` {
      public let `id`: Int64
      public var `first name` = UUID()
      public var `2nd`: Date = Date()
      public var _hidden: Date = Date()
      public var `a"b`: Int
      var `_`: Int?
      @Column(as: .json) public var `as JSON` = Own()
      @Column(.unique) public var `日本 語`: String
      @Embedded public var `a part`: Part?
      @Embedded var _other: Part
      public static var indexes: [Index<`Raw table`>] { [Index("i") { ($0.`first name`, $0._hidden) }] }
    }
    @Table public struct _Seven {
      @Column(.primaryKey) public let `primaryKey`: String
      public var `2nd`, `3rd`: Int
      public var a, b, c, _d: Int
      @Column(.references(`Raw table`.self)) public var `raw table`: Int64
    }
    @Table(primaryKey: ["a b", "_c"]) struct Keyed { let `a b`: Int; let _c: Int }
    @Selection struct Line { var `b c`: Int; var `4th`: _Seven; var _part: Part? }
    func use(_ part: Part) {
      _ = Table<`Raw table`>().where { $0._other._x == 1 && $0.`a part`.`y z` == "" }
        .select { ($0.`2nd`, $0._hidden) }
      _ = `Raw table`.Draft(`first name`: UUID(), `a"b`: 1, `日本 語`: "", _other: part)
    }
    """#

  /// Names that the generated code uses too.
  private let names = """
    import Foundation
    import MiniORM
    struct Row {}
    struct Statement {}
    struct Draft {}
    struct Columns {}
    struct DatabaseError {}
    @Table struct Words: Codable, Hashable, Identifiable {
      enum Optional: String, Codable, ColumnValue { case yes, no }
      let id: Int64
      var `init`: Int
      var `class`: String
      var `default`: Double = -1.5
      var `in`: Int?
      var `self`: Int
      var columns: Int
      var schema: String
      var row: Int
      var statement: Int
      var first = 1
      var key: String
      var value: Optional = .yes
      @Column(.default(sql: "1")) var draft: Int
    }
    @Table("\u{600}\\"x") public struct Hard { public let id: Int64; public var await, `self`, unsafe: Int }
    @Selection struct HardLine { var await: Int; var `self`, copy: Words.Optional? }
    func query() -> MiniORM.Table<Words> {
      MiniORM.Table<Words>().where { $0.columns == 1 && $0.class.like("a%") && $0.in != nil }
        .order { ($0.value, $0.`self`.descending) }
    }
    """

  /// Every kind of property.
  private let kinds = """
    import Foundation
    import MiniORM
    public nonisolated struct Settings: Codable, Hashable, Sendable {
      public static let standard = Settings()
    }
    @Table public struct Everything: Identifiable, Equatable, Sendable {
      public var id = UUID()
      public var name: String = "x" { didSet { print(oldValue) } }
      var price: Decimal = 0.1
      var rate: Float = 0.1
      var big: UInt64 = 9_223_372_036_854_775_807
      var url: URL?
      var data = Data()
      var when = Date()
      var bytes: [UInt8] = [1]
      var unwrapped: Int!
      var generic: Optional<Int>
      var text = \"\"\"
        a "q"
          b
        \"\"\"
      @Column(as: .json) var settings: Settings = .standard
      @Column(as: .json) var more: [String: Settings]?
      @Column(.default(sql: "'{}'"), as: .json) var given: Settings
      @Column(as: .unixSeconds) var seconds: Date = .now
      @Column(as: .unixMilliseconds) var milliseconds: Date?
      @Column(as: .uuidBytes) var other: UUID?
      @Column(as: .decimal(scale: 2)) var cost: Decimal = 0.07
      @Column(.default(1.5), as: .decimal(scale: 18)) var share: Decimal?
      @Column(.generated("1")) var one: Int
      @Column(.unique(onConflict: .ignore), .notNull(onConflict: .replace)) var clauses = ""
      @Transient var cache: [String: Int] = [:]
      var a, b: Int
      static let shared = 3
      var computed: String { name }
    }
    """

  /// An application of the size of a tutorial.
  private let app = #"""
    import Foundation
    import MiniORM
    enum Priority: Int, ColumnValue, CaseIterable { case low, high }
    nonisolated struct Reminder: Codable, Equatable { var minutes = 10 }
    @Selection struct Place: Hashable { var street = ""; var city: String? }
    @Table struct List: Identifiable, Hashable { let id: Int64; var title: String; var position = 0 }
    @Table struct Item: Identifiable, Equatable {
      let id: Int64
      @Column(.references(List.self, onDelete: .cascade)) var listID: List.ID
      var title: String
      var isDone = false
      var due: Date?
      var created = Date()
      var token = UUID()
      var priority: Priority = .low
      @Column(as: .json) var reminders: [Reminder] = []
      @Embedded var place: Place
      static var indexes: [Index<Item>] { [Index { ($0.listID, $0.isDone) }] }
    }
    @Selection struct Row: Identifiable { let item: Item; let list: List; var id: Int64 { item.id } }
    nonisolated let items = Table<Item>()
    nonisolated let lists = Table<List>()
    let schema = DatabaseSchema(version: 1, List.self, Item.self)
    final class Store {
      private let database: Database
      private(set) var rows: [Row] = []
      var filter = ""
      init(_ database: Database) { self.database = database }
      static func open(at path: String) async throws -> Store {
        let database = try await Database(path: path, key: .passphrase("secret"))
        try await database.migrate(schema)
        return Store(database)
      }
      func add(_ title: String, to list: List) async throws {
        let draft = Item.Draft(listID: list.id, title: title, place: Place(street: "Rue A"))
        let item = try await items.insert(draft, in: database)
        try await items.update(item, in: database)
        rows = try await fetch()
      }
      func fetch() async throws -> [Row] {
        let filter = filter
        return try await items.join(lists) { $0.listID == $1.id }
          .where { item, _ in !item.isDone && item.title.contains(filter) }
          .order { item, list in (list.position, item.due) }
          .select { Row.Columns(item: $0, list: $1) }
          .fetchAll(in: database)
      }
      func finish(_ item: Item) async throws {
        try await database.write { db in
          try items.where { $0.id == item.id }.update { $0.isDone = true }.run(in: db)
        }
      }
      func watch() async throws {
        for try await all in items.values(in: database) { print(all.count) }
      }
    }
    """#
#endif
