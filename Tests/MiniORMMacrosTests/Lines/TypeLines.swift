import Testing

let typeLines = [
  WrittenLines(
    "var x: Int!",
    #"let x: MiniORM.SQLExpression<Int?> = .init(column: "x", of: "T")"#,
    "var x: Int? = nil",
    "self.x = try Int?(cell: row[1])"
  ),
  WrittenLines(
    "var x: Optional<Int>",
    #"let x: MiniORM.SQLExpression<Optional<Int>> = .init(column: "x", of: "T")"#,
    "var x: Optional<Int> = nil",
    "self.x = try Optional<Int>(cell: row[1])"
  ),
  WrittenLines(
    "var x: Swift.Optional<Int>",
    #"let x: MiniORM.SQLExpression<Swift.Optional<Int>> = .init(column: "x", of: "T")"#,
    "var x: Swift.Optional<Int> = nil",
    "self.x = try Swift.Optional<Int>(cell: row[1])"
  ),
  WrittenLines(
    "var x: [UInt8]",
    #"let x: MiniORM.SQLExpression<[UInt8]> = .init(column: "x", of: "T")"#,
    "var x: [UInt8]",
    "self.x = try [UInt8](cell: row[1])"
  ),
  WrittenLines(
    "var x: [UInt8]?",
    #"let x: MiniORM.SQLExpression<[UInt8]?> = .init(column: "x", of: "T")"#,
    "var x: [UInt8]? = nil",
    "self.x = try [UInt8]?(cell: row[1])"
  ),
  WrittenLines(
    "var x: City.ID?",
    #"let x: MiniORM.SQLExpression<City.ID?> = .init(column: "x", of: "T")"#,
    "var x: City.ID? = nil",
    "self.x = try Swift.Optional(cell: row[1])"
  ),
  WrittenLines(
    "var x: Swift.Int",
    #"let x: MiniORM.SQLExpression<Swift.Int> = .init(column: "x", of: "T")"#,
    "var x: Swift.Int",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "let x: Int?",
    #"let x: MiniORM.SQLExpression<Int?> = .init(column: "x", of: "T")"#,
    "var x: Int? = nil",
    "self.x = try Int?(cell: row[1])"
  ),
  WrittenLines(
    "let x: String",
    #"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T")"#,
    "var x: String",
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    "private var x: Int",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T")"#,
    "var x: Int",
    "self.x = try Int(cell: row[1])"
  ),
]
