import CSQLCipher
import Foundation
import Synchronization
import Testing

@testable import MiniORM

@Table("parcel") private struct Parcel: Equatable {
  let id: Int64
  var label: String
  @Column(.unique) var number: Int
}

@Table("room", primaryKey: ["floor", "door"], options: [.strict, .withoutRowID])
private struct Room: Equatable {
  var floor: Int
  var door: Int
}

private let parcels = Table<Parcel>()
private let rooms = Table<Room>()
private let schema = DatabaseSchema(Parcel.self, Room.self)
private let newParcel = Parcel.Draft(label: "new", number: 100)
private let known = Parcel(id: 1, label: "known", number: 1)
private let insertion = PreparedChange(String.self, Int.self) { label, number in
  parcels.insert { ($0.label, $0.number) = (label, number) }
}
private let relabeling = PreparedReturning(String.self) { label in
  parcels.where { $0.number == 1 }.update { $0.label = label }.returning { $0.id }
}

/// A connection of another program that holds the write lock.
private final class Writer: @unchecked Sendable {
  // Used by a single task at a time.
  private var database: OpaquePointer?
  private let released = Atomic(false)
  /// Becomes true before the lock is released.
  var isReleased: Bool { released.load(ordering: .sequentiallyConsistent) }

  init(_ path: String) throws {
    try #require(sqlite3_open(path, &database) == SQLITE_OK)
    sqlite3_busy_timeout(database, 5_000)
    let key = testKeyBytes.hexadecimal
    try run("PRAGMA key = \"x'\(key)'\"; BEGIN IMMEDIATE")
    try run("UPDATE parcel SET label = 'theirs' WHERE id = 3")
  }

  func run(_ sql: String) throws {
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
  }

  /// Ends the transaction while a call waits for it.
  func release(_ sql: String) throws {
    released.store(true, ordering: .sequentiallyConsistent)
    try run(sql)
  }

  deinit { sqlite3_close_v2(database) }
}

private enum Call: String, CaseIterable, Sendable {
  case draft, model, keyed, contents, updateRow, updateRows, updateAll, deleteKey, deleteKeys
  case deleteAll, truncate, upsert, insertRun, insertSelect, returning, prepared, preparedReturning
  case write, exclusive, nested, withoutTransaction, contentsWithoutTransaction
  case upsertWithoutTransaction, executed, script, sqlTransaction, nestedInSQL, synchronous
  case migrate, adopt, vacuum, optimize, restore, snapshot

  /// Prepares the files of the call.
  func prepare(_ path: String) async throws {
    guard self == .restore else { return }
    let backup = try await Database(path: path + "-backup", key: .raw(testKeyBytes))
    try await backup.migrate(schema)
    try await backup.close()
  }

  func run(_ database: Database) async throws {
    switch self {
    case .draft: try await parcels.insert(newParcel, in: database)
    case .model: try await parcels.insert(Parcel(id: 50, label: "", number: 50), in: database)
    case .keyed: try await rooms.insert(Room(floor: 9, door: 9), in: database)
    case .contents: try await parcels.insert(contentsOf: [newParcel], in: database)
    case .updateRow: try await parcels.update(known, in: database)
    case .updateRows: try await parcels.update(contentsOf: [known], in: database)
    case .updateAll: try await parcels.update { $0.label += "!" }.run(in: database)
    case .deleteKey: try await parcels.delete(1, in: database)
    case .deleteKeys: try await parcels.delete(keys: [1, 2], in: database)
    case .deleteAll: try await parcels.where { $0.number > 1 }.deleteAll(in: database)
    case .truncate: try await parcels.truncate(in: database)
    case .upsert: try await parcels.upsert(newParcel, onConflict: { $0.number }, in: database)
    case .insertRun: try await parcels.insert(contentsOf: [newParcel]).run(in: database)
    case .insertSelect:
      try await parcels.insert(from: parcels.where { $0.number == 1 }).or(.ignore)
        .run(in: database)
    case .returning:
      _ = try await parcels.insert(newParcel).returning { $0.id }.fetchAll(in: database)
    case .prepared: try await insertion.run("p", 200, in: database)
    case .preparedReturning: _ = try await relabeling.fetchAll("r", in: database)
    case .write: try await database.write { db in _ = try parcels.insert(newParcel, in: db) }
    case .exclusive:
      try await database.write(.exclusive) { db in _ = try parcels.insert(newParcel, in: db) }
    case .nested:
      try await database.write { db in
        try db.transaction { db in _ = try parcels.insert(newParcel, in: db) }
      }
    case .withoutTransaction:
      try await database.withoutTransaction { db in _ = try parcels.insert(newParcel, in: db) }
    case .contentsWithoutTransaction:
      try await database.withoutTransaction { db in
        _ = try parcels.insert(contentsOf: [newParcel], in: db)
      }
    case .upsertWithoutTransaction:
      try await database.withoutTransaction { db in
        _ = try parcels.upsert(newParcel, onConflict: { $0.number }, in: db)
      }
    case .executed:
      try await database.withoutTransaction { db in
        try db.execute("UPDATE parcel SET label = 'x' WHERE number = 1")
      }
    case .script:
      try await database.withoutTransaction { db in
        try db.execute(script: "UPDATE parcel SET label = 'x'; DELETE FROM room")
      }
    case .sqlTransaction:
      try await database.withoutTransaction { db in
        try db.execute("BEGIN IMMEDIATE")
        try parcels.insert(newParcel, in: db)
        try db.execute("COMMIT")
      }
    case .nestedInSQL:
      try await database.withoutTransaction { db in
        try db.execute("BEGIN IMMEDIATE")
        try db.transaction { db in _ = try parcels.insert(contentsOf: [newParcel], in: db) }
        try db.execute("COMMIT")
      }
    case .synchronous: try synchronously(database)
    case .migrate:
      try await database.migrate(
        DatabaseSchema(
          version: 2, Parcel.self, Room.self,
          steps: [
            DatabaseSchema.Step(to: 2, "relabel", .sql("UPDATE parcel SET label = 'migrated'"))
          ]))
    case .adopt:
      // Refused, because MiniORM created the file. The call waits for the lock first.
      _ = try? await database.adopt(version: 1)
    case .vacuum: try await database.vacuum()
    case .optimize: try await database.optimize()
    case .restore: try await database.restore(from: database.path + "-backup")
    case .snapshot: try await database.snapshot().close()
    }
  }

