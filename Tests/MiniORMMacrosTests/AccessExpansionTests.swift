import Testing

@Suite("Expansion: access levels and nesting")
struct AccessExpansionTests {
  @Test("a public struct") func publicStruct() {
    expect(
      """
      @Table public struct City {
        public let id: Int64
        public var name: String
        public var people = 0
      }
      """,
      expandsTo: """
        public struct City {
          public let id: Int64
          public var name: String
          public var people = 0

          public nonisolated final class Columns: MiniORM.ModelColumns {
            public typealias Projected = City
            public let _table: MiniORM.TableName = .init("City")
            public let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "City", .primaryKey)
            public let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "City")
            public let people: MiniORM.SQLExpression<Int> = .init(column: "people", of: "City", .default(0))
            public init() {}
          }

          public nonisolated struct Draft: MiniORM._RowDraft {
            public typealias Stored = City
            public static var omitsRowID: Bool { true }
            public var name: String
            public var people: Int
            public init(name: String, people: Int = 0) { (self.name, self.people) = (name, people) }
            public static func _draft(of row: City) -> Self { .init(name: row.name, people: row.people) }
            public func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              try statement.bind(self.name, self.people, at: first)
            }
          }

          public typealias PrimaryKey = Int64
        }

        nonisolated extension City: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          public static let columns: Columns = .init()
          public static let schema: MiniORM.TableSchema = .init("City", [columns.id.schema, columns.name.schema, columns.people.schema])
          public init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            self.name = try String(cell: row[1])
            self.people = try Int(cell: row[2])
          }
          public func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, self.name, self.people, at: first)
          }
          public var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }

  @Test("a public model with a key that the database does not assign has a public initializer")
  func publicInitializer() {
    let source = """
      @Table public struct Note {
        public var id: UUID = .v7()
        public let title: String
        public var text: String?
        var size: Size = .small
      }
      """
    let lines = expansion(of: source).split(separator: "\n").map { String($0.drop { $0 == " " }) }
    #expect(
      lines.filter { $0.contains(" init(id") || $0.contains("func _default_") } == [
        "@usableFromInline static func _default_id() -> UUID { .v7() }",
        "nonisolated init(id: UUID = .v7(), title: String, text: String? = nil, size: Size = .small) "
          + "{ (self.id, self.title, self.text, self.size) = (id, title, text, size) }",
        "public nonisolated init(id: UUID = Columns._default_id(), title: String, text: String? = nil) "
          + "{ (self.id, self.title, self.text, self.size) = (id, title, text, .small) }",
      ])
    // A declared initializer replaces it.
    let declared = source.replacing("var size", with: "init(title: String) {}; var size")
    #expect(!expansion(of: declared).contains("nonisolated init(id"))
  }

  @Test("a package struct") func packageStruct() {
    expect(
      """
      @Table package struct City {
        package var name: String
      }
      """,
      expandsTo: """
        package struct City {
          package var name: String

          package nonisolated final class Columns: MiniORM.ModelColumns {
            package typealias Projected = City
            package let _table: MiniORM.TableName = .init("City")
            package let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "City")
            package init() {}
          }

          package typealias Draft = City

          package nonisolated init(name: String) { self.name = name }
        }

        nonisolated extension City: MiniORM.Model {
          package static let columns: Columns = .init()
          package static let schema: MiniORM.TableSchema = .init("City", [columns.name.schema])
          package init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
          }
          package func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("a fileprivate struct") func fileprivateStruct() {
    expect(
      """
      @Table fileprivate struct City {
        let id: Int64
      }
      """,
      expandsTo: """
        fileprivate struct City {
          let id: Int64

          fileprivate nonisolated final class Columns: MiniORM.ModelColumns {
            fileprivate typealias Projected = City
            fileprivate let _table: MiniORM.TableName = .init("City")
            fileprivate let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "City", .primaryKey)
          }

          fileprivate nonisolated struct Draft: MiniORM._RowDraft {
            fileprivate typealias Stored = City
            fileprivate static var omitsRowID: Bool { true }
            fileprivate static func _draft(of row: City) -> Self { .init() }
            fileprivate func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            }
          }

          fileprivate typealias PrimaryKey = Int64
        }

        nonisolated extension City: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          fileprivate static let columns: Columns = .init()
          fileprivate static let schema: MiniORM.TableSchema = .init("City", [columns.id.schema])
          fileprivate init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
          }
          fileprivate func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, at: first)
          }
          fileprivate var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }

  @Test("a private struct at file scope") func privateStruct() {
    expect(
      """
      @Table private struct City {
        let name: String
      }
      """,
      expandsTo: """
        private struct City {
          let name: String

          fileprivate nonisolated final class Columns: MiniORM.ModelColumns {
            fileprivate typealias Projected = City
            fileprivate let _table: MiniORM.TableName = .init("City")
            fileprivate let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "City")
          }

          fileprivate typealias Draft = City
        }

        nonisolated extension City: MiniORM.Model {
          fileprivate static let columns: Columns = .init()
          fileprivate static let schema: MiniORM.TableSchema = .init("City", [columns.name.schema])
          fileprivate init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
          }
          fileprivate func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("a nested struct, in a public extension") func nested() {
    expect(
      """
      public extension Atlas {
        @Table struct City {
          let name: String
        }
      }
      """,
      expandsTo: """
        public extension Atlas {
          struct City {
            let name: String

            public nonisolated final class Columns: MiniORM.ModelColumns {
              public typealias Projected = City
              public let _table: MiniORM.TableName = .init("City")
              public let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "City")
              public init() {}
            }

            public typealias Draft = City

            public nonisolated init(name: String) { self.name = name }

            public nonisolated static let columns: Columns = .init()
          }
        }

        nonisolated extension Atlas.City: MiniORM.Model {
          public static let schema: MiniORM.TableSchema = .init("City", [columns.name.schema])
          public init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
          }
          public func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("in a nested public struct, the members with generated types are in the struct")
  func typedMembers() {
    let source = """
      enum Space {
        @Table(primaryKey: ["a", "b"]) public struct Pair {
          public let a: Int64
          public let b: String
        }
      }
      """
    let lines = expansion(of: source).split(separator: "\n").map { String($0.drop { $0 == " " }) }
    let members = lines.filter { $0.contains(" columns: ") || $0.contains("PrimaryKey") }
    #expect(
      members == [
        "public typealias PrimaryKey = (Int64, String)",
        "public nonisolated static let columns: Columns = .init()",
        "public nonisolated var primaryKey: PrimaryKey { (self.a, self.b) }",
        "public nonisolated static func bind(_ key: PrimaryKey, to statement: borrowing MiniORM.Statement, "
          + "at first: Int32) throws(MiniORM.DatabaseError) {",
        "nonisolated extension Space.Pair: MiniORM.Model, MiniORM.PrimaryKeyedModel {",
      ])
    // An internal struct needs no such members.
    let plain = expansion(of: source.replacing("public struct", with: "struct"))
    #expect(plain.contains("{\n  static let columns: Columns = .init()"))
  }

  @Test("a struct with @available") func available() {
    expect(
      """
      @available(macOS 26, *) @Table struct City {
        let name: String
      }
      """,
      expandsTo: """
        @available(macOS 26, *) struct City {
          let name: String

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = City
            let _table: MiniORM.TableName = .init("City")
            let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "City")
          }

          typealias Draft = City
        }

        @available(macOS 26, *) nonisolated extension City: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("City", [columns.name.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("Self in generated code means the model") func selfType() {
    expect(
      """
      @Table struct Node: Identifiable {
        let id: Int64
        @Column(.references(Self.self)) var parent: Self.ID?
        var depth: Int = Self.root
      }
      """,
      expandsTo: """
        struct Node: Identifiable {
          let id: Int64
          var parent: Self.ID?
          var depth: Int = Self.root

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Node
            let _table: MiniORM.TableName = .init("Node")
            let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "Node", .primaryKey)
            #sourceLocation(file: "test.swift", line: 2)
            @MiniORM._CheckColumn("'Node.ID?' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with '@Transient', or make it conform to 'ColumnValue'",
                                                        (Node.ID).self) let parent: MiniORM.SQLExpression<Node.ID?> = .init(column: "parent", of: "Node", .references(Node.self))
            #sourceLocation()
            let depth: MiniORM.SQLExpression<Int> = .init(column: "depth", of: "Node", ._initial((Node.root) as Int))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Node
            static var omitsRowID: Bool { true }
            var parent: Node.ID? = nil
            var depth: Int = Node.root
            static func _draft(of row: Node) -> Self { .init(parent: row.parent, depth: row.depth) }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              try statement.bind(self.parent, self.depth, at: first)
            }
          }

          typealias PrimaryKey = Int64
        }

        nonisolated extension Node: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Node", [columns.id.schema, columns.parent.schema, columns.depth.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            self.parent = try Swift.Optional(cell: row[1])
            self.depth = try Int(cell: row[2])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, self.parent, self.depth, at: first)
          }
          var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }
}
