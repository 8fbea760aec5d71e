import Testing

@testable import MiniORM

@Suite("CASE, CAST and NULL functions")
struct CaseTests {
  private let c = Person.columns

  @Test("CASE with conditions, with or without ELSE")
  func searched() async throws {
    try await withPeople { database, _ throws in
      try await database.expect(
        Case.when(c.age < 21, then: "young").when(c.age < 60, then: "adult").else("old"),
        #"CASE WHEN ("person"."age" < ?) THEN ? WHEN ("person"."age" < ?) THEN ? ELSE ? END"#,
        ["adult", "young", "young", "old", "adult"],
        binding: [.integer(21), .text("young"), .integer(60), .text("adult"), .text("old")])
      try await database.expect(
        Case.when(c.isActive, then: c.name).end(),
        #"CASE WHEN ("person"."isActive" = 1) THEN "person"."name" END"#,
        ["Ada", nil, "Cid", nil, "Eve"])
      let nickname: MiniORM.SQLExpression<String?> =
        Case.when(c.isActive, then: c.nickname).when(c.age > 60, then: "elder").end()
      try await database.expect(
        nickname,
        #"CASE WHEN ("person"."isActive" = 1) THEN "person"."nickname" WHEN ("person"."age" > ?) THEN ? END"#,
        ["Countess", nil, "C", "elder", nil], binding: [.integer(60), .text("elder")])
      // A NULL condition is not true.
      try await database.expect(
        Case.when(c.score > 0, then: c.age).when(c.level == nil, then: 0).else(c.age * -1),
        #"CASE WHEN ("person"."score" > ?) THEN "person"."age" WHEN ("person"."level" IS ?) THEN ? "#
          + #"ELSE ("person"."age" * ?) END"#,
        [36, -20, 20, -65, 41], binding: [.real(0), .null, .integer(0), .integer(-1)])
    }
  }

  @Test("CASE with an expression: nil equals NULL, as with ==")
  func simple() async throws {
    try await withPeople { database, _ throws in
      try await database.expect(
        Case(c.age).when(20, then: "twenty").when(c.id.cast(to: Int.self) * 9, then: c.name).when(
          41, then: c.name
        )
        .else("other"),
        #"CASE "person"."age" WHEN ? THEN ? WHEN (CAST("person"."id" AS INTEGER) * ?) "#
          + #"THEN "person"."name" WHEN ? THEN "person"."name" ELSE ? END"#,
        ["other", "twenty", "twenty", "other", "Eve"],
        binding: [.integer(20), .text("twenty"), .integer(9), .integer(41), .text("other")])
      try await database.expect(
        Case(c.level).when(nil, then: "none").when(1, then: "low").end(),
        #"CASE WHEN ("person"."level" IS ?) THEN ? WHEN ("person"."level" IS ?) THEN ? END"#,
        [nil, "low", "none", nil, nil],
        binding: [.null, .text("none"), .integer(1), .text("low")])
      try await database.expect(
        Case(c.isActive).when(true, then: 1).when(false, then: 0).else(-1),
        #"CASE "person"."isActive" WHEN ? THEN ? WHEN ? THEN ? ELSE ? END"#, [1, 0, 1, 0, 1],
        binding: [.integer(1), .integer(1), .integer(0), .integer(0), .integer(-1)])
      try await database.expect(
        Case.when(c.isActive, then: 1).when(true, then: 2).when(false, then: c.age).end(),
        #"CASE WHEN ("person"."isActive" = 1) THEN ? WHEN ? THEN ? WHEN ? THEN "person"."age" END"#,
        [1, 2, 1, 2, 1], binding: [.integer(1), .integer(1), .integer(2), .integer(0)])
    }
  }

