import Testing

@Suite("Expansion: @Selection")
struct SelectionExpansionTests {
  @Test("an initializer, and columns to build and to name") func selection() {
    expect(
      """
      @Selection public struct Line {
        public let name: String
        @Column("since") public var founded: Date?
        @Column(as: .json) public var tags: [String]
        @Transient public var isOpen = false
      }
      """,
      expandsTo: """
        public struct Line {
          public let name: String
          public var founded: Date?
          public var tags: [String]
          public var isOpen = false

          public nonisolated struct Columns: MiniORM.SelectionColumns {
            public typealias Projected = Line
            public let name: MiniORM.Expression<String>
            public let founded: MiniORM.Expression<Date?>
            public let tags: MiniORM.Expression<[String]>
            public init(name: MiniORM.Expression<String>, founded: MiniORM.Expression<Date?>, tags: MiniORM.Expression<[String]>) { (self.name, self.founded, self.tags) = (name, founded, tags) }
            public init(of table: Swift.String) {
              self.name = .init(column: "name", of: table)
              self.founded = .init(column: "since", of: table)
              self.tags = .init(column: "tags", of: table, as: MiniORM.JSON<[String]>.self)
            }
            public static func resultColumns(_ projection: Self) -> [MiniORM.ResultColumn] {
              [.init(projection.name, as: "name"), .init(projection.founded, as: "since"), .init(projection.tags, as: "tags", stored: MiniORM.JSON<[String]>.self)]
            }
            public static func reader(_ projection: Self) -> MiniORM.RowReader<Line> { .init(projection) }
          }
        }

        nonisolated extension Line: MiniORM.Selection {
          public init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.name = try String(cell: row[0])
            self.founded = try Date?(cell: row[1])
            self.tags = try MiniORM.JSON(cell: row[2]).value
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("one property") func one() {
    expect(
      """
      @Selection struct Count {
        var id: Int?
      }
      """,
      expandsTo: """
        struct Count {
          var id: Int?

          nonisolated struct Columns: MiniORM.SelectionColumns {
            typealias Projected = Count
            let id: MiniORM.Expression<Int?>
            init(id: MiniORM.Expression<Int?>) { self.id = id }
            init(of table: Swift.String) {
              self.id = .init(column: "id", of: table)
            }
            static func resultColumns(_ projection: Self) -> [MiniORM.ResultColumn] {
              [.init(projection.id, as: "id")]
            }
            static func reader(_ projection: Self) -> MiniORM.RowReader<Count> { .init(projection) }
          }
        }

        nonisolated extension Count: MiniORM.Selection {
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            self.id = try Int?(cell: row[0])
          }
        }
        """, at: #_sourceLocation)
  }
}
