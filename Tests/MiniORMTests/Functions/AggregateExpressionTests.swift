import Testing

@testable import MiniORM

@Suite("Aggregates and windows in expressions")
struct AggregateExpressionTests {
  private let c = Person.columns
  private let all: SQL = "FROM person"
  private let none: SQL = "FROM person WHERE 0"

  @Test("aggregates of optional values are optional once, also without a type annotation")
  func optionals() {
    func type<Output>(_ query: Select<Output>) -> String { "\(Output.self)" }
    let types = [
      type(makers.select { $0.founded.nullif(3) }),
      type(makers.select { $0.founded.nullif($0.founded) }),
      type(makers.select { $0.founded.min() }), type(makers.select { $0.founded.max() }),
      type(makers.select { $0.founded.lag().over(orderBy: $0.id) }),
      type(makers.select { $0.founded.lead(2).over(orderBy: $0.id) }),
      type(makers.select { $0.founded.firstValue().over(orderBy: $0.id) }),
      type(makers.select { $0.founded.lastValue().over(orderBy: $0.id) }),
      type(makers.select { $0.founded.nthValue(2).over(orderBy: $0.id) }),
      type(makers.select { makers.select { $0.founded }.scalar().nullif($0.founded) }),
    ]
    #expect(types == Array(repeating: "Optional<Int>", count: types.count))
    let pairs = makers.select {
      ($0.founded.lag().over(orderBy: $0.id), $0.founded.nullif($0.founded))
    }
    #expect(type(pairs) == "(Optional<Int>, Optional<Int>)")
    #expect(type(makers.select { $0.name.lag().over(orderBy: $0.id) }) == "Optional<String>")
    #expect(type(makers.select { $0.name.nullif($0.name) }) == "Optional<String>")
  }