  private func synchronously(_ database: Database) throws {
    _ = try database.writeSynchronously { db in try parcels.insert(newParcel, in: db) }
  }
}

@Suite("Writes beside another program's transaction")
struct LockedWriteTests {
  static let modes: [Configuration.JournalMode] = [.wal, .delete, .truncate, .persist]

  private static func withFile(
    _ mode: Configuration.JournalMode, busyTimeout: Duration = .seconds(5),
    _ body: (Database) async throws -> Void
  ) async throws {
    var configuration = Configuration()
    configuration.journalMode = mode
    try await withTemporaryPath { path in
      let maker = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await maker.migrate(schema)
      let some = (1...3).map { Parcel(id: Int64($0), label: "old", number: $0) }
      try await parcels.insert(contentsOf: some, in: maker)
      try await maker.close()
      configuration.busyTimeout = busyTimeout
      let database = try await Database(
        path: path, key: .raw(testKeyBytes), configuration: configuration)
      try await body(database)
      try await database.close()
    }
  }

  @Test(
    "the first call of a connection waits for the lock", arguments: Call.allCases, modes)
  fileprivate func waits(call: Call, mode: Configuration.JournalMode) async throws {
    guard call != .snapshot || mode == .wal else { return }
    try await Self.withFile(mode) { database in
      try await call.prepare(database.path)
      let writer = try Writer(database.path)
      // A thread, because synchronous calls block the threads of Swift's pool. If the COMMIT fails, the
      // call fails at its busy timeout.
      Thread.detachNewThread {
        usleep(100_000)
        try? writer.release("COMMIT")
      }
      try await call.run(database)
      // These calls need no lock, or succeed without the lock.
      if ![Call.optimize, .snapshot, .adopt].contains(call) {
        #expect(writer.isReleased)
      }
      if ![Call.truncate, .restore, .script, .updateAll, .migrate, .deleteAll].contains(call) {
        #expect(try await parcels.find(3, in: database)?.label == "theirs")
      }
    }
  }

  @Test(
    "a write on a connection with a loaded schema waits too, in each kind of transaction",
    arguments: [TransactionKind.deferred, .immediate, .exclusive], modes)
  func warm(kind: TransactionKind, mode: Configuration.JournalMode) async throws {
    try await Self.withFile(mode) { database in
      // The schema is loaded, but the insertion is not compiled yet.
      try await database.write { db in _ = try parcels.count(in: db) }
      let writer = try Writer(database.path)
      async let stored = database.write(kind) { db in
        defer { #expect(writer.isReleased) }
        return (
          try parcels.insert(newParcel, in: db), try rooms.insert(Room(floor: 1, door: 1), in: db)
        )
      }
      try await Task.sleep(for: .milliseconds(100))
      try writer.release("COMMIT")
      #expect(try await stored.0 == Parcel(id: 4, label: "new", number: 100))
      #expect(try await stored.1 == Room(floor: 1, door: 1))
    }
  }

  @Test(
    "a write throws an error when the busy timeout is over",
    arguments: [
      Call.draft, .contents, .upsert, .insertRun, .updateRow, .withoutTransaction,
      .upsertWithoutTransaction, .executed, .write, .returning,
    ], modes)
  fileprivate func givesUp(call: Call, mode: Configuration.JournalMode) async throws {
    try await Self.withFile(mode, busyTimeout: .milliseconds(60)) { database in
      let writer = try Writer(database.path)
      let began = ContinuousClock.now
      let error = try await failure { try await call.run(database) }
      #expect(error.code.primary == .busy)
      #expect(
        error.message.hasPrefix(
          "database is locked: another connection or process held the lock"))
      #expect(ContinuousClock.now - began > .milliseconds(55))
      try writer.run("ROLLBACK")
      try await call.run(database)
    }
  }
}
