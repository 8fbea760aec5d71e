import Testing

@Suite("Expansion: @Embedded")
struct EmbeddedExpansionTests {
  @Test("columns after a group are numbered from the end of the group")
  func groups() {
    expect(
      """
      @Table struct Person {
        let id: Int64
        @Embedded var address: Address
        @Embedded("work_") var work: Address?
        var rank = 0
      }
      """,
      expandsTo: """
        struct Person {
          let id: Int64
          var address: Address
          var work: Address?
          var rank = 0

          nonisolated final class Columns: MiniORM.ModelColumns {
            typealias Projected = Person
            let _table: MiniORM.TableName = .init("Person")
            let id: MiniORM.SQLExpression<Int64> = .init(column: "id", of: "Person", .primaryKey)
            #sourceLocation(file: "test.swift", line: 2)
            @MiniORM._CheckEmbedded("'Address' cannot be embedded: '@Embedded' needs a struct with '@Selection'",
                                   (Address).self) let address: Address._PartColumns = .init(embedded: "address_", in: "Person")
            #sourceLocation()
            #sourceLocation(file: "test.swift", line: 3)
            @MiniORM._CheckEmbedded("'Address?' cannot be embedded: '@Embedded' needs a struct with '@Selection'",
                                         (Address).self) let work: Address._OptionalPartColumns = .init(embedded: "work_", in: "Person")
            #sourceLocation()
            let rank: MiniORM.SQLExpression<Int> = .init(column: "rank", of: "Person", .default(0))
          }

          nonisolated struct Draft: MiniORM._RowDraft {
            typealias Stored = Person
            static var omitsRowID: Bool { true }
            var address: Address
            var work: Address? = nil
            var rank: Int = 0
            static func _draft(of row: Person) -> Self { .init(address: row.address, work: row.work, rank: row.rank) }
            func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
              var next: Swift.Int32 = first
              try self.address._bind(to: statement, at: &next)
              try self.work._bind(to: statement, at: &next)
              try statement.bind(self.rank, at: next)
            }
          }

          typealias PrimaryKey = Int64
        }

        nonisolated extension Person: MiniORM.Model, MiniORM.PrimaryKeyedModel {
          static let columns: Columns = .init()
          static let schema: MiniORM.TableSchema = .init("Person", Swift.Array([[columns.id.schema], columns.address._schemas, columns.work._schemas(), [columns.rank.schema]].joined()))
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int64(cell: row[0])
            var next: Swift.Int32 = 1
            self.address = try .init(_row: row, at: &next)
            self.work = try Swift.Optional(_row: row, at: &next)
            self.rank = try Int(cell: row[next])
          }
          func bind(to statement: borrowing MiniORM.Statement, at first: Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, at: first)
            var next: Swift.Int32 = first + 1
            try self.address._bind(to: statement, at: &next)
            try self.work._bind(to: statement, at: &next)
            try statement.bind(self.rank, at: next)
          }
          var primaryKey: PrimaryKey { self.id }
        }
        """, at: #_sourceLocation)
  }
}
