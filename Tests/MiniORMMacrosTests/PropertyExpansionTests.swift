import Testing

@Suite("Expansion: three lines per property")
struct PropertyExpansionTests {
  @Test("the lines of a property", arguments: defaultLines + typeLines)
  func lines(property: WrittenLines) {
    let source = "@Table struct T {\n  let id: Int64\n  \(property.declaration)\n}"
    let written = expansion(of: source).split(separator: "\n")
      .map { $0.drop { $0 == " " }.replacing(#/^\(.*\.self\) let /#, with: "let ") }  // the check
      .drop { !$0.hasPrefix("nonisolated final class") }
      .filter { $0.contains(" x: ") || $0.contains("self.x = ") }
    #expect(written.map(String.init) == property.lines)
  }

  @Test("twelve properties take three lines each, two checks three more, plus 27 common lines")
  func count() {
    let written = expansion(of: mixed).split(separator: "\n").drop {
      !$0.hasSuffix("nonisolated final class Columns: MiniORM.ModelColumns {")
    }
    #expect(written.count <= 12 * 3 + 2 * 3 + 27)
  }
}

private let mixed = """
  @Table("mixed", columns: .snakeCase) struct Mixed: Identifiable {
    let id: Int64
    @Column(.unique, .collate(.nocase)) var name: String
    var employeeCount = 0
    var founded: Date?
    @Column(.references(City.self, onDelete: .setNull)) var cityID: City.ID?
    @Column(as: .json) var tags: [String] = []
    var rate = 1.5
    var isActive = true
    var picture: Data?
    var priority: Priority = .low
    @Column(as: .unixSeconds) var seen: Date?
    @Column(.default(sql: "random()")) var lot: Int
  }
  """
