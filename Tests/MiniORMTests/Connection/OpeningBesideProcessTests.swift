#if os(Linux) || os(macOS)
  import CSQLCipher
  import Foundation
  import Testing

  @testable import MiniORM

  /// A process opens files on which a second process holds a lock.
  @Suite("Opening a file that another process uses")
  struct OpeningBesideProcessTests {
    private static let key = Key.raw(testKeyBytes)
    private static let text = "x'\(testKeyBytes.hexadecimal)'"
    private static let busyTimeout = Duration.milliseconds(200)

    /// The file before the second process opens the file.
    enum Start: String, CaseIterable { case log, journal, hotJournal, empty, nothing }

    /// The use of the file by the second process.
    enum Holder: String, CaseIterable {
      case reader = "BEGIN; SELECT * FROM sqlite_schema"
      case writer = "BEGIN IMMEDIATE; CREATE TABLE held(a)"
      case committer = "BEGIN EXCLUSIVE; CREATE TABLE held(a)"

      var isReader: Bool { self == .reader }
    }

    /// Each kind of opening has its own file.
    enum Opening: String, CaseIterable {
      case plain, settingLog, settingJournal, readOnly, inspecting, verifying
      case attaching, attachingLog, attachingJournal, rotatingKey, restoring, restoringFrom

      var mode: Configuration.JournalMode? {
        switch self {
        case .settingLog, .attachingLog: .wal
        case .settingJournal, .attachingJournal: .delete
        default: nil
        }
      }

      func path(_ folder: String) -> String { "\(folder)/\(rawValue).db" }
    }

    /// A row of the table of cases: the openings that end with SQLITE_BUSY. The rest succeed.
    struct Case: Sendable, CustomTestStringConvertible {
      let start: Start
      let holder: Holder
      let busy: Set<Opening>

      var testDescription: String { "\(start), \(holder)" }
    }

    private static let everything = Set(Opening.allCases)
    private static let changes: Set<Opening> = [.rotatingKey, .restoring]
    private static let toLog: Set<Opening> = [.settingLog, .attachingLog]
    private static let toJournal: Set<Opening> = [.settingJournal, .attachingJournal]
    /// The openings that write to a new file, or roll a journal back.
    private static let writing = changes.union(toLog).union(toJournal)
      .union([.plain, .attaching])

    private static let cases = [
      // Only a connection without others can end the use of a log.
      Case(start: .log, holder: .reader, busy: toJournal),
      Case(start: .log, holder: .writer, busy: toJournal.union(changes)),
      Case(start: .log, holder: .committer, busy: toJournal.union(changes)),
      // A commit waits for readers, and so does the first use of a log.
      Case(start: .journal, holder: .reader, busy: toLog.union(changes)),
      Case(start: .journal, holder: .writer, busy: toLog.union(changes)),
      Case(start: .journal, holder: .committer, busy: everything),
      Case(start: .hotJournal, holder: .reader, busy: writing),
      Case(start: .hotJournal, holder: .committer, busy: everything),
      Case(start: .empty, holder: .reader, busy: writing),
      Case(start: .empty, holder: .writer, busy: writing),
      Case(start: .empty, holder: .committer, busy: everything),
      Case(start: .nothing, holder: .reader, busy: writing),
      Case(start: .nothing, holder: .writer, busy: writing),
      Case(start: .nothing, holder: .committer, busy: everything),
    ]

    private static func make(_ start: Start, _ path: String) throws {
      let rows = """
        CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
        INSERT INTO t SELECT zeroblob(3000) FROM n
        """
      switch start {
      case .log: try runSQL("PRAGMA journal_mode = WAL; \(rows)", on: path, key: text)
      case .journal: try runSQL(rows, on: path, key: text)
      case .hotJournal:
        try runSQL(rows, on: path, key: text)
        try leaveJournal(path, changing: "UPDATE t SET a = randomblob(3000)")
      case .empty: try Data().write(to: URL(fileURLWithPath: path))
      case .nothing: break
      }
    }

    /// Holds a lock on a file.
    /// - Returns: A closure that releases the lock.
    private static func hold(
      _ path: String, _ start: Start, _ holder: Holder
    ) throws -> () -> Void {
      guard start == .hotJournal else {
        var database: OpaquePointer?
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        let sql = "PRAGMA key = \"\(text)\"; \(holder.rawValue)"
        try #require(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        return { [database] in sqlite3_close_v2(database) }
      }
      // SQLite would roll the journal back.
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      var range = flock()
      range.l_type = Int16(holder.isReader ? F_RDLCK : F_WRLCK)
      range.l_whence = Int16(SEEK_SET)
      (range.l_start, range.l_len) = (0x4000_0002, 510)
      try #require(fcntl(file.fileDescriptor, F_SETLK, &range) == 0)
      return { try? file.close() }
    }

    /// Opens, reads or changes, and closes a file.
    private static func open(_ opening: Opening, _ folder: String) async throws {
      let path = opening.path(folder)
      var configuration = Configuration()
      configuration.busyTimeout = busyTimeout
      configuration.journalMode = opening.mode
      configuration.isReadOnly = opening == .readOnly
      func count(_ database: Database) async throws {
        _ = try await database.read { db in
          try db.value(Int.self, "SELECT count(*) FROM sqlite_schema")
        }
      }
      func using(_ path: String, _ body: (Database) async throws -> Void) async throws {
        let database = try await Database(path: path, key: key, configuration: configuration)
        do { try await body(database) } catch {
          try await database.close()
          throw error
        }
        try await database.close()
      }
      let other = "\(folder)/beside-\(opening).db"
      switch opening {
      case .plain, .settingLog, .settingJournal, .readOnly: try await using(path, count)
      case .inspecting:
        try await Database.inspect(
          path: path, key: key, configuration: configuration, { try await count($0) })
      case .verifying:
        _ = try await Database.verify(path: path, key: key, configuration: configuration)
      case .attaching, .attachingLog, .attachingJournal:
        try await using(other) { database in
          try await database.attach(path, as: "other", key: key)
          _ = try await database.read { db in
            try db.value(Int.self, "SELECT count(*) FROM other.sqlite_schema")
          }
        }
      case .rotatingKey:
        let keys = [Key.raw(testKeyBytes.reversed()), key]
        try await Database.open(path: path, keys: keys, configuration: configuration)
          .database.close()
      case .restoring:
        try await using(path) { try await $0.restore(from: folder + "/backup.db", key: key) }
      case .restoringFrom: try await using(other) { try await $0.restore(from: path, key: key) }
      }
    }

    /// Opens all files while the second process holds the locks.
    private static func openAll(_ row: Case, _ folder: String) async throws {
      for opening in Opening.allCases {
        let began = ContinuousClock.now
        var error: DatabaseError?
        do { try await open(opening, folder) } catch let failure as DatabaseError {
          error = failure
        }
        let duration = ContinuousClock.now - began
        // A call can wait for a lock twice: to open the file, and to change it.
        #expect(duration < .seconds(3), "\(opening)")
        let outcome = "\(opening): \(error.map { "\($0)" } ?? "success") after \(duration)"
        if row.start == .hotJournal, opening == .readOnly, row.holder.isReader {
          #expect(error?.code.rawValue == HotJournal.code, "\(outcome)")
        } else if row.busy.contains(opening) {
          #expect(error?.code.primary == .busy && duration > .milliseconds(150), "\(outcome)")
        } else {
          #expect(error == nil, "\(outcome)")
        }
      }
    }

    @Test(
      "an opening succeeds, or ends with an error after the busy timeout",
      arguments: Self.cases)
    func bounded(row: Case) async throws {
      try await withTemporaryDirectory { folder in
        try runSQL("CREATE TABLE restored(a)", on: folder + "/backup.db", key: Self.text)
        var releases: [() -> Void] = []
        for opening in Opening.allCases {
          try Self.make(row.start, opening.path(folder))
          releases.append(try Self.hold(opening.path(folder), row.start, row.holder))
        }
        let number = try #require(
          Self.cases.firstIndex { $0.start == row.start && $0.holder == row.holder })
        await #expect(processExitsWith: .success) {
          [folder = folder as String, number = number as Int] in
          try await Self.openAll(Self.cases[number], folder)
        }
        for release in releases { release() }
        // A refused opening leaves the file as it was.
        for opening in Opening.allCases where row.start != .hotJournal || opening != .readOnly {
          await #expect(throws: Never.self, "\(opening)") {
            try await Self.open(opening, folder)
          }
        }
      }
    }
  }
#endif
