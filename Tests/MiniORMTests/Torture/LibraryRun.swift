import Foundation
import Synchronization

@testable import MiniORM

/// A library in an encrypted file, and its oracle.
final class LibraryRun {
  /// A difference between the file and the oracle.
  struct Mismatch: Error {
    let index: Int
    let expected: [String]
    let found: [String]
  }

  private let folder: String
  private var path: String { folder + "/library.db" }
  private var archivePath: String { folder + "/archive.db" }
  private static let archiveKey = Key.raw([UInt8](repeating: 7, count: 32))

  private var oracle: Oracle
  private var database: Database
  private var observers: [Observer] = []

  private init(folder: String, flaw: Oracle.Flaw?) async throws {
    self.folder = folder
    oracle = Oracle(flaw: flaw)
    let archive = try await Database(
      path: folder + "/archive.db", key: Self.archiveKey, configuration: Self.configuration())
    try await archive.migrate(DatabaseSchema(LibraryAuthor.self))
    try await archive.close()
    database = try await Database(
      path: folder + "/library.db", key: Self.key(0), configuration: Self.configuration())
    try await database.migrate(Library.schema(1))
  }

  private static func configuration() -> Configuration {
    var configuration = Configuration()
    // No test here cuts the power.
    configuration.synchronous = .off
    return configuration
  }

  private static func key(_ byte: UInt8) -> Key { .raw([UInt8](repeating: byte, count: 32)) }

  /// Runs operations in order until the file and the oracle differ.
  static func mismatch(_ operations: [Operation], flaw: Oracle.Flaw? = nil) async throws
    -> Mismatch?
  {
    try await withTemporaryDirectory { folder in
      let run = try await LibraryRun(folder: folder, flaw: flaw)
      var found: Mismatch?
      for (index, operation) in operations.enumerated() where found == nil {
        do {
          try await run.compare(operation, index)
        } catch let mismatch as Mismatch {
          found = mismatch
        } catch {
          found = Mismatch(index: index, expected: ["no error"], found: ["\(error)"])
        }
      }
      await run.stopObserving()
      try? await run.database.close()
      return found
    }
  }

  private func compare(_ operation: Operation, _ index: Int) async throws {
    let before = oracle
    let (expected, found) = try await perform(operation)
    guard expected == found else { throw Mismatch(index: index, expected: expected, found: found) }
    let version = oracle.version
    let contents = try await database.read { db in
      try Operation.contents(db, version: version) + Self.problems(db)
    }
    guard contents == oracle.contents else {
      throw Mismatch(index: index, expected: oracle.contents, found: contents)
    }
    for observer in observers {
      let values = [before, oracle].map { $0.observed(observer.filter) }
      if let seen = await observer.unexpected(values[0], then: values[1]) {
        throw Mismatch(index: index, expected: ["observed"] + values[1], found: seen)
      }
    }
  }

  // MARK: Operations

  /// Runs an operation on the oracle and on the database.
  /// - Returns: The answers of the oracle and of the database.
  private func perform(_ operation: Operation) async throws -> ([String], [String]) {
    switch operation {
    case .observe(let filter):
      if observers.count < 3 { observers.append(Observer(filter, database)) }
      return ([], [])
    case .stopObserving:
      await stopObserving()
      return ([], [])
    case .reopen(let journal, let readers, let statements):
      return try await reopen(journal, readers, statements)
    case .backup: return try await backUp()
    case .check: return try await check()
    case .cancelled(let operation, let yields):
      let task = Self.start(operation, database)
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
      do {
        let found = try await task.value
        return (oracle.performWhole(operation), found)
      } catch is CancellationError {
        // A cancelled operation changes nothing.
        return ([], [])
      }
    default:
      let found = try await Self.answer(operation, database)
      return (oracle.performWhole(operation), found)
    }
  }

  private static func start(_ operation: Operation, _ database: Database) -> Task<
    [String], any Error
  > {
    Task { try await answer(operation, database) }
  }

  /// The database's answer to an operation, or the code of its error.
  private static func answer(_ operation: Operation, _ database: Database) async throws -> [String]
  {
    do {
      switch operation {
      case .one(let operation):
        if let answer = try await operation.attempt(in: database) { return answer }
        return try await database.write { db in operation.perform(in: db) }
      case .transaction(let operations, let fails):
        let answers = Mutex<[String]>([])
        do {
          try await database.write { db in
            for operation in operations {
              let answer = operation.perform(in: db)
              answers.withLock { $0 += answer }
            }
            if fails { throw Operation.Stop() }
          }
          return answers.withLock { $0 } + ["done"]
        } catch is Operation.Stop {
          return answers.withLock { $0 } + ["undone"]
        }
      case .reading(let operations):
        return try await database.read { db in operations.flatMap { $0.perform(in: db) } }
      case .attach:
        try await database.attach(
          database.path.replacing("library.db", with: "archive.db"), as: "archive", key: archiveKey)
      case .detach: try await database.detach("archive")
      case .changeKey(let byte): try await database.changeKey(to: key(byte))
      case .migrate(let version): try await database.migrate(Library.schema(version))
      default: return ["not an operation of a database"]
      }
      return []
    } catch let error as DatabaseError {
      return ["error \(error.code.rawValue)"]
    }
  }

