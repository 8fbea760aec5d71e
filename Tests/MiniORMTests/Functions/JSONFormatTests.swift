import Foundation
import Testing

@testable import MiniORM

private struct Content: Codable, Equatable, Sendable {
  var id: UUID
  var sum: Decimal
  var day: Date
  var data: Data
  var ratio: Double
  var list: [UUID]
}

@Table("form")
private struct Form: Equatable {
  let id: Int64
  @Column(as: .json) var content: Content
  @Column(as: .json) var tags: [String]?
  @Column(as: .decimal(scale: 2)) var price: Decimal
  @Column(as: .decimal(scale: 18)) var tiny: Decimal?
  @Column(as: .decimal(scale: 0)) var whole: Decimal = 0
  var amount: Decimal
  var ratio: Double?
  var key: UUID
  @Column(as: .uuidBytes) var bytesKey: UUID
  var data: Data
}

private struct BuiltLine: Codable, Equatable, Sendable {
  var price: Decimal
  var tiny: Decimal?
  var whole: Decimal
  var amount: Decimal
  var ratio: Double?
  var key: UUID
}

private let forms = Table<Form>()
private let key = UUID(uuidString: "A0B1C2D3-E4F5-4A6B-8C9D-0E1F2A3B4C5D") ?? UUID()
private let other = UUID(uuidString: "FFFFFFFF-E4F5-4A6B-8C9D-0E1F2A3B4C5D") ?? UUID()

private func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

private func form(
  _ id: Int64, price: Decimal, tiny: Decimal? = nil, amount: Decimal = 9, ratio: Double? = nil,
  sum: Decimal = 100
) -> Form {
  Form(
    id: id,
    content: Content(
      id: key, sum: sum, day: Date(timeIntervalSinceReferenceDate: 1000.5), data: Data([1, 2]),
      ratio: ratio ?? 0.5, list: [key, other]),
    tags: nil, price: price, tiny: tiny, amount: amount, ratio: ratio, key: key, bytesKey: key,
    data: Data([1]))
}

@Suite("Formats of values in JSON")
struct JSONFormatTests {
  @Test("the text of a scaled decimal is the number, not its units")
  func texts() async throws {
    try await withFile(DatabaseSchema(Form.self)) { database throws in
      try await forms.insert(form(1, price: decimal("9.99"), tiny: decimal("-0.5")), in: database)
      let texts = try await forms.select {
        (
          SQL.concat($0.price, $0.id), SQL.concat($0.id, $0.tiny, separator: " "),
          SQL.format("%s %.1f", $0.price, $0.tiny), $0.price.groupConcat()
        )
      }.fetchOne(in: database)
      let (both, separated, formatted, list) = try #require(texts)
      #expect(both == "9.991")
      #expect(separated == "1 -0.5")
      #expect(formatted == "9.99 -0.5")
      #expect(list == "9.99")
    }
  }

  @Test("A value within JSON equals the value that the model holds")
  func comparisons() async throws {
    try await withFile(DatabaseSchema(Form.self)) { database throws in
      let row = form(1, price: 1, ratio: 1 / 3)
      try await forms.insert(row, in: database)
      let content = row.content
      typealias Query = Table<Form>
      let found: [(String, Query)] = [
        ("UUID", forms.where { $0.content.json("$.id", as: UUID.self) == key }),
        ("UUID, column", forms.where { $0.content.json("$.id", as: UUID.self) == $0.key }),
        ("UUID, list", forms.where { $0.content.json("$.list[1]", as: UUID.self).isIn([other]) }),
        ("Decimal ==", forms.where { $0.content.json("$.sum", as: Decimal.self) == content.sum }),
        ("Decimal >", forms.where { $0.content.json("$.sum", as: Decimal.self) > 20 }),
        ("Decimal <", forms.where { $0.content.json("$.sum", as: Decimal.self) < 1000 }),
        ("Date ==", forms.where { $0.content.json("$.day", as: Date.self) == content.day }),
        ("Date <", forms.where { $0.content.json("$.day", as: Date.self) < Date() }),
        ("Data", forms.where { $0.content.json("$.data", as: Data.self) == content.data }),
        ("Double", forms.where { $0.content.json("$.ratio", as: Double.self) == content.ratio }),
      ]
      for (name, query) in found {
        #expect(try await query.count(in: database) == 1, "\(name)")
      }
      let no: [(String, Query)] = [
        ("UUID", forms.where { $0.content.json("$.id", as: UUID.self) == other }),
        ("Decimal", forms.where { $0.content.json("$.sum", as: Decimal.self) > 1000 }),
        ("Date", forms.where { $0.content.json("$.day", as: Date.self) > Date() }),
        ("missing", forms.where { $0.content.json("$.none", as: Decimal.self) < 1000 }),
      ]
      for (name, query) in no { #expect(try await query.count(in: database) == 0, "\(name)") }
      let read = try await forms.select {
        (
          $0.content.json("$.id", as: UUID.self), $0.content.json("$.sum", as: Decimal.self),
          $0.content.json("$.day", as: Date.self), $0.content.json("$.data", as: Data.self),
          $0.content.json("$.none", as: Date.self)
        )
      }.fetchAll(in: database)
      #expect(read.count == 1)
      #expect(read.first?.0 == key)
      #expect(read.first?.1 == content.sum)
      #expect(read.first?.2 == content.day)
      #expect(read.first?.3 == content.data)
      #expect(read.first?.4 == nil)
      let each = forms.join { $0.content.json("$.list", as: JSON<[UUID]>.self).jsonEach() }
      #expect(try await each.where { $1.value == other }.count(in: database) == 1)
      #expect(
        try await each.order { $1.key }.select { $1.value }.fetchAll(in: database) == [key, other])
    }
  }

