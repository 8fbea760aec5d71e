import Testing

/// Declarations that would lose values or rules without an error.
let lossMisuses = [
  Misuse(
    """
    @Table struct City {
      let id: Int64
      #if canImport(UIKit)
        var icon: String
      #endif
    }
    """,
    [.init(3, 3, unknownImport("canImport(UIKit)"))]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      #if !os(Nowhere) && canImport(UIKit)
        var icon: String
      #else
        var icon: Int
      #endif
    }
    """,
    [.init(3, 3, unknownImport("!os(Nowhere) && canImport(UIKit)"))]),
  Misuse(
    """
    @Selection struct Place {
      var x: Int
      #if canImport(UIKit)
        #if DEBUG
          var y: Int
        #endif
      #endif
    }
    """,
    [
      .init(
        3, 3,
        unknownImport("canImport(UIKit)").replacing("@Table", with: "@Selection"))
    ]),
  Misuse(
    """
    @Table struct City {
      @Column("title") @Column(.unique) var name: String
      @Embedded @Embedded("to_") var place: Place
    }
    """,
    [
      .init(2, 20, "A property can have only one '@Column': move all arguments into the first one"),
      .init(
        3, 13, "A property can have only one '@Embedded': move all arguments into the first one"),
    ]),
  Misuse(
    """
    @Table struct City {
      var name: String
      var size: Int?? // km²
    }
    """,
    [
      .init(
        3, 13,
        "'size' is a nested optional, and NULL can represent only one of its two nil values: declare "
          + "it as 'Int?'",
        .init(
          "Declare it as 'Int?'",
          """
          @Table struct City {
            var name: String
            var size: Int? // km²
          }
          """))
    ]),
  Misuse(
    """
    @Selection struct City {
      var size: Swift.Optional<Place?>
    }
    """,
    [
      .init(
        2, 13,
        "'size' is a nested optional, and NULL can represent only one of its two nil values: declare "
          + "it as 'Place?'",
        .init(
          "Declare it as 'Place?'",
          """
          @Selection struct City {
            var size: Place?
          }
          """))
    ]),
  Misuse(
    """
    @Table struct Visit {
      @Column(.default(Date())) var made: Date
      @Column(.unique, .default(-random(1))) var number: Int
      @Column(.default(Date.now)) var changed: Date?
      @Column(.default({ 1 }())) var count: Int
    }
    """,
    [
      .init(2, 20, changing("Date()", "made: Date")),
      .init(3, 29, changing("-random(1)", "number: Int")),
      .init(4, 20, changing("Date.now", "changed: Date?")),
      .init(5, 20, changing("{ 1 }()", "count: Int")),
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      static var indexes: [Index<Town>] { [] }
    }
    """,
    [
      .init(
        3, 23, ignored("indexes", "[Index<Town>]", "[Index<City>]"),
        .init(
          "Declare it as '[Index<City>]'",
          """
          @Table struct City {
            let id: Int64
            static var indexes: [Index<City>] { [] }
          }
          """))
    ]),
  Misuse(
    """
    @Table struct City {
      let id: Int64
      public static let constraints: [MiniORM.TableConstraint<Map.Town>] = []
      static var defaultScope: Scope<Town> { .none }
    }
    """,
    [
      .init(
        3, 34,
        ignored(
          "constraints", "[MiniORM.TableConstraint<Map.Town>]", "[TableConstraint<City>]"),
        .init(
          "Declare it as '[TableConstraint<City>]'",
          """
          @Table struct City {
            let id: Int64
            public static let constraints: [TableConstraint<City>] = []
            static var defaultScope: Scope<Town> { .none }
          }
          """)),
      .init(
        4, 28, ignored("defaultScope", "Scope<Town>", "Scope<City>"),
        .init(
          "Declare it as 'Scope<City>'",
          """
          @Table struct City {
            let id: Int64
            public static let constraints: [MiniORM.TableConstraint<Map.Town>] = []
            static var defaultScope: Scope<City> { .none }
          }
          """)),
    ]),
]

/// Similar declarations that lose nothing.
let lossless = [
  "#if canImport(UIKit)\n  var icon: Int { 1 }\n  @Transient var seen = false\n  func f() {}\n#endif",
  "#if DEBUG || canImport(UIKit)\n  var icon: Int\n#endif",
  "#if os(Nowhere) && canImport(UIKit)\n  var icon: Int\n#endif",
  "@Column(as: .json) var size: Int??",
  "@Column(.default(0.1 + 0.2)) var rate: Double",
  "@Column(.default(Double.nan)) var rate: Double",
  "@Column(.default(-1)) var level: Int",
  "@Column(.notNull(onConflict: .replace), .unique(onConflict: .ignore)) var level = 1",
  "@Column(.default(Level.low)) var level: Level",
  "static var indexes: [Index<City>] { [] }",
  "static var indexes: [MiniORM.Index<Map.City>] { [] }",
  "static var constraints: [TableConstraint<Self>] { [] }",
  "static var defaultScope: Scope<Self> { .none }",
]

private func unknownImport(_ condition: String) -> String {
  "@Table cannot evaluate '#if \(condition)', so it does not know which properties are stored: test "
    + "'os(…)' or a flag of '-D' instead of 'canImport', or put '#if' around the whole struct"
}

private func changing(_ value: String, _ property: String) -> String {
  "DEFAULT is one value for all rows, and '\(value)' may differ at each launch: write "
    + "'var \(property) = \(value)' for a default in Swift, or '.default(.now)' or "
    + "'.default(sql: …)' for one that SQLite computes"
}

private func ignored(_ name: String, _ type: String, _ expected: String) -> String {
  "'\(name)' of type '\(type)' is not used: declare it as '\(expected)', or move it to the model "
    + "that it belongs to"
}