  private func reopen(
    _ journal: Configuration.JournalMode, _ readers: Int, _ statements: Int
  ) async throws -> ([String], [String]) {
    try await database.close()
    // Closing a database ends its observations.
    for observer in observers { await observer.task.value }
    observers = []
    var found: [String] = []
    do {
      _ = try await Database(path: path, key: Self.key(oracle.key ^ 0x55))
      found = ["opened with a wrong key"]
    } catch {
      found = ["error \(error.code.rawValue)"]
    }
    var configuration = Self.configuration()
    configuration.journalMode = journal
    configuration.maximumReaderCount = readers
    configuration.statementCacheCapacity = statements
    database = try await Database(
      path: path, key: Self.key(oracle.key), configuration: configuration)
    oracle.isAttached = false
    return (["error \(ResultCode.notADatabase.rawValue)"], found)
  }

  private func backUp() async throws -> ([String], [String]) {
    let copy = folder + "/copy.db"
    try await database.backup(to: copy)
    let contents = try await contents(copy)
    try Database.delete(path: copy)
    return (oracle.contents, contents)
  }

  private func contents(_ path: String) async throws -> [String] {
    let version = oracle.version
    let other = try await Database(
      path: path, key: Self.key(oracle.key), configuration: Self.configuration())
    let contents = try await other.read { db in try Operation.contents(db, version: version) }
    try await other.close()
    return contents
  }

  /// Problems that SQLite finds.
  private static func problems(_ db: isolated Connection) throws -> [String] {
    let found = try db.query("PRAGMA integrity_check").map { "\($0.values)" }
    return (found == ["\([DatabaseValue.text("ok")])"] ? [] : found)
      + (try db.query("PRAGMA foreign_key_check").map { "\($0.values)" })
  }

  /// Checks the pages, and compares the contents through a second database.
  private func check() async throws -> ([String], [String]) {
    let problems = try await database.integrityReport().problems.map { "\($0)" }
    return (oracle.contents, problems + (try await contents(path)))
  }

  private func stopObserving() async {
    for observer in observers {
      observer.task.cancel()
      await observer.task.value
    }
    observers = []
  }

  /// Observes some books.
  private final class Observer: Sendable {
    let filter: Operation.Filter
    let task: Task<Void, Never>
    private let seen: Seen

    private final class Seen: Sendable {
      let values = Mutex<[[String]]>([])
    }

    init(_ filter: Operation.Filter, _ database: Database) {
      self.filter = filter
      let seen = Seen()
      self.seen = seen
      task = Task {
        do {
          for try await books in filter.books.order({ $0.id }).values(in: database) {
            seen.values.withLock { $0.append(books.map { Oracle.text($0) }) }
          }
        } catch is CancellationError {
        } catch {
          seen.values.withLock { $0.append(["\(error)"]) }
        }
      }
    }

    /// Waits until the observer has seen the current books.
    /// - Returns: A result that never existed, or the last result if no other arrived in time.
    func unexpected(_ before: [String], then now: [String]) async -> [String]? {
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        let values = seen.values.withLock { values in
          defer { if let last = values.last { values = [last] } }
          return values
        }
        if let strange = values.first(where: { $0 != before && $0 != now }) { return strange }
        if values.last == now { return nil }
        if ContinuousClock.now > deadline { return values.last ?? ["nothing"] }
        await Task.yield()
      }
    }
  }
}

extension Oracle {
  func observed(_ filter: Operation.Filter) -> [String] {
    guard flaw != .observesNothing else { return [] }
    return books.values.map(\.book).filter { matches($0, filter) }.sorted { $0.id < $1.id }
      .map { Self.text($0) }
  }

  /// Runs an operation on a database, outside a transaction.
  mutating func performWhole(_ operation: Operation) -> [String] {
    switch operation {
    case .one(let operation): return perform(operation)
    case .transaction(let operations, let fails):
      let before = self
      let answers = operations.flatMap { perform($0) }
      if fails, flaw != .keepsWhatWasRolledBack { self = before }
      return answers + [fails ? "undone" : "done"]
    case .reading(let operations):
      return operations.flatMap { operation in
        var copy = self
        let answers = copy.perform(operation)
        return operation.isRefusedWhereReading(answers)
          ? ["error \(ResultCode.readOnly.rawValue)"] : answers
      }
    case .attach:
      guard !isAttached else { return ["error \(ResultCode.misuse.rawValue)"] }
      isAttached = true
    case .detach:
      guard isAttached else { return ["error \(ResultCode.misuse.rawValue)"] }
      isAttached = false
    case .changeKey(let byte): if flaw != .keepsOldKey { key = byte }
    case .migrate(let new):
      guard new >= version else { return ["error \(ResultCode.misuse.rawValue)"] }
      if new == 3, version < 3, books.values.contains(where: { $0.book.pages < 0 }) {
        return ["error \(ResultCode.constraintCheck.rawValue)"]
      }
      version = new
    default: return ["not an operation of a database"]
    }
    return []
  }
}

extension Operation {
  /// True if a read-only transaction refuses the operation, because it writes.
  /// - Parameter answers: The operation's answers in a writing transaction.
  func isRefusedWhereReading(_ answers: [String]) -> Bool {
    switch self {
    case .books, .book, .join, .leftJoin, .related, .aggregate, .group, .archived: false
    // With no rows to write or a missing table, the operation never reaches the refusal.
    case .insertAuthors(let drafts): !drafts.isEmpty
    case .moveToArchive: answers != ["-"] && answers != ["error 1"]
    case .rateBooks, .insertArchived: answers != ["error 1"]
    default: true
    }
  }

  /// The number of operations, including nested operations.
  var count: Int {
    switch self {
    case .savepoint(let inner, _), .transaction(let inner, _), .reading(let inner):
      1 + inner.reduce(0) { $0 + $1.count }
    case .one(let inner): inner.count
    case .cancelled(let inner, _): inner.count
    default: 1
    }
  }
}
