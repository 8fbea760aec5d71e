import Testing

@Suite("Expansion: @Selection")
struct SelectionExpansionTests {
  @Test("an initializer, and columns for building and naming") func selection() {
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
            public let name: MiniORM.SQLExpression<String>
            public let founded: MiniORM.SQLExpression<Date?>
            public let tags: MiniORM.SQLExpression<[String]>
            public init(name: MiniORM.SQLExpression<String>, founded: MiniORM.SQLExpression<Date?>, tags: MiniORM.SQLExpression<[String]>) { (self.name, self.founded, self.tags) = (name, founded, tags) }
            public init(of table: Swift.String) {
              self.name = .init(column: "name", of: table)
              self.founded = .init(column: "since", of: table)
              self.tags = .init(column: "tags", of: table, as: MiniORM.JSON<[String]>.self)
            }
            public static var _columnCount: Swift.Int32 { 3 }
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
          public func _bind(to statement: borrowing MiniORM.Statement, at next: inout Swift.Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.name, self.founded, MiniORM.JSON(self.tags), at: next)
            next += 3
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("a single property") func one() {
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
            let id: MiniORM.SQLExpression<Int?>
            init(id: MiniORM.SQLExpression<Int?>) { self.id = id }
            init(of table: Swift.String) {
              self.id = .init(column: "id", of: table)
            }
            static var _columnCount: Swift.Int32 { 1 }
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
          func _bind(to statement: borrowing MiniORM.Statement, at next: inout Swift.Int32) throws(MiniORM.DatabaseError) {
            try statement.bind(self.id, at: next)
            next += 1
          }
        }
        """, at: #_sourceLocation)
  }

  @Test("for types that may be models, the compiler chooses between columns and an expression")
  func parts() {
    expect(
      """
      @Selection struct Row {
        let reminder: Reminder
        let list: Lists.List?
        var tags: Int
        var pair: [Int: Int]
      }
      """,
      expandsTo: """
        struct Row {
          let reminder: Reminder
          let list: Lists.List?
          var tags: Int
          var pair: [Int: Int]

          nonisolated struct Columns: MiniORM.SelectionColumns {
            typealias Projected = Row
            #sourceLocation(file: "test.swift", line: 1)
            @MiniORM._CheckSelected("'Reminder' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with '@Transient', or make it conform to 'ColumnValue', a '@Table' or a '@Selection'",
                          (Reminder).self) let reminder: Reminder._PartColumns
            #sourceLocation()
            #sourceLocation(file: "test.swift", line: 2)
            @MiniORM._CheckSelected("'Lists.List?' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with '@Transient', or make it conform to 'ColumnValue', a '@Table' or a '@Selection'",
                      (Lists.List).self) let list: Lists.List._OptionalPartColumns
            #sourceLocation()
            let tags: MiniORM.SQLExpression<Int>
            #sourceLocation(file: "test.swift", line: 4)
            @MiniORM._CheckSelected("'[Int: Int]' cannot be a column: store it as JSON with '@Column(as: .json)', leave it out with '@Transient', or make it conform to 'ColumnValue', a '@Table' or a '@Selection'",
                      ([Int: Int]).self) let pair: MiniORM.SQLExpression<[Int: Int]>
            #sourceLocation()
            init(reminder: some MiniORM._SelectionPart<Reminder._PartColumns>, list: some MiniORM._SelectionPart<Lists.List._OptionalPartColumns>, tags: MiniORM.SQLExpression<Int>, pair: MiniORM.SQLExpression<[Int: Int]>) { (self.reminder, self.list, self.tags, self.pair) = (reminder._part, list._part, tags, pair) }
            init(of table: Swift.String) {
              self.reminder = .init(column: "reminder", of: table)
              self.list = .init(column: "list", of: table)
              self.tags = .init(column: "tags", of: table)
              self.pair = .init(column: "pair", of: table)
            }
            static var _columnCount: Swift.Int32 { 2 + Reminder._PartColumns._columnCount + Lists.List._OptionalPartColumns._columnCount }
            static func resultColumns(_ projection: Self) -> [MiniORM.ResultColumn] {
              let columns: [[MiniORM.ResultColumn]] = [MiniORM.ResultColumn._all(projection.reminder, as: "reminder"), MiniORM.ResultColumn._all(projection.list, as: "list"), [.init(projection.tags, as: "tags")], [.init(projection.pair, as: "pair")]]
              return columns.flatMap { $0 }
            }
            static func reader(_ projection: Self) -> MiniORM.RowReader<Row> { .init(projection) }
          }
        }

        nonisolated extension Row: MiniORM.Selection {
          init(row: borrowing MiniORM.Row) throws(MiniORM.DatabaseError) {
            var next: Swift.Int32 = 0
            self.reminder = try .init(_row: row, at: &next)
            self.list = try Swift.Optional(_row: row, at: &next)
            self.tags = try Int(cell: row[next])
            self.pair = try .init(cell: row[next + 1])
          }
          func _bind(to statement: borrowing MiniORM.Statement, at next: inout Swift.Int32) throws(MiniORM.DatabaseError) {
            try self.reminder._bind(to: statement, at: &next)
            try self.list._bind(to: statement, at: &next)
            try statement.bind(self.tags, self.pair, at: next)
            next += 2
          }
        }
        """, at: #_sourceLocation)
  }
}