  @Test("A type that JSON cannot represent is refused")
  func refused() async throws {
    try await withFile(DatabaseSchema(Form.self)) { database throws in
      let remedy =
        "read it as JSON<…> of a Codable type, or as a text, a number, a Bool, Date, Decimal, UUID "
        + "or Data"
      let bytes = try await failure {
        try await forms.where { $0.content.json("$.data", as: [UInt8].self) == [1] }
          .fetchAll(in: database)
      }
      #expect(
        bytes.summary
          == "prepare 21 -.- -: Array<UInt8> cannot be read from JSON: \(remedy)")
      let format = try await failure {
        try await forms.select { $0.content.json("$.day", as: UnixSeconds.self) }
          .fetchAll(in: database)
      }
      #expect(
        format.summary == "prepare 21 -.- -: UnixSeconds cannot be read from JSON: \(remedy)")
    }
  }

  @Test("JSON that SQL builds holds the values of the model")
  func built() async throws {
    try await withFile(DatabaseSchema(Form.self)) { database throws in
      let limit = decimal("92233720368547758.07")
      let least = decimal("-9.223372036854775808")
      let rows = [
        form(1, price: 2.5, tiny: least, amount: decimal("0.1"), ratio: 1 / 3),
        form(
          2, price: decimal("9.99"), tiny: decimal("0.000000000000000001"),
          ratio: .greatestFiniteMagnitude),
        form(
          3, price: decimal("-0.05"), amount: decimal("-12345678901234567890.5"),
          ratio: -2.2250738585072014e-308),
        form(4, price: 10, tiny: -1, ratio: 0.1),
        form(5, price: limit, ratio: 1e21),
        form(6, price: 0, tiny: 0, ratio: nil),
        form(7, price: -1000, ratio: 1e-7),
      ]
      try await forms.insert(contentsOf: rows, in: database)
      let lines = try await forms.order { $0.id }.select {
        SQL.jsonObject(
          as: BuiltLine.self, ("price", $0.price), ("tiny", $0.tiny), ("whole", $0.whole),
          ("amount", $0.amount), ("ratio", $0.ratio), ("key", $0.key))
      }.fetchAll(in: database)
      #expect(
        lines
          == rows.map {
            BuiltLine(
              price: $0.price, tiny: $0.tiny, whole: $0.whole, amount: $0.amount, ratio: $0.ratio,
              key: $0.key)
          })
      let prices = try await forms.select { $0.price.jsonGroupArray(orderBy: $0.id) }
        .fetchOne(in: database)
      #expect(prices == rows.map(\.price))
      let ratios = try await forms.select { $0.ratio.jsonGroupArray(orderBy: $0.id) }
        .fetchOne(in: database)
      #expect(ratios == rows.map(\.ratio))
      // JSONEncoder writes the same texts, so equal values stay equal.
      #expect(
        try await database.values(
          (forms.where { $0.id == 1 }.select {
            SQL.jsonArray(as: [Decimal].self, $0.price, $0.amount)
          })
          .sql) == [.text("[2.5,0.1]")])
      try await forms.update {
        $0.content = $0.content.settingJSON("$.sum", to: $0.price).settingJSON(
          "$.ratio", to: $0.ratio ?? 0
        ).settingJSON("$.id", to: $0.key)
      }.run(in: database)
      let changed = try await forms.order { $0.id }.fetchAll(in: database)
      #expect(changed.map(\.content.sum) == rows.map(\.price))
      #expect(changed.map(\.content.ratio) == rows.map { $0.ratio ?? 0 })
      #expect(
        try await forms.where { $0.content.json("$.id", as: UUID.self) == $0.key }.count(
          in: database)
          == rows.count)
    }
  }

  @Test("A column of bytes in JSON is an error that names the column")
  func bytes() async throws {
    try await withFile(DatabaseSchema(Form.self)) { database throws in
      let columns = Form.columns
      let errors = [
        try await failure {
          try await forms.select { $0.data.jsonGroupArray() }.fetchAll(in: database)
        },
        try await failure {
          try await forms.update { $0.content = $0.content.settingJSON("$.data", to: columns.data) }
            .run(in: database)
        },
        try await failure {
          try await forms.select { SQL.jsonArray(as: [UUID].self, $0.bytesKey) }
            .fetchAll(in: database)
        },
      ]
      #expect(
        errors.map(\.summary)
          == ["data", "data", "bytesKey"].map {
            "prepare 21 -.- -: form.\($0) holds bytes, which JSON cannot hold: select the column "
              + "beside the JSON, or store it as text"
          })
    }
  }

  @Test("The JSON text null in an optional column is nil")
  func null() async throws {
    try await withFile(DatabaseSchema(Form.self)) { database throws in
      var row = form(1, price: 1)
      row.tags = ["a"]
      try await forms.insert(row, in: database)
      try await database.write { db in try db.execute("UPDATE form SET tags = 'null'") }
      row.tags = nil
      #expect(try await forms.fetchAll(in: database) == [row])
      #expect(try await forms.select { $0.tags }.fetchAll(in: database) == [nil])
      #expect(
        try await database.read { db in try db.query(Form.self, "SELECT * FROM form") } == [row])
      // Any other text is still an error.
      try await database.write { db in try db.execute("UPDATE form SET tags = 'nul'") }
      #expect(
        try await failure { try await forms.fetchAll(in: database) }.message
          .hasPrefix("The text is not valid JSON for"))
    }
  }
}
