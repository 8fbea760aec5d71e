import Foundation
import Testing

@testable import MiniORM

private enum Converted {
  @Table("converted", options: []) struct Price {
    let id: Int64
    @Column(.type("DECIMAL(10,2)")) var value: Decimal
  }
  @Table("converted", options: []) struct Code {
    let id: Int64
    @Column(.type("STRING")) var value: String?
  }
  @Table("converted", options: []) struct Tags {
    let id: Int64
    @Column(as: .json, .type("NUMERIC")) var value: [Int]
  }
  @Table("converted", options: []) struct Count {
    let id: Int64
    @Column(.type("VARCHAR(9)")) var value: Int
  }
  @Table("converted", options: []) struct Whole {
    let id: Int64
    @Column(.type("DOUBLE")) var value: Bool
  }
  @Table("converted", options: []) struct Rate {
    let id: Int64
    @Column(.type("TEXT")) var value: Double
  }
}

private enum Kept {
  @Table("kept", options: []) struct Day {
    let id: Int64
    @Column(.type("DATETIME")) var value: Date
  }
  @Table("kept", options: []) struct Price {
    let id: Int64
    @Column(.type("DECIMAL(10,2)"), as: .decimal(scale: 2)) var value: Decimal
  }
  @Table("kept", options: []) struct Name {
    let id: Int64
    @Column(.type("NCHAR(9)")) var value: String
  }
}

@Suite("Affinities of declared types")
struct ColumnAffinityTests {
  @Test("a declared type whose affinity converts the values is refused", arguments: 0..<6)
  func affinity(_ number: Int) async throws {
    let models: [any Model.Type] = [
      Converted.Price.self, Converted.Code.self, Converted.Tags.self, Converted.Count.self,
      Converted.Whole.self, Converted.Rate.self,
    ]
    try await withTemporaryDatabase { database throws in
      let error = try await failure {
        try await database.migrate(DatabaseSchema([models[number]]))
      }
      #expect(error.operation == .migrate && error.table == "converted" && error.column == "value")
      #expect(error.message.hasPrefix("SQLite would convert the values of converted.value"))
      #expect(try await database.values("SELECT count(*) FROM sqlite_schema") == [.integer(0)])
    }
  }

  @Test("a declared type that keeps the values is accepted", arguments: 0..<3)
  func kept(_ number: Int) async throws {
    let models: [any Model.Type] = [Kept.Day.self, Kept.Price.self, Kept.Name.self]
    try await withFile(DatabaseSchema([models[number]])) { _ in }
  }
}
