import Testing

let defaultLines = [
  WrittenLines(
    "var x = 3",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(3))"#,
    "var x: Int = 3",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x = -3",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(-3))"#,
    "var x: Int = -3",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: Int = 0x_FF",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(0x_FF))"#,
    "var x: Int = 0x_FF",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: Int? = 1_000",
    #"let x: MiniORM.SQLExpression<Int?> = .init(column: "x", of: "T", .default(1_000))"#,
    "var x: Int? = 1_000",
    "self.x = try Int?(cell: row[1])"
  ),
  WrittenLines(
    "var x: UInt64 = 18_446_744_073_709_551_615",
    #"let x: MiniORM.SQLExpression<UInt64> = .init(column: "x", of: "T", .default(18_446_744_073_709_551_615 as UInt64))"#,
    "var x: UInt64 = 18_446_744_073_709_551_615",
    "self.x = try UInt64(cell: row[1])"
  ),
  WrittenLines(
    "var x = 1.5",
    #"let x: MiniORM.SQLExpression<Double> = .init(column: "x", of: "T", .default(1.5))"#,
    "var x: Double = 1.5",
    "self.x = try Double(cell: row[1])"
  ),
  WrittenLines(
    "var x: Double = -1",
    #"let x: MiniORM.SQLExpression<Double> = .init(column: "x", of: "T", .default(-1 as Double))"#,
    "var x: Double = -1",
    "self.x = try Double(cell: row[1])"
  ),
  WrittenLines(
    "var x: Float = 0.1",
    #"let x: MiniORM.SQLExpression<Float> = .init(column: "x", of: "T", .default(0.1 as Float))"#,
    "var x: Float = 0.1",
    "self.x = try Float(cell: row[1])"
  ),
  WrittenLines(
    "var x: Decimal = 0.1",
    #"let x: MiniORM.SQLExpression<Decimal> = .init(column: "x", of: "T", .default(0.1 as Decimal))"#,
    "var x: Decimal = 0.1",
    "self.x = try Decimal(cell: row[1])"
  ),
  WrittenLines(
    "var x = true",
    #"let x: MiniORM.SQLExpression<Bool> = .init(column: "x", of: "T", .default(true))"#,
    "var x: Bool = true",
    "self.x = try Bool(cell: row[1])"
  ),
  WrittenLines(
    "var x: Bool? = nil",
    #"let x: MiniORM.SQLExpression<Bool?> = .init(column: "x", of: "T")"#,
    "var x: Bool? = nil",
    "self.x = try Bool?(cell: row[1])"
  ),
  WrittenLines(
    #"var x = "it's""#,
    #"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T", .default("it's"))"#,
    #"var x: String = "it's""#,
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    #"var x = "a\tb\"c\\d\u{1F600}\0""#,
    #"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T", .default("a\tb\"c\\d\u{1F600}\0"))"#,
    #"var x: String = "a\tb\"c\\d\u{1F600}\0""#,
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    ##"var x = #"raw \n "quoted""#"##,
    ##"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T", .default(#"raw \n "quoted""#))"##,
    ##"var x: String = #"raw \n "quoted""#"##,
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    #"var x = "sum \(1 + 2)""#,
    #"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T", ._initial("sum \(1 + 2)"))"#,
    #"var x: String = "sum \(1 + 2)""#,
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    #"var x = """#,
    #"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T", .default(""))"#,
    #"var x: String = """#,
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    "var x: Priority = .low",
    #"let x: MiniORM.SQLExpression<Priority> = .init(column: "x", of: "T", .default(Priority.low))"#,
    "var x: Priority = .low",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "var x: Priority? = .low",
    #"let x: MiniORM.SQLExpression<Priority?> = .init(column: "x", of: "T", .default(Priority.low))"#,
    "var x: Priority? = .low",
    "self.x = try Swift.Optional(cell: row[1])"
  ),
  WrittenLines(
    "var x: Priority? = .none",
    #"let x: MiniORM.SQLExpression<Priority?> = .init(column: "x", of: "T")"#,
    "var x: Priority? = .none",
    "self.x = try Swift.Optional(cell: row[1])"
  ),
  WrittenLines(
    "var x: Priority = Priority.low",
    #"let x: MiniORM.SQLExpression<Priority> = .init(column: "x", of: "T", .default(Priority.low))"#,
    "var x: Priority = Priority.low",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "var x: Priority = .init(rawValue: 1)",
    #"let x: MiniORM.SQLExpression<Priority> = .init(column: "x", of: "T", ._initial((Priority.init(rawValue: 1)) as Priority))"#,
    "var x: Priority = .init(rawValue: 1)",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "var x: Priority = Other.low",
    #"let x: MiniORM.SQLExpression<Priority> = .init(column: "x", of: "T", ._initial((Other.low) as Priority))"#,
    "var x: Priority = Other.low",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "var x: Int = .max",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(Int.max))"#,
    "var x: Int = .max",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: Date = .now",
    #"let x: MiniORM.SQLExpression<Date> = .init(column: "x", of: "T")"#,
    "var x: Date = .now",
    "self.x = try Date(cell: row[1])"
  ),
  WrittenLines(
    "var x = Date()",
    #"let x: MiniORM.SQLExpression<Date> = .init(column: "x", of: "T")"#,
    "var x: Date = Date()",
    "self.x = try Date(cell: row[1])"
  ),
  WrittenLines(
    "var x = UUID()",
    #"let x: MiniORM.SQLExpression<UUID> = .init(column: "x", of: "T")"#,
    "var x: UUID = UUID()",
    "self.x = try UUID(cell: row[1])"
  ),
  WrittenLines(
    "var x: Int = compute(1, 2)",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", ._initial((compute(1, 2)) as Int))"#,
    "var x: Int = compute(1, 2)",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: Int = { 3 }()",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", ._initial(({ 3 }()) as Int))"#,
    "var x: Int = { 3 }()",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: Int = 60 * 60",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default((60 * 60) as Int))"#,
    "var x: Int = 60 * 60",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: Celsius = 3",
    #"let x: MiniORM.SQLExpression<Celsius> = .init(column: "x", of: "T", .default(3 as Celsius))"#,
    "var x: Celsius = 3",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "@Column(as: .json) var x: [String] = []",
    #"let x: MiniORM.SQLExpression<[String]> = .init(column: "x", of: "T", as: MiniORM.JSON<[String]>.self, .default(MiniORM.JSON<[String]>([])))"#,
    "var x: [String] = []",
    "self.x = try MiniORM.JSON(cell: row[1]).value"
  ),
  WrittenLines(
    #"@Column(as: .json) var x: [String: [Int]] = ["a": [1, -2]]"#,
    #"let x: MiniORM.SQLExpression<[String: [Int]]> = .init(column: "x", of: "T", as: MiniORM.JSON<[String: [Int]]>.self, .default(MiniORM.JSON<[String: [Int]]>(["a": [1, -2]])))"#,
    #"var x: [String: [Int]] = ["a": [1, -2]]"#,
    "self.x = try MiniORM.JSON(cell: row[1]).value"
  ),
  WrittenLines(
    "@Column(as: .json) var x: [Int]? = [1]",
    #"let x: MiniORM.SQLExpression<[Int]?> = .init(column: "x", of: "T", as: Swift.Optional<MiniORM.JSON<[Int]>>.self, .default(MiniORM.JSON<[Int]>([1])))"#,
    "var x: [Int]? = [1]",
    "self.x = try Swift.Optional<MiniORM.JSON<_>>(cell: row[1]).value"
  ),
  WrittenLines(
    #"@Column(as: .json) var x: [String] = ["\(1)"]"#,
    #"let x: MiniORM.SQLExpression<[String]> = .init(column: "x", of: "T", as: MiniORM.JSON<[String]>.self, ._initial(MiniORM.JSON<[String]>(["\(1)"])))"#,
    #"var x: [String] = ["\(1)"]"#,
    "self.x = try MiniORM.JSON(cell: row[1]).value"
  ),
  WrittenLines(
    "@Column(as: .json) var x: Settings = .standard",
    #"let x: MiniORM.SQLExpression<Settings> = .init(column: "x", of: "T", as: MiniORM.JSON<Settings>.self, .default(MiniORM.JSON<Settings>(Settings.standard)))"#,
    "var x: Settings = .standard",
    "self.x = try MiniORM.JSON(cell: row[1]).value"
  ),
  WrittenLines(
    "@Column(as: .unixSeconds) var x: Date = .distantPast",
    #"let x: MiniORM.SQLExpression<Date> = .init(column: "x", of: "T", as: MiniORM.UnixSeconds.self, ._initial(MiniORM.UnixSeconds(Date.distantPast)))"#,
    "var x: Date = .distantPast",
    "self.x = try MiniORM.UnixSeconds(cell: row[1]).value"
  ),
  WrittenLines(
    "@Column(as: .decimal(scale: 2)) var x: Decimal = 9.99",
    #"let x: MiniORM.SQLExpression<Decimal> = .init(column: "x", of: "T", as: MiniORM.ScaledDecimal<MiniORM.DecimalScales.S2>.self, .default(MiniORM.ScaledDecimal<MiniORM.DecimalScales.S2>(9.99)))"#,
    "var x: Decimal = 9.99",
    "self.x = try MiniORM.ScaledDecimal<MiniORM.DecimalScales.S2>(cell: row[1]).value"
  ),
  WrittenLines(
    "@Column(.default(5), as: .decimal(scale: 18)) var x: Decimal?",
    #"let x: MiniORM.SQLExpression<Decimal?> = .init(column: "x", of: "T", as: Swift.Optional<MiniORM.ScaledDecimal<MiniORM.DecimalScales.S18>>.self, .default(MiniORM.ScaledDecimal<MiniORM.DecimalScales.S18>(5)))"#,
    "var x: Decimal? = 5",
    "self.x = try Swift.Optional<MiniORM.ScaledDecimal<MiniORM.DecimalScales.S18>>(cell: row[1]).value"
  ),
  WrittenLines(
    "@Column(.default(7)) var x: Int",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(7))"#,
    "var x: Int = 7",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "@Column(.default(7)) var x: Int = 8",
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(7))"#,
    "var x: Int = 8",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "@Column(.default(Priority.low)) var x: Priority",
    #"let x: MiniORM.SQLExpression<Priority> = .init(column: "x", of: "T", .default(Priority.low))"#,
    "var x: Priority = Priority.low",
    "self.x = try .init(cell: row[1])"
  ),
  WrittenLines(
    "@Column(.default(.now)) var x: Date",
    #"let x: MiniORM.SQLExpression<Date> = .init(column: "x", of: "T", .default(.now))"#,
    "var x: Date? = nil",
    "self.x = try Date(cell: row[1])"
  ),
  WrittenLines(
    #"@Column(.default(sql: "random()")) var x: Int"#,
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(sql: "random()"))"#,
    "var x: Int? = nil",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    #"@Column(.default(sql: "random()")) var x: Int?"#,
    #"let x: MiniORM.SQLExpression<Int?> = .init(column: "x", of: "T", .default(sql: "random()"))"#,
    "var x: Int? = nil",
    "self.x = try Int?(cell: row[1])"
  ),
  WrittenLines(
    #"@Column(.default(sql: "random()")) var x: Int = 4"#,
    #"let x: MiniORM.SQLExpression<Int> = .init(column: "x", of: "T", .default(sql: "random()"))"#,
    "var x: Int? = 4",
    "self.x = try Int(cell: row[1])"
  ),
  WrittenLines(
    "var x: [ UInt8 ] = [1]",
    #"let x: MiniORM.SQLExpression<[UInt8]> = .init(column: "x", of: "T", .default(([1]) as [UInt8]))"#,
    "var x: [UInt8] = [1]",
    "self.x = try [UInt8](cell: row[1])"
  ),
  WrittenLines(
    #"""
    var x = """
        one "1"
          two \
        three
        """
    """#,
    #"let x: MiniORM.SQLExpression<String> = .init(column: "x", of: "T", .default("one \"1\"\n  two three"))"#,
    #"var x: String = "one \"1\"\n  two three""#,
    "self.x = try String(cell: row[1])"
  ),
  WrittenLines(
    ##"""
    var x: String? = #"""
        a\n
        """#
    """##,
    #"let x: MiniORM.SQLExpression<String?> = .init(column: "x", of: "T", .default("a\\n"))"#,
    #"var x: String? = "a\\n""#,
    "self.x = try String?(cell: row[1])"
  ),
]
