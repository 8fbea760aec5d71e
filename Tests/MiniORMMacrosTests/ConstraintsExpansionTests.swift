import Testing

@Suite("Expansion: constraints and representations")
struct ConstraintsExpansionTests {
  @Test("a default that the database computes") func databaseDefault() {
    expect(
      """
      @Table struct Note {
        let id: Int64
        @Column(.default(sql: "CURRENT_TIMESTAMP")) var created: String
        @Column(.default(sql: "'{}'"), as: .json) var details: Details
        @Column(.default(5)) var rank: Int
      }
      """,
      expandsTo: """
        struct Note {
          let id: Int64
          var created: String
          var details: Details
          var rank: Int

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Note
            let _table: MiniORM.TableName = .init("Note")
            let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "Note", .primaryKey)
            let created: MiniORM.SQLExpression<String> = .init(column: "created", of: "Note", .default(sql: "CURRENT_TIMESTAMP"))
            #sourceLocation(file: "test.swift", line: 3)
            @MiniORM._CheckJSON("'Details' cannot be stored as JSON: declare it 'Codable' and 'Sendable', and 'nonisolated' if the module's declarations belong to the main actor by default",
                                                                   (Details).self) let details: MiniORM.SQLExpression<Details> = .init(column: "details", of: "Note", as: MiniORM.JSON<Details>.self, .default(sql: "'{}'"))
            #sourceLocation()
            let rank: MiniORM.SQLExpression<Int> = .init(column: "rank", of: "Note", .default(5))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Note
            static var omitsRowID: Bool { true }
            var created: String? = nil
            var details: Details? = nil
            var rank: Int = 5
            static func _draft(of row: Note) -> Self { .init(created: row.created, details: row.details, rank: row.rank) }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              try statement.bind(self.created, Swift.Optional<MiniORM.JSON<_>>(self.details), self.rank, at: first)
            }
          }

          typealias PrimaryKey = Int64
        }

        nonisolated extension Note: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Note", [columns.id.schema, columns.created.schema, columns.details.schema, columns.rank.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            self.created = try String(cell: row[1])
            self.details = try MiniORM.JSON(cell: row[2]).value
            self.rank = try Int(cell: row[3])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, self.created, MiniORM.JSON(self.details), self.rank, at: first)
          }
          var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }

  @Test("the schema lists former names of a table and a column") func renamed() {
    expect(
      """
      @Table("town", options: [], renamedFrom: "place", "city") struct City {
        @Column(.unique, as: .json, renamedFrom: "label", "title") var name: Name
        @Column("post_code", renamedFrom: "zip") var postCode: String?
      }
      """,
      expandsTo: """
        struct City {
          var name: Name
          var postCode: String?

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = City
            let _table: MiniORM.TableName = .init("town")
            #sourceLocation(file: "test.swift", line: 1)
            @MiniORM._CheckJSON("'Name' cannot be stored as JSON: declare it 'Codable' and 'Sendable', and 'nonisolated' if the module's declarations belong to the main actor by default",
                                                                                 (Name).self) let name: MiniORM.SQLExpression<Name> = .init(column: "name", of: "town", as: MiniORM.JSON<Name>.self, .unique, .renamed(from: "label", "title"))
            #sourceLocation()
            let postCode: MiniORM.SQLExpression<String?> = .init(column: "post_code", of: "town", .renamed(from: "zip"))
          }

          typealias Draft = City
        }

        nonisolated extension City: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("town", [columns.name.schema, columns.postCode.schema], options: [], renamedFrom: ["place", "city"])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try MiniORM.JSON(cell: row[0]).value
            self.postCode = try String?(cell: row[1])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(MiniORM.JSON(self.name), self.postCode, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("a generated column is read and never bound") func generated() {
    expect(
      """
      @Table struct Line {
        let id: Int64
        var price: Double
        @Column(.generated("price * 2", stored: true)) var twice: Double
      }
      """,
      expandsTo: """
        struct Line {
          let id: Int64
          var price: Double
          var twice: Double

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Line
            let _table: MiniORM.TableName = .init("Line")
            let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "Line", .primaryKey)
            let price: MiniORM.SQLExpression<Double> = .init(column: "price", of: "Line")
            let twice: MiniORM.SQLExpression<Double> = .init(column: "twice", of: "Line", .generated("price * 2", stored: true))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Line
            static var omitsRowID: Bool { true }
            var price: Double
            static func _draft(of row: Line) -> Self { .init(price: row.price) }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              try statement.bind(self.price, at: first)
            }
          }

          typealias PrimaryKey = Int64
        }

        nonisolated extension Line: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Line", [columns.id.schema, columns.price.schema, columns.twice.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            self.price = try Double(cell: row[1])
            self.twice = try Double(cell: row[2])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, self.price, at: first)
          }
          var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }

  @Test("each storage of @Column(as:), and its optional") func representations() {
    expect(
      """
      @Table struct Event {
        @Column(.primaryKey, as: .uuidBytes) let id: UUID
        @Column(as: .unixSeconds) var created: Date
        @Column(as: .unixMilliseconds) var seen: Date?
        @Column("payload", as: .json) var body: Body?
        @Column(as: .uuidBytes) var parent: UUID?
      }
      """,
      expandsTo: """
        struct Event {
          let id: UUID
          var created: Date
          var seen: Date?
          var body: Body?
          var parent: UUID?

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Event
            let _table: MiniORM.TableName = .init("Event")
            let id: MiniORM.SQLExpression<UUID> = .init(column: "id", of: "Event", as: MiniORM.UUIDBytes.self, .primaryKey)
            let created: MiniORM.SQLExpression<Date> = .init(column: "created", of: "Event", as: MiniORM.UnixSeconds.self)
            let seen: MiniORM.SQLExpression<Date?> = .init(column: "seen", of: "Event", as: Swift.Optional<MiniORM.UnixMilliseconds>.self)
            #sourceLocation(file: "test.swift", line: 4)
            @MiniORM._CheckJSON("'Body?' cannot be stored as JSON: declare it 'Codable' and 'Sendable', and 'nonisolated' if the module's declarations belong to the main actor by default",
                                                    (Body).self) let body: MiniORM.SQLExpression<Body?> = .init(column: "payload", of: "Event", as: Swift.Optional<MiniORM.JSON<Body>>.self)
            #sourceLocation()
            let parent: MiniORM.SQLExpression<UUID?> = .init(column: "parent", of: "Event", as: Swift.Optional<MiniORM.UUIDBytes>.self)
          }

          typealias Draft = Event

          typealias PrimaryKey = UUID
        }

        nonisolated extension Event: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Event", [columns.id.schema, columns.created.schema, columns.seen.schema, columns.body.schema, columns.parent.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try MiniORM.UUIDBytes(cell: row[0]).value
            self.created = try MiniORM.UnixSeconds(cell: row[1]).value
            self.seen = try Swift.Optional<MiniORM.UnixMilliseconds>(cell: row[2]).value
            self.body = try Swift.Optional<MiniORM.JSON<_>>(cell: row[3]).value
            self.parent = try Swift.Optional<MiniORM.UUIDBytes>(cell: row[4]).value
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(MiniORM.UUIDBytes(self.id), MiniORM.UnixSeconds(self.created), Swift.Optional<MiniORM.UnixMilliseconds>(self.seen), Swift.Optional<MiniORM.JSON<_>>(self.body), at: first)
            try statement.bind(Swift.Optional<MiniORM.UUIDBytes>(self.parent), at: first + 4)
          }
          var primaryKey: PrimaryKey { self.id }
          static func bind(_ key: PrimaryKey, to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(MiniORM.UUIDBytes(key), at: first)
          }
        }
        """, at: #_sourceLocation)
  }
}
