import MiniORM

/// What it takes to open a file whose schema has a thousand models, and to find that it is up to date. The models are
/// written by scripts/maintainer/bench-large.
struct ManyModels {
  private static let limit = 50.0
  private static let rounds = 15

  let folder: String
  let key: Key?

  /// - Returns: What missed its target.
  func run() async throws -> [String] {
    let path = folder + "/models.db"
    let clock = ContinuousClock()
    let schema = DatabaseSchema(generatedModels)
    let first = try await Database(path: path, key: key)
    let creation = try await clock.measure { try await first.migrate(schema) }
    try await first.close()
    var (openings, migrations): ([Double], [Double]) = ([], [])
    for _ in 0..<Self.rounds {
      var database: Database?
      let opening = try await clock.measure { database = try await Database(path: path, key: key) }
      guard let database else { return [] }
      let migration = try await clock.measure { try await database.migrate(schema) }
      openings.append(opening / .milliseconds(1))
      migrations.append(migration / .milliseconds(1))
      try await database.close()
    }
    let sum = zip(openings, migrations).map { $0 + $1 }.median
    print(
      """

      \(generatedModels.count) models, medians of \(Self.rounds): opening \(text(openings.median)) ms, \
      migrate on a file that is up to date \(text(migrations.median)) ms, both \(text(sum)) ms \
      (target \(text(Self.limit))); the tables were made in \(text(creation / .milliseconds(1))) ms
      """)
    guard sum > Self.limit else { return [] }
    return ["\(generatedModels.count) models \(text(sum)) ms > \(text(Self.limit))"]
  }

  private func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}
