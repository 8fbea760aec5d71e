import Testing

@testable import MiniORM

/// A typed statement, beside the SQL that an expert would write.
struct PlannedOperation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  private let typed: @Sendable () -> SQL
  private let expert: SQL

  init(_ description: String, _ typed: @escaping @Sendable () -> SQL, _ expert: SQL) {
    (testDescription, self.typed, self.expert) = (description, typed, expert)
  }

  /// Expects that both have the same plan.
  func compare(in database: Database) async throws {
    try await database.read { db in
      let plans = try (typed: db.queryPlan(typed()), expert: db.queryPlan(expert))
      #expect(Self.indexes(plans.typed) == Self.indexes(plans.expert))
      #expect(!Self.indexes(plans.typed).isEmpty)
    }
  }

  /// The searches, the scans and the sorts.
  private static func indexes(_ plan: QueryPlan) -> [String] {
    func details(_ steps: [QueryPlan.Step]) -> [String] {
      steps.flatMap { [$0.detail] + details($0.steps) }
    }
    return details(plan.steps).filter { detail in
      ["SEARCH ", "SCAN ", "USE TEMP"].contains { detail.hasPrefix($0) }
    }
  }
}
