import MiniORM

extension DatabaseSchema {
  static let directory = DatabaseSchema(
    version: 4, Company.self, City.self,
    steps: [
      Step(
        to: 4, "fill in the initials",
        .addColumn(
          "initials", String.self, .default(sql: "''"),
          to: "company"),
        .backfill("company") { row in
          guard case .text(let name)? = row["name"]
          else { return [:] }
          let words = name.split(separator: " ")
          return ["initials": String(words.compactMap(\.first))]
        })
    ])
}
