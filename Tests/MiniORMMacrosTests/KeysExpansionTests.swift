import Testing

@Suite("Expansion: keys")
struct KeysExpansionTests {
  @Test("a model with an integer key") func company() {
    expect(
      """
      @Table("company_master", columns: .snakeCase)
      struct Company: Identifiable {
        let id: Int64
        @Column(.unique, .collate(.nocase)) var name: String
        var employeeCount = 0
        var founded: Date?
        @Column(.references(City.self, onDelete: .setNull)) var cityID: City.ID?
        @Column(as: .json) var tags: [String] = []
        @Transient var isSelected = false
      }
      """,
      expandsTo: """
        struct Company: Identifiable {
          let id: Int64
          var name: String
          var employeeCount = 0
          var founded: Date?
          var cityID: City.ID?
          var tags: [String] = []
          var isSelected = false

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Company
            let _table: MiniORM.TableName = .init("company_master")
            let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "company_master", .primaryKey)
            let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "company_master", .unique, .collate(.nocase))
            let employeeCount: MiniORM.SQLExpression<Int> = .init(column: "employee_count", of: "company_master", .default(0))
            let founded: MiniORM.SQLExpression<Date?> = .init(column: "founded", of: "company_master")
            #sourceLocation(file: "test.swift", line: 6)
            @MiniORM._CheckColumn("'City.ID?' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with '@Transient', or make it conform to 'ColumnValue'",
                                                                            (City.ID).self) let cityID: MiniORM.SQLExpression<City.ID?> = .init(column: "city_id", of: "company_master", .references(City.self, onDelete: .setNull))
            #sourceLocation()
            let tags: MiniORM.SQLExpression<[String]> = .init(column: "tags", of: "company_master", as: MiniORM.JSON<[String]>.self, .default(MiniORM.JSON<[String]>([])))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Company
            static var omitsRowID: Bool { true }
            var name: String
            var employeeCount: Int = 0
            var founded: Date? = nil
            var cityID: City.ID? = nil
            var tags: [String] = []
            static func _draft(of row: Company) -> Self { .init(name: row.name, employeeCount: row.employeeCount, founded: row.founded, cityID: row.cityID, tags: row.tags) }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              try statement.bind(self.name, self.employeeCount, self.founded, self.cityID, at: first)
              try statement.bind(MiniORM.JSON(self.tags), at: first + 4)
            }
          }

          typealias PrimaryKey = Int64
        }

        nonisolated extension Company: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("company_master", [columns.id.schema, columns.name.schema, columns.employeeCount.schema, columns.founded.schema, columns.cityID.schema, columns.tags.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            self.name = try String(cell: row[1])
            self.employeeCount = try Int(cell: row[2])
            self.founded = try Date?(cell: row[3])
            self.cityID = try Swift.Optional(cell: row[4])
            self.tags = try MiniORM.JSON(cell: row[5]).value
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, self.name, self.employeeCount, self.founded, at: first)
            try statement.bind(self.cityID, MiniORM.JSON(self.tags), at: first + 4)
          }
          var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }

  @Test("a text key is part of the model and of its inserted columns") func textKey() {
    expect(
      """
      @Table struct Country {
        @Column(.primaryKey) var code: String
        var name: String
      }
      """,
      expandsTo: """
        struct Country {
          var code: String
          var name: String

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Country
            let _table: MiniORM.TableName = .init("Country")
            let code: MiniORM.SQLExpression<String> = .init(column: "code", of: "Country", .primaryKey)
            let name: MiniORM.SQLExpression<String> = .init(column: "name", of: "Country")
          }

          typealias Draft = Country

          typealias PrimaryKey = String
        }

        nonisolated extension Country: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Country", [columns.code.schema, columns.name.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.code = try String(cell: row[0])
            self.name = try String(cell: row[1])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.code, self.name, at: first)
          }
          var primaryKey: PrimaryKey { self.code }
        }
        """, at: #_sourceLocation)
  }

  @Test("a key of several columns") func compositeKey() {
    expect(
      """
      @Table(primaryKey: ["userID", "groupID"], options: [.strict, .withoutRowID])
      struct Membership {
        let userID: Int64
        let groupID: Int64
        var isAdmin = false
      }
      """,
      expandsTo: """
        struct Membership {
          let userID: Int64
          let groupID: Int64
          var isAdmin = false

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Membership
            let _table: MiniORM.TableName = .init("Membership")
            let userID: MiniORM.SQLExpression<Int64> = .init(column: "userID", of: "Membership")
            let groupID: MiniORM.SQLExpression<Int64> = .init(column: "groupID", of: "Membership")
            let isAdmin: MiniORM.SQLExpression<Bool> = .init(column: "isAdmin", of: "Membership", .default(false))
          }

          typealias Draft = Membership

          typealias PrimaryKey = (Int64, Int64)
        }

        nonisolated extension Membership: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Membership", [columns.userID.schema, columns.groupID.schema, columns.isAdmin.schema], primaryKey: ["userID", "groupID"], options: [.strict, .withoutRowID])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.userID = try Int64(cell: row[0])
            self.groupID = try Int64(cell: row[1])
            self.isAdmin = try Bool(cell: row[2])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.userID, self.groupID, self.isAdmin, at: first)
          }
          var primaryKey: PrimaryKey { (self.userID, self.groupID) }
          static func bind(_ key: PrimaryKey, to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(key.0, key.1, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("a model without a key") func noKey() {
    expect(
      """
      @Table struct LogLine {
        var text: String
        var level: Int?
      }
      """,
      expandsTo: """
        struct LogLine {
          var text: String
          var level: Int?

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = LogLine
            let _table: MiniORM.TableName = .init("LogLine")
            let text: MiniORM.SQLExpression<String> = .init(column: "text", of: "LogLine")
            let level: MiniORM.SQLExpression<Int?> = .init(column: "level", of: "LogLine")
          }

          typealias Draft = LogLine
        }

        nonisolated extension LogLine: MiniORM.Model {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("LogLine", [columns.text.schema, columns.level.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.text = try String(cell: row[0])
            self.level = try Int?(cell: row[1])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.text, self.level, at: first)
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("a renamed key with AUTOINCREMENT") func renamedKey() {
    expect(
      """
      @Table struct Order {
        @Column("order_no", .primaryKey(autoincrement: true)) let number: Int
      }
      """,
      expandsTo: """
        struct Order {
          let number: Int

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Order
            let _table: MiniORM.TableName = .init("Order")
            let number: MiniORM.SQLExpression<Int> = .init(column: "order_no", of: "Order", .primaryKey(autoincrement: true))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Order
            static var omitsRowID: Bool { true }
            static func _draft(of row: Order) -> Self { .init() }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            }
          }

          typealias PrimaryKey = Int
        }

        nonisolated extension Order: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Order", [columns.number.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.number = try Int(cell: row[0])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.number, at: first)
          }
          var primaryKey: PrimaryKey { self.number }
        }
        """, at: #_sourceLocation)
  }

  @Test("a key named primaryKey") func keyCalledPrimaryKey() {
    expect(
      """
      @Table struct Odd {
        @Column(.primaryKey) let primaryKey: String
      }
      """,
      expandsTo: """
        struct Odd {
          let primaryKey: String

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Odd
            let _table: MiniORM.TableName = .init("Odd")
            let primaryKey: MiniORM.SQLExpression<String> = .init(column: "primaryKey", of: "Odd", .primaryKey)
          }

          typealias Draft = Odd

          typealias PrimaryKey = String
        }

        nonisolated extension Odd: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Odd", [columns.primaryKey.schema])
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.primaryKey = try String(cell: row[0])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.primaryKey, at: first)
          }
        }
        """, at: #_sourceLocation)
  }
}
