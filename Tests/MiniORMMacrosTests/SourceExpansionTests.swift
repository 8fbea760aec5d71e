import Testing

@Suite("Expansion: contents of a struct")
struct SourceExpansionTests {
  @Test("several properties in one declaration") func several() {
    expect(
      """
      @Table struct Point {
        var x, y: Int
        var a = 1, b: Double?
      }
      """,
      expandsTo: """
        struct Point {
          var x, y: Int
          var a = 1, b: Double?

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Point
            let _table: MiniORM.TableName = .init("Point")
            let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "Point")
            let y: MiniORM.SQLExpression<Int> = .init(column: "y", of: "Point")
            let a: MiniORM.SQLExpression<Int> = .init(column: "a", of: "Point", .default(1))
            let b: MiniORM.SQLExpression<Double?> = .init(column: "b", of: "Point")
          }

          typealias Draft = Point
        }

        nonisolated extension Point: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Point", [columns.x.schema, columns.y.schema, columns.a.schema, columns.b.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.x = try Int(cell: row[0])
            self.y = try Int(cell: row[1])
            self.a = try Int(cell: row[2])
            self.b = try Double?(cell: row[3])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.x, self.y, self.a, self.b, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("properties with observers are columns; computed and static properties are not")
  func accessors() {
    expect(
      #"""
      @Table struct Person {
        var name: String { didSet { print(oldValue) } }
        var age = 0 { willSet { print(newValue) } }
        var title: String { "Dr. \(name)" }
        var both: Int { get { 1 } set { print(newValue) } }
        static var shared = 1
        static let limit: Int = 2
        func greet() { let inner = 3; print(inner) }
        struct Inner { var x: Unknown }
      }
      """#,
      expandsTo: #"""
        struct Person {
          var name: String { didSet { print(oldValue) } }
          var age = 0 { willSet { print(newValue) } }
          var title: String { "Dr. \(name)" }
          var both: Int { get { 1 } set { print(newValue) } }
          static var shared = 1
          static let limit: Int = 2
          func greet() { let inner = 3; print(inner) }
          struct Inner { var x: Unknown 
        }

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Person
            let _table: MiniORM.TableName = .init("Person")
            let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "Person")
            let age: MiniORM.SQLExpression<Int> = .init(column: "age", of: "Person", .default(0))
          }

          typealias Draft = Person
        }

