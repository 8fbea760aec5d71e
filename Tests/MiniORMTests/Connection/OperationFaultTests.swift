#if os(Linux)
  import Foundation
  import Testing

  @testable import MiniORM

  @Suite("Operations on two connections during system faults")
  struct OperationFaultTests {
    /// A multi-step operation, and the state of each connection before and after it.
    enum Operation: String, CaseIterable, Sendable {
      case attach, detach

      func run(_ database: Database) async throws {
        switch self {
        case .attach: try await attach(database)
        case .detach: try await database.detach("archive")
        }
      }

      func prepare(_ database: Database) async throws {
        switch self {
        case .attach: break
        case .detach: try await attach(database)
        }
      }

      var names: (before: [String], after: [String]) {
        switch self {
        case .attach: (["main"], ["main", "archive"])
        case .detach: (["main", "archive"], ["main"])
        }
      }

      private func attach(_ database: Database) async throws {
        try await database.attach(
          database.path + "-archive", as: "archive", key: .raw(testKeyBytes))
      }
    }

    // Runs in separate processes, because faults are process-wide.
    @Test(
      "after any failing call, an error means that neither connection has the change",
      arguments: Operation.allCases, [false, true])
    func all(operation: Operation, lasting: Bool) async throws {
      try await withTemporaryPath { report in
        await #expect(processExitsWith: .success) {
          [
            report = report as String, name = operation.rawValue as String,
            lasting = lasting as Bool
          ]
          in
          FileFaults.install()
          var text = ""
          do {
            let operation = try #require(Operation(rawValue: name))
            var number = 1
            while try await Self.tryOne(number, operation, lasting: lasting) { number += 1 }
          } catch {
            text = "\(error)"
          }
          try text.write(toFile: report, atomically: true, encoding: .utf8)
        }
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text == "")
      }
    }

    private struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// - Returns: False if the operation made fewer calls.
    private static func tryOne(_ number: Int, _ operation: Operation, lasting: Bool) async throws
      -> Bool
    {
      try await withTemporaryDatabase { database in
        try await database.migrate(DatabaseSchema(Maker.self))
        try await operation.prepare(database)
        FileFaults.arm(number, lasting: lasting)
        var thrown: DatabaseError?
        do {
          try await operation.run(database)
        } catch let error as DatabaseError {
          thrown = error
        }
        let struck = FileFaults.disarm()
        let expected = thrown == nil ? operation.names.after : operation.names.before
        for connection in [database.reader, database.writer] {
          let names = try await connection.names
          guard names == expected else {
            throw Failure(
              description: "call \(number): \(names), and thrown: \(thrown.map { "\($0)" } ?? "-")")
          }
        }
        try await makers.insert(Maker.Draft(name: "after"), in: database)
        return struck > 0
      }
    }
  }

  extension Connection {
    /// The attached databases.
    fileprivate var names: [String] {
      get throws {
        let databases = try query("SELECT name FROM pragma_database_list WHERE name <> 'temp'")
        return databases.compactMap { row in
          if case .text(let name) = row.values[0] { name } else { nil }
        }
      }
    }
  }
#endif
