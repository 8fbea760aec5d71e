import Foundation
import MiniORM

/// The demo: everything once, on a file in a temporary folder.
enum Demo {
  static let passphrase = "the snowman's secret"
  static let newPassphrase = "the rain's secret"

  static func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "atlas-\(UUID())", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Whatever happens, nothing stays behind.
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "atlas.db").path

    print("Atlas: every assigned Unicode scalar, in an encrypted file")
    let database = try await Database(path: path, key: .passphrase(passphrase))
    try await build(database)
    try await search(database)
    try await count(database)
    try await join(database)
    try await update(database)
    try await upsert(database)
    try await rollBack(database)
    try await inspect(database, in: folder)
    try await changeKey(of: path)

    heading("Clean up")
    try Database.delete(path: path)
    let rest = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    print("  Deleted \(path)")
    print("  Left in its folder: \(rest.isEmpty ? "nothing" : rest.joined(separator: ", "))")
  }

  /// Creates the tables, and inserts everything.
  private static func build(_ database: Database) async throws {
    heading("Build")
    print("  \(database.path)")
    try await database.migrate(Atlas.schema)
    let clock = ContinuousClock()
    let start = clock.now
    let count = try await Store.fill(database, progress: ProgressLine())
    let seconds = (clock.now - start) / .seconds(1)
    let version = try await database.read { db in
      try db.value(String.self, "PRAGMA cipher_version")
    }
    print("  \(grouped(count)) scalars in \(seconds.tenths) s:", terminator: " ")
    print("\(grouped(Int(Double(count) / seconds))) rows a second,")
    print("  in one transaction, with SQLCipher \(version ?? "unknown")")
  }

  /// Conditions, an order and a limit, written with Swift's operators.
  private static func search(_ database: Database) async throws {
    heading("Search: names with SNOWMAN, and the three newest emoji")
    let scalars = Table<Scalar>()
    let snowmen =
      try await scalars
      .where { $0.name.like("%SNOWMAN%") }
      .order { $0.codePoint }
      .fetchAll(in: database)
    let emoji =
      try await scalars
      .where { $0.isEmoji && $0.category == .otherSymbol && $0.name != nil }
      .order { ($0.age.descending, $0.codePoint) }
      .limit(3)
      .fetchAll(in: database)
    for scalar in snowmen + emoji { print("  " + Atlas.line(scalar)) }
  }

  /// What the database computes over the rows.
  private static func count(_ database: Database) async throws {
    heading("Count")
    let scalars = Table<Scalar>()
    let newest = try await scalars.max(of: { $0.age }, in: database)
    let numbers = scalars.where { $0.numericValue != nil }
    let numberCount = try await numbers.count(in: database)
    let greatest = try await numbers.order { $0.numericValue.descending }.fetchOne(in: database)
    let unnamed = try await scalars.where { $0.name == nil }.count(in: database)
    print("  Unicode " + (newest?.description ?? "unknown"), terminator: "; ")
    print("\(grouped(unnamed)) scalars have no name, private use mostly")
    print("  \(grouped(numberCount)) are numbers, of which the greatest is", terminator: " ")
    print("\((greatest?.numericValue ?? 0).short):")
    if let greatest { print("  " + Atlas.line(greatest)) }
  }

  /// Two tables joined by their foreign key, grouped, and read as a struct of the result's own.
  private static func join(_ database: Database) async throws {
    heading("Join and group: the six largest categories")
    let counts = try await Table<Scalar>().join(Table<Category>())
      .group { _, category in category.code }
      .order { _, _ in SQL.count().descending }
      .limit(6)
      .select { scalar, category in
        CategoryCount.Columns(
          title: category.title, scalars: SQL.count(), emoji: SQL.count(filter: scalar.isEmoji),
          newest: scalar.age.max())
      }
      .fetchAll(in: database)
    print("  category            scalars   emoji  newest in")
    for count in counts {
      let newest = count.newest?.description ?? ""
      print(
        "  " + count.title.padded(to: 18) + grouped(count.scalars).aligned(to: 9)
          + grouped(count.emoji).aligned(to: 8) + newest.aligned(to: 11))
    }
  }

  /// Rows changed one by one, and by a condition.
  private static func update(_ database: Database) async throws {
    heading("Insert and update favorites")
    let favorites = Table<Favorite>()
    var snowman = try await favorites.insert(
      Favorite.Draft(codePoint: 0x2603, note: "winter"), in: database)
    print("  Inserted \(Scalar.label(snowman.codePoint)); the database gave it id \(snowman.id)")
    let more = [
      Favorite.Draft(codePoint: 0x2602, note: "rain"),
      Favorite.Draft(codePoint: 0x2600, note: "sun"),
    ]
    print("  Inserted \(try await favorites.insert(contentsOf: more, in: database)) more")
    snowman.note = "first snow"
    let isFound = try await favorites.update(snowman, in: database)
    print("  Updated the first by its key: \(isFound ? "found" : "not found")")
    let changed =
      try await favorites
      .where { $0.note != "sun" }
      .update { $0.visits += 1 }
      .run(in: database)
    print("  Added a visit to those that are not the sun: \(changed) rows")
  }

  /// Insert or update in one call, which says what it did.
  private static func upsert(_ database: Database) async throws {
    heading("Upsert, where the code point decides")
    let favorites = Table<Favorite>()
    for (codePoint, note) in [(0x2744, "ice"), (0x2744, "snow"), (0x2744, "snow")] {
      let draft = Favorite.Draft(codePoint: UInt32(codePoint), note: note)
      let outcome = try await favorites.upsert(
        draft, onConflict: { $0.codePoint }, updating: { $0.note }, in: database)
      let word =
        switch outcome {
        case .inserted: "inserted"
        case .updated: "updated"
        case .unchanged: "unchanged"
        }
      print("  \(Scalar.label(draft.codePoint)) \(note.padded(to: 6)) \(word)")
    }
  }

  /// An error that leaves the closure undoes everything in it.
  private static func rollBack(_ database: Database) async throws {
    heading("Roll back")
    let spaces = Table<Scalar>().where { $0.category == .spaceSeparator }
    print("  Before: \(try await spaces.count(in: database)) spaces")
    do {
      try await database.write { db in
        let deleted = try spaces.deleteAll(in: db)
        let left = try spaces.count(in: db)
        print("  Inside: \(deleted) deleted, \(left) left; then an error is thrown")
        throw SecondThoughts()
      }
    } catch is SecondThoughts {
      print("  After:  \(try await spaces.count(in: database)) spaces")
    }
  }

  private struct SecondThoughts: Error {}
}