  @Test("aggregates with DISTINCT and FILTER; without rows NULL, or 0 where SQLite returns 0")
  func aggregates() async throws {
    let filter = #" FILTER (WHERE ("person"."isActive" = 1))"#
    try await withPeople { database, _ throws in
      func expect<Value: Equatable & Sendable>(
        _ expression: MiniORM.SQLExpression<Value>, _ sql: String, _ value: Value, _ ofNone: Value
      ) async throws {
        try await database.expect(expression, sql, [value], from: all)
        try await database.expect(expression, sql, [ofNone], from: none)
      }
      try await expect(SQL.count(), "count(*)", 5, 0)
      try await expect(SQL.count(filter: c.isActive), "count(*)" + filter, 3, 0)
      try await expect(c.level.count(), #"count("person"."level")"#, 4, 0)
      try await expect(
        c.level.count(distinct: true, filter: c.isActive),
        #"count(DISTINCT "person"."level")"# + filter,
        2, 0)
      try await expect(c.age.sum(), #"sum("person"."age")"#, 182, nil)
      try await expect(
        c.age.sum(distinct: true), #"sum(DISTINCT "person"."age")"#, 162, nil)
      try await expect(c.age.sum(filter: c.isActive), #"sum("person"."age")"# + filter, 97, nil)
      try await expect(c.score.sum(), #"sum(1.0 * "person"."score")"#, 18.5, nil)
      try await expect(c.age.total(), #"total("person"."age")"#, 182, 0)
      try await expect(
        c.level.total(distinct: true, filter: c.isActive),
        #"total(DISTINCT "person"."level")"# + filter, 5, 0)
      try await expect(c.age.average(), #"avg("person"."age")"#, 36.4, nil)
      try await expect(
        c.level.average(distinct: true), #"avg(DISTINCT "person"."level")"#, 2, nil)
      try await expect(c.name.min(), #"min("person"."name")"#, "Ada", nil)
      try await expect(c.level.min(), #"min("person"."level")"#, 1, nil)
      try await expect(c.level.min(filter: c.isActive), #"min("person"."level")"# + filter, 2, nil)
      try await expect(
        c.name.min(filter: c.isActive), #"min("person"."name")"# + filter, "Ada", nil)
      try await expect(c.name.max(), #"max("person"."name")"#, "Eve", nil)
      try await expect(
        c.score.max(filter: c.isActive), #"max("person"."score")"# + filter, 9.5, nil)
    }
  }

  @Test("group_concat with a separator, an order, DISTINCT and FILTER")
  func groupConcat() async throws {
    try await withPeople { database, _ throws in
      try await database.expect(
        c.name.groupConcat(separator: "; ", orderBy: c.age.descending, c.name, filter: c.isActive),
        #"group_concat("person"."name", ? ORDER BY "person"."age" DESC, "person"."name") "#
          + #"FILTER (WHERE ("person"."isActive" = 1))"#, ["Eve; Ada; Cid"], binding: [.text("; ")],
        from: all)
      try await database.expect(
        c.level.groupConcat(distinct: true, orderBy: c.level),
        #"group_concat(DISTINCT "person"."level" ORDER BY "person"."level")"#, ["1,2,3"], from: all)
      try await database.expect(
        c.nickname.groupConcat(orderBy: c.id),
        #"group_concat("person"."nickname" ORDER BY "person"."id")"#,
        ["Countess,C,"], from: all)
      try await database.expect(
        c.nickname.groupConcat(separator: "-"), #"group_concat("person"."nickname", ?)"#, [nil],
        binding: [.text("-")], from: none)
    }
  }

  @Test("aggregates of groups, in SELECT and in HAVING")
  func groups() async throws {
    try await withPeople { database, _ throws in
      let condition = c.age.sum() > 40 && SQL.count() > 1
      let rows = try await database.read { [c] db in
        try db.query(
          """
          SELECT \(c.isActive), \(c.age.sum() ?? 0), \(SQL.count()) FROM person
          GROUP BY \(c.isActive) HAVING \(condition) ORDER BY \(c.age.sum()) DESC
          """)
      }
      #expect(
        rows.map(\.values) == [
          [.integer(1), .integer(97), .integer(3)], [.integer(0), .integer(85), .integer(2)],
        ])
    }
  }

  @Test("rank functions of a row among others")
  func places() async throws {
    try await withPeople { database, _ throws in
      let order = #" OVER (ORDER BY "person"."age")"#
      try await database.expect(
        SQL.rowNumber().over(orderBy: c.age.descending, c.id),
        #"row_number() OVER (ORDER BY "person"."age" DESC, "person"."id")"#, [3, 4, 5, 1, 2])
      try await database.expect(SQL.rank().over(orderBy: c.age), "rank()" + order, [3, 1, 1, 5, 4])
      try await database.expect(
        SQL.denseRank().over(orderBy: c.age), "dense_rank()" + order, [2, 1, 1, 4, 3])
      try await database.expect(
        SQL.percentRank().over(orderBy: c.age), "percent_rank()" + order, [0.5, 0, 0, 1, 0.75])
      try await database.expect(
        SQL.cumeDist().over(orderBy: c.age), "cume_dist()" + order, [0.6, 0.4, 0.4, 1, 0.8])
      try await database.expect(
        SQL.ntile(2).over(partitionBy: c.isActive, orderBy: c.id),
        #"ntile(?) OVER (PARTITION BY "person"."isActive" ORDER BY "person"."id")"#,
        [1, 1, 1, 2, 2],
        binding: [.integer(2)])
      try await database.expect(
        SQL.rowNumber().over().max(0) * 0, "(max(row_number() OVER (), ?) * ?)",
        [0, 0, 0, 0, 0], binding: [.integer(0), .integer(0)])
    }
  }

  @Test("values of neighbouring rows, optional where NULL is possible")
  func others() async throws {
    let order = #" OVER (ORDER BY "person"."id")"#
    try await withPeople { database, _ throws in
      func expect<Value: Equatable & Sendable>(
        _ function: WindowFunction<Value>, _ sql: String, _ values: [Value],
        _ bindings: [DatabaseValue] = []
      ) async throws {
        try await database.expect(
          function.over(orderBy: c.id), sql + order, values, binding: bindings)
      }
      let age = #""person"."age""#
      let level = #""person"."level""#
      try await expect(c.age.lag(), "lag(\(age), ?)", [nil, 36, 20, 20, 65], [.integer(1)])
      try await expect(c.level.lag(2), "lag(\(level), ?)", [nil, nil, 3, 1, nil], [.integer(2)])
      try await expect(
        c.age.lag(default: 0), "lag(\(age), ?, ?)", [0, 36, 20, 20, 65], [.integer(1), .integer(0)])
      try await expect(c.age.lead(), "lead(\(age), ?)", [20, 20, 65, 41, nil], [.integer(1)])
      try await expect(c.level.lead(), "lead(\(level), ?)", [1, nil, 3, 2, nil], [.integer(1)])
      try await expect(
        c.level.lead(3, default: 9), "lead(\(level), ?, ?)", [3, 2, 9, 9, 9],
        [.integer(3), .integer(9)])
      try await expect(c.age.firstValue(), "first_value(\(age))", [36, 36, 36, 36, 36])
      try await expect(c.level.firstValue(), "first_value(\(level))", [3, 3, 3, 3, 3])
      try await expect(c.age.lastValue(), "last_value(\(age))", [36, 20, 20, 65, 41])
      try await expect(c.level.lastValue(), "last_value(\(level))", [3, 1, nil, 3, 2])
      try await expect(
        c.age.nthValue(2), "nth_value(\(age), ?)", [nil, 20, 20, 20, 20], [.integer(2)])
      try await expect(
        c.level.nthValue(3), "nth_value(\(level), ?)", [nil, nil, nil, nil, nil], [.integer(3)])
    }
  }

  @Test("frames of rows, ranges and groups, with exclusions")
  func frames() async throws {
    try await withPeople { database, _ throws in
      func expect(
        _ frame: WindowFrame, _ sql: String, _ values: [Int?], _ bindings: [DatabaseValue] = []
      ) async throws {
        try await database.expect(
          c.age.sum().over(orderBy: c.age, frame: frame),
          #"sum("person"."age") OVER (ORDER BY "person"."age" \#(sql))"#, values,
          binding: bindings, from: "FROM person ORDER BY age, id")
      }
      // The ages are 20, 20, 36, 41 and 65.
      try await expect(
        .rows(.preceding(1)), "ROWS BETWEEN ? PRECEDING AND CURRENT ROW", [20, 40, 56, 77, 106],
        [.integer(1)])
      try await expect(
        .rows(.currentRow, .following(1)), "ROWS BETWEEN CURRENT ROW AND ? FOLLOWING",
        [40, 56, 77, 106, 65], [.integer(1)])
      try await expect(
        .rows(.unboundedPreceding, .unboundedFollowing, exclude: .currentRow),
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW",
        [162, 162, 146, 141, 117])
      try await expect(
        .rows(.following(1), .following(2)), "ROWS BETWEEN ? FOLLOWING AND ? FOLLOWING",
        [56, 77, 106, 65, nil], [.integer(1), .integer(2)])
      try await expect(
        .range(.preceding(5), .following(16)), "RANGE BETWEEN ? PRECEDING AND ? FOLLOWING",
        [76, 76, 77, 77, 65], [.integer(5), .integer(16)])
      try await expect(
        .range(.unboundedPreceding, .preceding(0.5)),
        "RANGE BETWEEN UNBOUNDED PRECEDING AND ? PRECEDING",
        [nil, nil, 40, 76, 117], [.real(0.5)])
      try await expect(
        .groups(.preceding(1), .currentRow, exclude: .ties),
        "GROUPS BETWEEN ? PRECEDING AND CURRENT ROW EXCLUDE TIES", [20, 20, 76, 77, 106],
        [.integer(1)])
      try await expect(
        .groups(.preceding(1), exclude: .group),
        "GROUPS BETWEEN ? PRECEDING AND CURRENT ROW EXCLUDE GROUP", [nil, nil, 40, 36, 41],
        [.integer(1)])
      // SQLite reports an invalid frame.
      let error = try await failure {
        try await database.values(
          of: c.age.sum().over(orderBy: c.age, frame: .rows(.following(1), .preceding(1))),
          "FROM person")
      }
      #expect(error.message == "unsupported frame specification")
    }
  }
}
