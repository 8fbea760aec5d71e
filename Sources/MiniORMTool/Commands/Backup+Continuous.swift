import ArgumentParser
import Foundation
import MiniORM
import MiniORMBackup

struct ContinuousOptions: ParsableArguments {
  @Flag(help: "Copies each commit to a folder, or to a bucket such as s3://bucket/app.")
  var continuous = false

  @Flag(help: "With --continuous, prints each change of the status as a line of JSON.")
  var json = false

  @Option(
    help: """
      With --continuous, the seconds after which a failing store ends the program with an error. 300 by \
      default.
      """)
  var giveUpAfter: Int?

  @Option(
    help: """
      With --continuous, the seconds between two checks, each of which restores the newest state as a \
      temporary file.
      """)
  var check: Int?

  @Option(
    help: """
      With --continuous, the time from a commit to its copy, such as 0.5 or 10s. 1s by default. Only the \
      last state of each interval can be restored.
      """)
  var interval: TimeSpan?

  @Option(
    help: """
      With --continuous, the mebibytes to which the write-ahead log grows while the store is unavailable. \
      256 by default.
      """)
  var logLimit: Int?

  @Flag(help: "With --continuous, deletes no state.")
  var keepEverything = false

  @Flag(
    help: """
      With --continuous, continues the backup of another file with this copy, such as a restored file. \
      The backup of the other file ends for good.
      """)
  var takeOver = false

  func validate() throws {
    guard
      continuous
        || !json && !takeOver && giveUpAfter == nil && check == nil && interval == nil
          && logLimit == nil && !keepEverything
    else {
      throw ValidationError(
        "--json, --take-over, --give-up-after, --check, --interval, --log-limit and --keep-everything need --continuous."
      )
    }
    guard (1...1 << 20).contains(logLimit ?? 1) else {
      throw ValidationError("--log-limit takes a number of mebibytes from 1 to 1048576.")
    }
    guard (giveUpAfter ?? 1) > 0, (check ?? 1) > 0 else {
      throw ValidationError("--give-up-after and --check take a positive number of seconds.")
    }
  }
}

extension Backup {
  /// Copies commits of all programs until the task is cancelled.
  func copyContinuously() async throws {
    let store = try bucket.open(destination, creates: true)
    let key = try file.readKey()
    try await file.openForWriting(key, startsLog: true).closing { database in
      let backup = ContinuousBackup(
        of: database, to: store, interval: options.interval?.duration ?? .seconds(1),
        maximumLogSize: (options.logLimit ?? 256) << 20,
        retention: options.keepEverything ? nil : retention.retention)
      try await backup.start(takingOver: options.takeOver)
      Terminal.complain("copying each commit to \(destination), until Ctrl-C")
      let report = Task { try await self.report(backup) }
      defer { report.cancel() }
      do {
        // Commits of other programs do not wake the backup.
        var tasks: [@Sendable () async throws -> Void] = [
          {
            while true {
              try await backup.flush(for: .seconds(options.giveUpAfter ?? 300))
              try await Task.sleep(for: .seconds(1))
            }
          }
        ]
        if let interval = options.check {
          tasks.append { try await check(store, key, every: .seconds(interval)) }
        }
        try await race(tasks)
      } catch is CancellationError {
        // Cancellation does not extend to this task.
        try await Task { try await backup.flush(for: .seconds(5)) }.value
      }
      await backup.stop()
      if options.json, let status = await backup.now {
        try Terminal.output(status.line)
      }
    }
  }

  /// Restores the newest state at an interval, until the state is damaged.
  private func check(_ store: any BackupStore, _ key: Key?, every interval: Duration) async throws {
    guard let key else { return }
    let configuration = try file.configuration(key).standingIn
    while true {
      try await Task.sleep(for: interval)
      let copy = FileManager.default.temporaryDirectory
        .appendingPathComponent("miniorm-check-\(UUID().uuidString)").path
      defer { try? Database.delete(path: copy) }
      do {
        let position = try await Database.restore(
          from: store, to: copy, keys: [key], configuration: configuration)
        Terminal.complain("checked the state of \(position.date.exact)")
      } catch let error as DatabaseError where error.code.primary != .corrupt {
        Terminal.complain("the check failed: \(Failure.text(error))")
      }
    }
  }

  private func report(_ backup: ContinuousBackup) async throws {
    var last = ""
    var bar: ProgressBar?
    defer { bar?.finish() }
    for await status in backup.status {
      if let count = status.baseBytes, !options.json {
        bar = bar ?? ProgressBar("copying")
        bar?.show(Double(count) / Double(max(1, DatabaseFile.size(file.path))))
      } else {
        bar?.finish()
        bar = nil
      }
      if options.json {
        let line = status.line
        if line != last { try Terminal.output(line) }
        last = line
        // A base changes the status often.
        try await Task.sleep(for: .milliseconds(200))
        continue
      }
      let text =
        status.lastError.map(Failure.text)
        ?? status.position.map { position in
          "generation \(status.generation ?? ""), from \(position.date.exact)"
        }
        ?? ""
      // Only the first position of a generation.
      let line = status.lastError == nil ? status.generation ?? "" : text
      guard line != last, !text.isEmpty else { continue }
      last = line
      bar?.finish()
      bar = nil
      Terminal.complain(text)
    }
  }
}

extension ContinuousBackup {
  fileprivate var now: BackupStatus? { get async { await status.first { _ in true } } }

  /// Waits for a flush as long as the store works.
  /// - Parameter limit: The time for which a store may fail.
  fileprivate func flush(for limit: Duration) async throws {
    try await race([
      { try await self.flush() },
      {
        while true {
          try await Task.sleep(for: limit)
          guard let status = await self.now, let error = status.lastError else { continue }
          throw Failure(
            "the store has failed for \(limit), and \(status.behind) bytes of the log are not copied: "
              + Failure.text(error))
        }
      },
    ])
  }
}

/// Runs closures until the first one ends or throws, and cancels the others.
func race(_ closures: [@Sendable () async throws -> Void]) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    defer { group.cancelAll() }
    for closure in closures { group.addTask { try await closure() } }
    try await group.next()
  }
}

extension BackupStatus {
  /// The status as a line of JSON. Without a value, a key is absent.
  fileprivate var line: String {
    jsonLine([
      "isRunning": isRunning, "behind": behind, "generation": generation, "reason": reason,
      "sent": position?.description, "sentDate": position?.isoDate,
      "lastRestorable": lastRestorable?.description, "lastRestorableDate": lastRestorable?.isoDate,
      "lastCheck": lastCheck?.ISO8601Format(), "lastError": lastError.map(Failure.text),
      "lastErrorDate": lastErrorDate?.ISO8601Format(),
    ])
  }
}
