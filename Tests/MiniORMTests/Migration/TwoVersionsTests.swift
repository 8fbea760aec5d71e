import Foundation
import Testing

@testable import MiniORM

#if os(Linux) || os(macOS)
  private enum Old {
    @Table("card") struct Card: Equatable {
      let id: Int64
      var number: Int
      var text: String
    }
  }

  private enum New {
    @Table("card") struct Card: Equatable {
      let id: Int64
      var number: Int
      var text: String
      var rank = 3
    }
  }

  private let oldCards = Table<Old.Card>()
  private let newCards = Table<New.Card>()

  /// A rolling deployment: the older program reads and writes while the newer program, whose model has
  /// a further column, migrates the file. Each program is a process.
  @Suite("Two versions of a program")
  struct TwoVersionsTests {
    enum Change: String, CaseIterable, Codable {
      /// The version stays, and the older program keeps working.
      case column
      /// The version is raised, and writes of the older program are refused.
      case step

      fileprivate var schema: DatabaseSchema {
        guard self == .step else { return DatabaseSchema(version: 1, New.Card.self) }
        let step = DatabaseSchema.Step(to: 2, "marks", .sql("UPDATE card SET text = text || '.'"))
        return DatabaseSchema(version: 2, New.Card.self, steps: [step])
      }
    }

    /// The counts of a program's calls.
    private struct Figures: Codable {
      var inserted = 0
      var updated = 0
      var refused = 0
      var read = 0

      init() {}

      /// Reads the counts that a process has written.
      init(from path: String) throws {
        self = try JSONDecoder().decode(Figures.self, from: Data(contentsOf: .init(filePath: path)))
      }

      func write(to path: String) throws {
        try JSONEncoder().encode(self).write(to: URL(filePath: path), options: .atomic)
      }
    }

    private static let first = 1_000

    private static func open(_ path: String) async throws -> Database {
      var configuration = Configuration()
      configuration.busyTimeout = .seconds(60)
      return try await Database(path: path, key: .raw(testKeyBytes), configuration: configuration)
    }

    /// True if the text belongs to the number, before or after the step.
    private static func fits(_ number: Int, _ text: String) -> Bool {
      text == "\(number)" || text == "\(number)."
    }

    /// Inserts, updates and reads in a loop, at least once after the condition is false.
    private static func work(
      while condition: (Figures) throws -> Bool, insert: (Int) async throws -> Void,
      update: (Int) async throws -> Void, read: () async throws -> Int
    ) async throws -> Figures {
      var figures = Figures()
      var continues = true
      while continues {
        continues = try condition(figures)
        for isInsertion in [true, false] {
          do {
            try await (isInsertion ? insert : update)(figures.inserted + figures.updated)
            guard figures.refused == 0 else { throw DatabaseError(.commit, "A write succeeded") }
            if isInsertion { figures.inserted += 1 } else { figures.updated += 1 }
          } catch let error as DatabaseError
            where error.message.hasPrefix("The file was migrated by a newer program, to version 2.")
          {
            figures.refused += 1
          }
        }
        figures.read += try await read()
      }
      return figures
    }

    /// Ends after the newer program.
    private static func runOld(_ path: String, before milliseconds: Int) async throws {
      let database = try await open(path)
      try await database.migrate(DatabaseSchema(version: 1, Old.Card.self))
      var hasStarted = false
      let start = ContinuousClock.now
      let figures = try await work { figures in
        if !hasStarted, figures.read > 0, ContinuousClock.now > start + .milliseconds(milliseconds)
        {
          hasStarted = true
          try figures.write(to: path + ".started")
        }
        return !DatabaseFile.exists(path + ".new") && ContinuousClock.now < start + .seconds(600)
      } insert: { number in
        try await oldCards.insert(.init(number: number, text: "\(number)"), in: database)
      } update: { number in
        // All columns of the older model, in a row that either program has inserted.
        try await database.write { db in
          guard var card = try oldCards.order({ $0.id.descending }).fetchOne(in: db) else {
            return
          }
          (card.number, card.text) = (number, "\(number)")
          try oldCards.update(card, in: db)
        }
      } read: {
        let cards = try await oldCards.order { $0.id.descending }.limit(50).fetchAll(in: database)
        for card in cards where !fits(card.number, card.text) {
          throw DatabaseError(.read, "The older program reads \(card)")
        }
        return cards.count
      }
      try figures.write(to: path + ".old")
      try await database.close()
    }

    private static func runNew(
      _ path: String, _ change: Change, for milliseconds: Int
    ) async throws {
      while !DatabaseFile.exists(path + ".started") {
        try await Task.sleep(for: .milliseconds(10))
      }
      let database = try await open(path)
      try await database.migrate(change.schema)
      let end = ContinuousClock.now + .milliseconds(milliseconds)
      let figures = try await work { _ in
        ContinuousClock.now < end
      } insert: { number in
        try await newCards.insert(.init(number: number, text: "\(number)", rank: 9), in: database)
      } update: { number in
        try await newCards.where { $0.id == Int64(number % first + 1) }
          .update { ($0.number, $0.text) = (number, "\(number)") }.run(in: database)
      } read: {
        let cards = try await newCards.order { $0.id.descending }.limit(50).fetchAll(in: database)
        for card in cards where !fits(card.number, card.text) || ![3, 9].contains(card.rank) {
          throw DatabaseError(.read, "The newer program reads \(card)")
        }
        return cards.count
      }
      try figures.write(to: path + ".new")
      try await database.close()
    }

    @Test(
      "while a newer program migrates a file, the older one is right or gets the documented error",
      arguments: Change.allCases)
    func deployment(change: Change) async throws {
      let seconds =
        ProcessInfo.processInfo.environment["MINIORM_DEPLOYMENT"].flatMap { Int($0) } ?? 2
      try await withTemporaryPath { path in
        let database = try await Self.open(path)
        try await database.migrate(DatabaseSchema(version: 1, Old.Card.self))
        try await oldCards.insert(
          contentsOf: (0..<Self.first).map { Old.Card.Draft(number: $0, text: "\($0)") },
          in: database)
        try await database.close()

        await withTaskGroup(of: Void.self) { group in
          group.addTask {
            await #expect(processExitsWith: .success) {
              [path = path as String, milliseconds = seconds * 250 as Int] in
              try await Self.runOld(path, before: milliseconds)
            }
          }
          group.addTask {
            await #expect(processExitsWith: .success) {
              [
                path = path as String, milliseconds = seconds * 250 as Int,
                change = change as Change
              ] in
              try await Self.runNew(path, change, for: milliseconds)
            }
          }
        }

        let old = try Figures(from: path + ".old")
        let new = try Figures(from: path + ".new")
        print("figure: two versions, \(change.rawValue): older \(old), newer \(new)")
        #expect(old.inserted > 0 && old.read > 0)
        #expect(new.inserted > 0 && new.updated > 0 && new.read > 0 && new.refused == 0)
        #expect((old.refused > 0) == (change == .step))
        let reopened = try await Self.open(path)
        let cards = try await newCards.fetchAll(in: reopened)
        #expect(cards.count == Self.first + old.inserted + new.inserted)
        #expect(cards.filter { $0.rank == 9 }.count == new.inserted)
        #expect(cards.filter { !Self.fits($0.number, $0.text) } == [])
        #expect(try await reopened.integrityReport().isEmpty)
        #expect(try await reopened.schemaReport(for: change.schema).isEmpty)
        try await reopened.close()
      }
    }
  }
#endif