  @Test("CAST has the target type and keeps NULL")
  func cast() async throws {
    try await withPeople { database, _ throws in
      try await database.expect(
        c.age.cast(to: Double.self) / 8, #"(CAST("person"."age" AS REAL) / ?)"#,
        [4.5, 2.5, 2.5, 8.125, 5.125], binding: [.real(8)])
      try await database.expect(
        c.age.cast(to: String.self), #"CAST("person"."age" AS TEXT)"#,
        ["36", "20", "20", "65", "41"])
      try await database.expect(
        c.score.cast(to: Int.self), #"CAST("person"."score" AS INTEGER)"#, [9, nil, 1, -2, 9])
      try await database.expect(
        c.name.cast(to: [UInt8].self), #"CAST("person"."name" AS BLOB)"#,
        ["Ada", "Bob", "Cid", "Dee", "Eve"].map { Array($0.utf8) })
    }
  }

  @Test("ifnull, coalesce, nullif and iif have optional types where NULL is possible")
  func nulls() async throws {
    try await withPeople { database, _ throws in
      try await database.expect(
        c.nickname ?? "none", #"ifnull("person"."nickname", ?)"#,
        ["Countess", "none", "C", "", "none"], binding: [.text("none")])
      let name: MiniORM.SQLExpression<String> = c.nickname ?? c.name
      try await database.expect(
        name, #"ifnull("person"."nickname", "person"."name")"#, ["Countess", "Bob", "C", "", "Eve"])
      let level: MiniORM.SQLExpression<Int?> = c.level ?? c.level
      try await database.expect(
        level, #"ifnull("person"."level", "person"."level")"#, [3, 1, nil, 3, 2])
      try await database.expect(
        c.score.cast(to: Int.self) ?? c.level ?? c.age,
        #"ifnull(CAST("person"."score" AS INTEGER), ifnull("person"."level", "person"."age"))"#,
        [9, 1, 1, -2, 9])
      try await database.expect(
        c.score.cast(to: Int.self).coalesce(c.level, c.age.optional),
        #"coalesce(CAST("person"."score" AS INTEGER), "person"."level", "person"."age")"#,
        [9, 1, 1, -2, 9])
      try await database.expect(c.level.coalesce(), #""person"."level""#, [3, 1, nil, 3, 2])
      try await database.expect(
        c.age.nullif(20), #"nullif("person"."age", ?)"#, [36, nil, nil, 65, 41],
        binding: [.integer(20)])
      let filled: MiniORM.SQLExpression<String?> = c.nickname.nullif("")
      try await database.expect(
        filled, #"nullif("person"."nickname", ?)"#, ["Countess", nil, "C", nil, nil],
        binding: [.text("")])
      try await database.expect(
        c.age.nullif(c.age), #"nullif("person"."age", "person"."age")"#, [nil, nil, nil, nil, nil])
      let same: MiniORM.SQLExpression<Int?> = c.level.nullif(c.level)
      try await database.expect(
        same, #"nullif("person"."level", "person"."level")"#, [nil, nil, nil, nil, nil])
      try await database.expect(
        (c.level > 1).iif("yes", else: "no"), #"iif(("person"."level" > ?), ?, ?)"#,
        ["yes", "no", "no", "yes", "yes"], binding: [.integer(1), .text("yes"), .text("no")])
      try await database.expect(
        c.isActive.iif(c.name, else: c.name.upper()),
        #"iif("person"."isActive", "person"."name", upper("person"."name"))"#,
        ["Ada", "BOB", "Cid", "DEE", "Eve"])
    }
  }

  @Test("constants, min and max of several values, and functions of any value")
  func values() async throws {
    try await withPeople { database, _ throws in
      try await database.expect(
        SQL.value("x"), "?", ["x", "x", "x", "x", "x"], binding: [.text("x")])
      try await database.expect(
        SQL.value(100) - c.age, #"(? - "person"."age")"#, [64, 80, 80, 35, 59],
        binding: [.integer(100)])
      try await database.expect(
        c.age.max(30), #"max("person"."age", ?)"#, [36, 30, 30, 65, 41], binding: [.integer(30)])
      try await database.expect(
        c.level.min(2), #"min("person"."level", ?)"#, [2, 1, nil, 2, 2], binding: [.integer(2)])
      try await database.expect(
        c.age.min(c.age * 2, c.age - 1),
        #"min("person"."age", ("person"."age" * ?), ("person"."age" - ?))"#, [35, 19, 19, 64, 40],
        binding: [.integer(2), .integer(1)])
      try await database.expect(
        c.age.max(c.age - 1), #"max("person"."age", ("person"."age" - ?))"#, [36, 20, 20, 65, 41],
        binding: [.integer(1)])
      try await database.expect(
        c.nickname.hex(), #"hex("person"."nickname")"#, ["436F756E74657373", "", "43", "", ""])
      try await database.expect(
        c.nickname.quote(), #"quote("person"."nickname")"#,
        ["'Countess'", "NULL", "'C'", "''", "NULL"])
      try await database.expect(
        c.score.typeof(), #"typeof("person"."score")"#, ["real", "null", "real", "real", "real"])
      try await database.expect(
        c.nickname.octetLength(), #"octet_length("person"."nickname")"#, [8, nil, 1, 0, nil])
      let random = try await database.values(of: SQL.random(), "FROM person")
      #expect(Set(random).count == 5)
      try await database.expect(
        SQL.randomBlob(16).octetLength(), "octet_length(randomblob(?))", [16, 16, 16, 16, 16],
        binding: [.integer(16)])
      try await database.expect(
        SQL.rowID(of: Person.self), #""person".rowid"#, [1, 2, 3, 4, 5])
      try await database.expect(
        SQL.rowID(of: Person.self, as: "other"), #""other".rowid"#, [2],
        from: "FROM person AS other WHERE id = 2")
    }
  }
}
