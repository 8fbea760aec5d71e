#if os(Linux)
  import Foundation
  import MiniORM
  import Testing

  /// Closing any descriptor of a file drops all POSIX locks of the process on that file. In WAL
  /// mode, SQLite's lock keeps other processes from deleting the log when they close.
  /// https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
  @Suite("Locks of open files")
  struct FileLockTests {
    enum Step: CaseIterable {
      case openAgain, openAgainAndClose, openWithWrongKey, changeKey
    }

    @Test(
      "a file keeps its lock when the same process opens it again or changes its key",
      arguments: Step.allCases)
    func keeps(step: Step) async throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).db").path
      defer { try? Database.delete(path: path) }
      let key = Key.raw([UInt8](repeating: 7, count: 32))
      let other = Key.raw([UInt8](repeating: 8, count: 32))
      let database = try await Database(path: path, key: key)
      try await database.migrate(DatabaseSchema(City.self))
      let before = try locks(on: path)
      try #require(!before.isEmpty)
      switch step {
      case .openAgain:
        let second = try await Database(path: path, key: key)
        #expect(try locks(on: path) == before)
        try await second.close()
      case .openAgainAndClose:
        try await Database(path: path, key: key).close()
        #expect(try locks(on: path) == before)
      case .openWithWrongKey:
        await #expect(throws: DatabaseError.self) { try await Database(path: path, key: other) }
        #expect(try locks(on: path) == before)
      case .changeKey:
        try await database.changeKey(to: other)
        #expect(try locks(on: path) == before)
      }
      try await database.close()
    }

    /// The locks of this process on a file, from /proc/locks: kind and range.
    private func locks(on path: String) throws -> Set<String> {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let inode = try #require(attributes[.systemFileNumber] as? Int)
      // A reading can miss a row if another test releases a lock between two parts, so several
      // readings are combined.
      let rows = try (0..<10).flatMap { _ in
        try lockTable().split(separator: "\n").map { $0.split(separator: " ") }
      }
      return Set(
        rows.filter {
          $0.count == 8 && $0[4] == "\(getpid())" && $0[5].hasSuffix(":\(inode)")
        }.map { "\($0[3]) \($0[6]) \($0[7])" })
    }

    /// The kernel returns a long table in parts, and Foundation stops after the first part.
    private func lockTable() throws -> String {
      let file = try #require(fopen("/proc/locks", "r"))
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      let count = fread(&bytes, 1, bytes.count, file)
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }
#endif
