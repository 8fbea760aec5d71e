import Foundation
import Testing

@testable import MiniORM

@Suite("Child processes of fork")
struct ForkTests {
  /// `fork`, which Swift hides. Only the calling thread continues in the child.
  private static func fork() throws -> pid_t {
    let symbol = try #require(dlsym(nil, "fork"))
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 { alarm(60) }
    return child
  }

  /// The exit status of a child.
  private static func status(of child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static func isRefusal(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch {
      let error = error as? DatabaseError
      return error?.code == .misuse && error?.message.contains("before fork") == true
    }
  }

  @Test(
    "the child's calls are refused, and the parent's calls continue",
    arguments: [Configuration.JournalMode.wal, .delete])
  func calls(_ mode: Configuration.JournalMode) async throws {
    await #expect(processExitsWith: .success) { [mode = mode.rawValue as String] in
      let file = TemporaryFile()
      var configuration = Configuration()
      configuration.journalMode =
        try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
      let database = try await file.open(configuration)
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      _ = try await database.values("SELECT * FROM t")
      // Waits until the previous call's thread has returned the connection: the child lacks that
      // thread.
      database.writer.sync { _ in }
      let child = try Self.fork()
      if child == 0 { _exit(Self.accepted(database)) }
      let status = Self.status(of: child)
      try #require(status == 0)
      try await database.write { try $0.execute("INSERT INTO t VALUES (1)") }
      try #require(try await database.values("SELECT a FROM t") == [.integer(1)])
      try #require(try await database.integrityReport().isEmpty)
      try await database.close()
    }
  }

  /// The calls that are not refused, as a bit mask.
  private static func accepted(_ database: Database) -> Int32 {
    var accepted: Int32 = 0
    if !isRefusal({ try database.readSynchronously { _ in } }) { accepted |= 1 }
    if !isRefusal({ try database.writeSynchronously { _ = try $0.execute("DELETE FROM t") } }) {
      accepted |= 2
    }
    if !isRefusal({ try database.writer.sync { db in Result { try db.close() } }.get() }) {
      accepted |= 4
    }
    if !database.writer.sync({ $0.isOpen }) { accepted |= 8 }
    return accepted
  }

  @Test(
    "the child neither commits nor rolls back the parent's running transaction",
    arguments: [Configuration.JournalMode.wal, .delete], [true, false])
  func transaction(_ mode: Configuration.JournalMode, _ returns: Bool) async throws {
    await #expect(processExitsWith: .success) {
      [mode = mode.rawValue as String, returns = returns as Bool] in
      let file = TemporaryFile()
      var configuration = Configuration()
      configuration.journalMode =
        try #require(Configuration.JournalMode(rawValue: mode)) as Configuration.JournalMode
      let database = try await file.open(configuration)
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      try Self.writeAndFork(database, returns)
      try #require(try await database.values("SELECT a FROM t") == [.integer(1), .integer(3)])
      try #require(try await database.integrityReport().isEmpty)
      try await database.close()
    }
  }

  private static func writeAndFork(_ database: Database, _ returns: Bool) throws {
    struct Stop: Error {}
    var isChild = false
    var isRefused = false
    do {
      try database.writeSynchronously { db in
        try db.execute("INSERT INTO t VALUES (1)")
        let child = try fork()
        isChild = child == 0
        if isChild {
          isRefused = isRefusal { try db.execute("INSERT INTO t VALUES (2)") }
          if returns { return }
          throw Stop()
        }
        try #require(status(of: child) == 0)
        try db.execute("INSERT INTO t VALUES (3)")
      }
    } catch {
      guard isChild else { throw error }
      _exit(isRefused && (returns ? isRefusal { throw error } : error is Stop) ? 0 : 1)
    }
    if isChild { _exit(1) }
  }

  @Test("the child can open the file itself")
  func another() async throws {
    await #expect(processExitsWith: .success) {
      let file = TemporaryFile()
      let database = try await file.open()
      try await database.write { try $0.execute("CREATE TABLE t(a)") }
      try await database.close()
      let child = try Self.fork()
      if child == 0 {
        // A child has only this thread.
        let connection = Connection(path: file.path, configuration: Configuration())
        let isDone = connection.sync { db in
          do throws(DatabaseError) {
            _ = try db.openFirst([TemporaryFile.key])
            try db.execute("INSERT INTO t VALUES (1)")
            return true
          } catch {
            return false
          }
        }
        _exit(isDone ? 0 : 1)
      }
      try #require(Self.status(of: child) == 0)
      let again = try await file.open()
      try #require(try await again.values("SELECT a FROM t") == [.integer(1)])
      try await again.close()
    }
  }
}