        nonisolated extension Person: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Person", [columns.name.schema, columns.age.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
            self.age = try Int(cell: row[1])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, self.age, at: first)
          }
        }
        """#, at: #_sourceLocation)
  }

  @Test("#if: only the compiled branch gives columns") func conditions() {
    expect(
      """
      @Table struct Setting {
        var name: String
        #if DEBUG
          var trace = false
          #if os(Nowhere)
            var never: Int
          #else
            var nested: Int
          #endif
        #else
          var trace: String
        #endif
      }
      """,
      expandsTo: """
        struct Setting {
          var name: String
          #if DEBUG
            var trace = false
            #if os(Nowhere)
              var never: Int
            #else
              var nested: Int
            #endif
          #else
            var trace: String
          #endif

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Setting
            let _table: MiniORM.TableName = .init("Setting")
            let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "Setting")
            let trace: MiniORM.SQLExpression<Bool> = .init(column: "trace", of: "Setting", .default(false))
            let nested: MiniORM.SQLExpression<Int> = .init(column: "nested", of: "Setting")
          }

          typealias Draft = Setting
        }

        nonisolated extension Setting: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Setting", [columns.name.schema, columns.trace.schema, columns.nested.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
            self.trace = try Bool(cell: row[1])
            self.nested = try Int(cell: row[2])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, self.trace, self.nested, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("back-ticked names, and names of generated code") func backticks() {
    expect(
      """
      @Table struct Words {
        var `class`: String
        var `default`: Int = 1
        @Column(as: .json) var `in`: [Int]
        var first: Int
        var statement: Int
        var row: Int
      }
      """,
      expandsTo: """
        struct Words {
          var `class`: String
          var `default`: Int = 1
          var `in`: [Int]
          var first: Int
          var statement: Int
          var row: Int

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Words
            let _table: MiniORM.TableName = .init("Words")
            let `class`: MiniORM.SQLExpression<String> = .init(column: "class", of: "Words")
            let `default`: MiniORM.SQLExpression<Int> = .init(column: "default", of: "Words", .default(1))
            let `in`: MiniORM.SQLExpression<[Int]> = .init(column: "in", of: "Words", as: MiniORM.JSON<[Int]>.self)
            let first: MiniORM.SQLExpression<Int> = .init(column: "first", of: "Words")
            let statement: MiniORM.SQLExpression<Int> = .init(column: "statement", of: "Words")
            let row: MiniORM.SQLExpression<Int> = .init(column: "row", of: "Words")
          }

          typealias Draft = Words
        }

        nonisolated extension Words: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Words", [columns.`class`.schema, columns.`default`.schema, columns.`in`.schema, columns.first.schema, columns.statement.schema, columns.row.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.`class` = try String(cell: row[0])
            self.`default` = try Int(cell: row[1])
            self.`in` = try MiniORM.JSON(cell: row[2]).value
            self.first = try Int(cell: row[3])
            self.statement = try Int(cell: row[4])
            self.row = try Int(cell: row[5])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.`class`, self.`default`, MiniORM.JSON(self.`in`), self.first, at: first)
            try statement.bind(self.statement, self.row, at: first + 4)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("comments in every place") func comments() {
    expect(
      """
      /* a */ @Table /* b */ (/* c */ "t" /* d */) // e
      /* f */ struct /* g */ Commented /* h */ { // i
        /// Documented.
        let /* j */ id /* k */ : /* l */ Int64 // m
        /* n */ @Column /* o */ ( /* p */ .unique /* q */ , .check("a /* no comment */") // r
        ) /* s */ var /* t */ a /* u */ : /* v */ Int /* w */ = /* x */ 3 // y
        // z
        var b: [ /* 1 */ UInt8 /* 2 */ ] // 3
        var c: /* 4 */ Double? /* 5 */ = nil /* 6 */
        @Column(as: .json /* 7 */) var d: [String] = [ // 8
          "x", // 9
          "y" /* 10 */
        ] // 11
        /* 12 */ @Transient /* 13 */ var e = 1 // 14
      }
      """,
      expandsTo: """
        /* a */ // e
        /* f */ struct /* g */ Commented /* h */ { // i
          /// Documented.
          let /* j */ id /* k */ : /* l */ Int64 // m
          /* n */ /* s */ var /* t */ a /* u */ : /* v */ Int /* w */ = /* x */ 3 // y
          // z
          var b: [ /* 1 */ UInt8 /* 2 */ ] // 3
          var c: /* 4 */ Double? /* 5 */ = nil /* 6 */
          var d: [String] = [ // 8
            "x", // 9
            "y" /* 10 */
          ] // 11
          /* 12 */ /* 13 */ var e = 1 // 14

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Commented
            let _table: MiniORM.TableName = .init("t")
            let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "t", .primaryKey)
            let a: MiniORM.SQLExpression<Int> = .init(column: "a", of: "t", .unique, .check("a /* no comment */"), .default(3))
            let b: MiniORM.SQLExpression<[UInt8]> = .init(column: "b", of: "t")
            let c: MiniORM.SQLExpression<Double?> = .init(column: "c", of: "t")
            let d: MiniORM.SQLExpression<[String]> = .init(column: "d", of: "t", as: MiniORM.JSON<[String]>.self, .default(MiniORM.JSON<[String]>([ // 8
              "x", // 9
              "y" /* 10 */
            ])))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Commented
            static var omitsRowID: Bool { true }
            var a: Int = 3
            var b: [UInt8]
            var c: Double? = nil
            var d: [String] = [ // 8
              "x", // 9
              "y" /* 10 */
            ]
            static func _draft(of row: Commented) -> Self { .init(a: row.a, b: row.b, c: row.c, d: row.d) }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              try statement.bind(self.a, self.b, self.c, MiniORM.JSON(self.d), at: first)
            }
          }

          typealias PrimaryKey = Int64
        }

        nonisolated extension Commented: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("t", [columns.id.schema, columns.a.schema, columns.b.schema, columns.c.schema, columns.d.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            self.a = try Int(cell: row[1])
            self.b = try [UInt8](cell: row[2])
            self.c = try Double?(cell: row[3])
            self.d = try MiniORM.JSON(cell: row[4]).value
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, self.a, self.b, self.c, at: first)
            try statement.bind(MiniORM.JSON(self.d), at: first + 4)
          }
          var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }
}
