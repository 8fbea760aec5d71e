import Foundation
import Testing

@testable import MiniORM

@Suite("Functions")
struct FunctionTests {
  private let c = Person.columns

  @Test("counts in a text are optional only if the text can be NULL")
  func counts() async throws {
    try await withPeople { database, people in
      let first = people.order { $0.id }.limit(2)
      let lengths: [Int] = try await first.select { $0.name.length() }.fetchAll(in: database)
      let places: [Int] = try await first.select { $0.name.instr("z") }.fetchAll(in: database)
      let others: [Int?] = try await first.select { $0.nickname.length() }.fetchAll(in: database)
      let names = try await first.fetchAll(in: database)
      #expect(lengths == names.map(\.name.unicodeScalars.count))
      #expect(places == [0, 0])
      #expect(others == names.map { $0.nickname?.unicodeScalars.count })
    }
  }

  @Test("functions on text")
  func text() async throws {
    let people = [
      Person(id: 1, name: "xxaÉbxx", nickname: "4D69"), Person(id: 2, name: "b", nickname: nil),
      Person(id: 3, name: "", nickname: "no"),
    ]
    try await withPeople(people) { database, _ throws in
      try await database.expect(
        c.name.trim("x"), #"trim("person"."name", ?)"#, ["aÉb", "b", ""], binding: [.text("x")])
      try await database.expect(
        c.name.ltrim("x"), #"ltrim("person"."name", ?)"#, ["aÉbxx", "b", ""], binding: [.text("x")])
      try await database.expect(
        c.name.rtrim("xb"), #"rtrim("person"."name", ?)"#, ["xxaÉ", "", ""], binding: [.text("xb")])
      try await database.expect(c.name.rtrim(), #"rtrim("person"."name")"#, ["xxaÉbxx", "b", ""])
      try await database.expect(
        c.name.substr(4), #"substr("person"."name", ?)"#, ["Ébxx", "", ""], binding: [.integer(4)])
      try await database.expect(
        c.name.substr(-2, 1), #"substr("person"."name", ?, ?)"#, ["x", "", ""],
        binding: [.integer(-2), .integer(1)])
      try await database.expect(
        c.name.substr(c.id + 2, 2), #"substr("person"."name", ("person"."id" + ?), ?)"#,
        ["aÉ", "", ""], binding: [.integer(2), .integer(2)])
      try await database.expect(
        c.name.substr(c.id + 2, c.id),
        #"substr("person"."name", ("person"."id" + ?), "person"."id")"#,
        ["a", "", ""], binding: [.integer(2)])
      try await database.expect(
        c.name.instr("b"), #"instr("person"."name", ?)"#, [5, 1, 0], binding: [.text("b")])
      try await database.expect(
        c.name.instr(c.nickname), #"instr("person"."name", "person"."nickname")"#, [0, nil, 0])
      try await database.expect(
        c.name.unicode(), #"unicode("person"."name")"#, [120, 98, nil])
      try await database.expect(
        (c.id + 64).char(), #"char(("person"."id" + ?))"#, ["A", "B", "C"], binding: [.integer(64)])
      try await database.expect(
        c.nickname.unhex(), #"unhex("person"."nickname")"#, [[0x4D, 0x69], nil, nil])
      try await database.expect(
        c.nickname.unhex(ignoring: "no"), #"unhex("person"."nickname", ?)"#,
        [[0x4D, 0x69], nil, []], binding: [.text("no")])
      try await database.expect(
        c.name.appending(c.name), #"("person"."name" || "person"."name")"#,
        ["xxaÉbxxxxaÉbxx", "bb", ""])
      try await database.expect(
        c.nickname.appending(c.name.optional), #"("person"."nickname" || "person"."name")"#,
        ["4D69xxaÉbxx", nil, "no"])
      try await database.expect(
        SQL.format("%03d|%s", c.id, c.nickname), #"format(?, "person"."id", "person"."nickname")"#,
        ["001|4D69", "002|", "003|no"], binding: [.text("%03d|%s")])
      try await database.expect(
        SQL.concat(c.nickname, c.id), #"concat("person"."nickname", "person"."id")"#,
        ["4D691", "2", "no3"])
      try await database.expect(
        SQL.concat(c.nickname, c.id, separator: "-"),
        #"concat_ws(?, "person"."nickname", "person"."id")"#, ["4D69-1", "2", "no-3"],
        binding: [.text("-")])
    }
  }

  @Test("arithmetic and bit operations give NULL where SQLite gives NULL")
  func arithmetic() async throws {
    try await withPeople { database, _ throws in
      let age = #""person"."age""#
      let level = #""person"."level""#
      try await database.expect(
        (c.age % (c.age - 20)).optional, "(\(age) % (\(age) - ?))", [4, nil, nil, 20, 20],
        binding: [.integer(20)])
      try await database.expect(
        100 - c.age * 2, "(? - (\(age) * ?))", [28, 60, 60, -30, 18],
        binding: [.integer(100), .integer(2)])
      try await database.expect(
        2 * c.level + 1, "((? * \(level)) + ?)", [7, 3, nil, 7, 5],
        binding: [.integer(2), .integer(1)])
      try await database.expect(
        1 + 100 / c.age, "(? + (? / \(age)))", [3, 6, 6, 2, 3],
        binding: [.integer(1), .integer(100)])
      try await database.expect(-c.age, "(-\(age))", [-36, -20, -20, -65, -41])
      try await database.expect(-(-c.level), "(-(-\(level)))", [3, 1, nil, 3, 2])
      try await database.expect(
        c.level + c.age.optional, "(\(level) + \(age))", [39, 21, nil, 68, 43])
      try await database.expect(c.age & c.age, "(\(age) & \(age))", [36, 20, 20, 65, 41])
      try await database.expect(
        c.age & 0x0F | 0x40, "((\(age) & ?) | ?)", [68, 68, 68, 65, 73],
        binding: [.integer(15), .integer(64)])
      try await database.expect(c.level | c.level, "(\(level) | \(level))", [3, 1, nil, 3, 2])
      try await database.expect(~c.level, "(~\(level))", [-4, -2, nil, -4, -3])
      try await database.expect(
        c.age << 2, "(\(age) << ?)", [144, 80, 80, 260, 164], binding: [.integer(2)])
      try await database.expect(
        c.age >> 2, "(\(age) >> ?)", [9, 5, 5, 16, 10], binding: [.integer(2)])
      try await database.expect(
        c.level << c.level, "(\(level) << \(level))", [24, 2, nil, 24, 8])
      try await database.expect(c.level >> c.level, "(\(level) >> \(level))", [0, 0, nil, 0, 0])
    }
  }

  @Test("+=, -= and *= of optional columns, with values and expressions")
  func assignment() async throws {
    try await withPeople { database, table throws in
      let update = table.update {
        $0.level += 1
        $0.score *= 2
        $0.age = $0.age - $0.id.cast(to: Int.self)
      }
      #expect(
        update.sql.text
          == #"""
          UPDATE "person" SET "level" = ("person"."level" + ?), "score" = ("person"."score" * ?),
            "age" = ("person"."age" - CAST("person"."id" AS INTEGER))
          """#.onOneLine)
      #expect(try update.sql.values == [.integer(1), .real(2)])
      #expect(try await update.run(in: database) == 5)
      let people = try await table.order { $0.id }.fetchAll(in: database)
      #expect(people.map(\.level) == [4, 2, nil, 4, 3])
      #expect(people.map(\.score) == [19, nil, 3, -4, 19])
      #expect(people.map(\.age) == [35, 18, 17, 61, 36])
    }
    try await withPeople { database, table throws in
      let update = table.update {
        $0.level -= 1
        $0.score += 0.5
      }
      #expect(try await update.run(in: database) == 5)
      let people = try await table.order { $0.id }.fetchAll(in: database)
      #expect(people.map(\.level) == [2, 0, nil, 2, 1])
      #expect(people.map(\.score) == [10, nil, 2, -1.5, 10])
    }
  }

  @Test("mathematical functions")
  func mathematics() async throws {
    try await withPeople { database, _ throws in
      let score = #""person"."score""#
      try await database.expect(c.score.abs(), "abs(\(score))", [9.5, nil, 1.5, 2, 9.5])
      try await database.expect(c.score.floor(), "floor(\(score))", [9, nil, 1, -2, 9])
      try await database.expect(c.score.ceil(), "ceil(\(score))", [10, nil, 2, -2, 10])
      try await database.expect(c.score.trunc(), "trunc(\(score))", [9, nil, 1, -2, 9])
      try await database.expect(
        c.score.round(), "round(\(score), ?)", [10, nil, 2, -2, 10], binding: [.integer(0)])
      try await database.expect(c.score.sign(), "sign(\(score))", [1, nil, 1, -1, 1])
      try await database.expect(c.age.floor(), #"floor("person"."age")"#, [36, 20, 20, 65, 41])
      try await database.expect(
        c.score.pow(2), "pow(\(score), ?)", [90.25, nil, 2.25, 4, 90.25], binding: [.real(2)])
      try await database.expect(
        c.level.pow(c.level), #"pow("person"."level", "person"."level")"#, [27, 1, nil, 27, 4])
      try await database.expect(
        c.level.log(base: 2).apply(.exp).round(3), #"round(exp(log(?, "person"."level")), ?)"#,
        [4.879, 1, nil, 4.879, 2.718], binding: [.real(2), .integer(3)])
      try await database.expect(
        c.score.mod(4), "mod(\(score), ?)", [1.5, nil, 1.5, -2, 1.5], binding: [.real(4)])
      try await database.expect(
        c.score.atan2(c.score).apply(.degrees), "degrees(atan2(\(score), \(score)))",
        [45, nil, 45, -135, 45])
      try await database.expect(
        c.score.apply(.sqrt).round(3), "round(sqrt(\(score)), ?)", [3.082, nil, 1.225, nil, 3.082],
        binding: [.integer(3)])
    }
  }

  @Test(
    "each function of one number has the same result as in Swift", arguments: MathFunction.allCases)
  func functions(_ function: MathFunction) async throws {
    let number = function == .acosh ? 1.25 : 0.5
    let expected: Double =
      switch function {
      case .sqrt: number.squareRoot()
      case .exp: exp(number)
      case .ln: log(number)
      case .log10: log10(number)
      case .log2: log2(number)
      case .sin: sin(number)
      case .cos: cos(number)
      case .tan: tan(number)
      case .asin: asin(number)
      case .acos: acos(number)
      case .atan: atan(number)
      case .sinh: sinh(number)
      case .cosh: cosh(number)
      case .tanh: tanh(number)
      case .asinh: asinh(number)
      case .acosh: acosh(number)
      case .atanh: atanh(number)
      case .degrees: number * 180 / .pi
      case .radians: number * .pi / 180
      }
    try await withFile { database throws in
      let expression = SQL.value(number).apply(function)
      #expect(expression.sql.text == "\(function.rawValue)(?)")
      let value = try #require(try await database.values(of: expression, "").first ?? nil)
      #expect(abs(value - expected) < 1e-12)
      let none = SQL.value(Double?.none).apply(function)
      #expect(try await database.values(of: none, "") == [nil])
    }
  }
}
