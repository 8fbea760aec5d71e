import ArgumentParser
import Foundation
import MiniORM
import MiniORMBackup

struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Restores a state of a continuous backup as a new file.",
    discussion: """
      Checks each object of the store and each page before the file gets its name. Prints the position \
      of the state: with --not-before, a later restore detects a store that hides newer states.
      """)

  @Argument(help: "The folder of the backup.", completion: .directory)
  var store: String

  @Option(help: "The new file, which must not exist.", completion: .file())
  var to: String

  @Option(
    help: """
      A time such as \"2026-11-20 14:03\", a time that backups prints, or a position. The newest \
      state by default.
      """)
  var at: String?

  @Option(help: "A position that the restored state must have reached.")
  var notBefore: String?

  @OptionGroup var key: KeyOptions
  @OptionGroup var cipher: CipherOptions

  func validate() throws {
    _ = try moment()
    guard notBefore == nil || position != nil else {
      throw ValidationError(
        "--not-before takes a position, as restore and the backup's status print.")
    }
  }

  private var position: BackupPosition? { notBefore.flatMap { BackupPosition($0) } }

  private func moment() throws -> BackupMoment {
    guard let at else { return .latest }
    if let position = BackupPosition(at) { return .position(position) }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    for format in [
      "yyyy-MM-dd HH:mm:ss.SSS Z", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm",
      "yyyy-MM-dd'T'HH:mm:ssXXXXX",
    ] {
      formatter.dateFormat = format
      guard let date = formatter.date(from: at) else { continue }
      // Without rounding, the sum of seconds and milliseconds may be less than the state's time.
      let seconds = (date.timeIntervalSince1970 * 1_000).rounded() / 1_000
      return .date(Date(timeIntervalSince1970: seconds))
    }
    throw ValidationError(
      "--at takes a local time such as \"2026-11-20 14:03:59\", a time such as 2026-11-20T14:03:59Z, a time that backups prints, or a position."
    )
  }

  func run() async throws {
    let store = try BackupFolder.open(store)
    var configuration = Configuration()
    configuration.cipher = cipher.settings(hasPlainHeader: false)
    let key = try key.read("Key of the backup in \(self.store)", salt: cipher.saltBytes)
    let moment = try moment()
    let restored = try await ProgressBar.showing("restoring") { progress in
      try await Database.restore(
        from: store, at: moment, to: to, keys: [key], notBefore: position,
        configuration: ForeignIndexes.configuration(configuration), progress: progress)
    }
    try Terminal.output("\(restored)\n")
    Terminal.complain("miniorm: \(to) has the state of \(restored.date.exact)")
  }
}

struct Follow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Keeps a copy up to date from a continuous backup, until Ctrl-C.",
    discussion: """
      The first start restores the newest state as a new file. Later states are applied in the background; \
      a later start continues. Other programs can read the copy at any time, but must not write to it: \
      follow overwrites their changes. Prints each state and its age. After a change of the database's \
      key, give the earlier key and the new key.
      """)

  @Argument(help: "The folder of the backup.", completion: .directory)
  var store: String

  @Argument(help: "The copy: a new file, or the copy of an earlier start.", completion: .file())
  var path: String

  @Flag(help: "Brings the copy up to date, prints the position of its state, and ends.")
  var once = false

  @OptionGroup var key: KeyOptions
  @OptionGroup var newKey: NewKeyOptions
  @OptionGroup var cipher: CipherOptions

  func validate() throws { try newKey.check(against: key) }

  func run() async throws {
    let store = try BackupFolder.open(store)
    var configuration = Configuration()
    configuration.cipher = cipher.settings(hasPlainHeader: false)
    var keys = [try key.read("Key of the backup in \(self.store)", salt: cipher.saltBytes)]
    if newKey.isGiven {
      // The newest key is the first.
      keys.insert(try newKey.read("New key of the backup in \(self.store)", isNew: true), at: 0)
    }
    let follower = try await Database.follow(
      store, to: path, keys: keys, configuration: ForeignIndexes.configuration(configuration))
    if once { return try await catchUp(follower) }
    Terminal.complain("miniorm: following \(self.store), until Ctrl-C")
    var (position, failure) = (BackupPosition?.none, "")
    for await status in follower.status {
      let error = status.lastError.map(Failure.text) ?? ""
      if error != failure, !error.isEmpty { Terminal.complain("miniorm: \(error)") }
      failure = error
      guard let new = status.position, new != position else { continue }
      position = new
      show(new)
    }
    await follower.stop()
  }

  /// Ends with the error of the first attempt that fails.
  private func catchUp(_ follower: Follower) async throws {
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await follower.catchUp() }
        group.addTask {
          for await status in follower.status {
            if let error = status.lastError { throw error }
          }
        }
        try await group.next()
        // Cancellation ends the sequence of the status without an error.
        try Task.checkCancellation()
        group.cancelAll()
      }
    } catch {
      await follower.stop()
      guard error is CancellationError else { throw error }
      throw Failure(.cancelled, "cancelled: \(path) may have an earlier state of the backup")
    }
    await follower.stop()
    // The status of an ended follower, which does not wait.
    for await status in follower.status {
      guard let position = status.position else { break }
      try Terminal.output("\(position)\n")
      show(position)
      break
    }
  }

  private func show(_ position: BackupPosition) {
    let age = max(0, -position.date.timeIntervalSinceNow)
    let seconds = String(format: "%.1f", age)
    Terminal.complain("miniorm: \(path) has the state of \(position.date.exact), \(seconds) s old")
  }
}

struct Backups: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the states of a continuous backup, or deletes old states.",
    subcommands: [BackupList.self, BackupPruning.self], defaultSubcommand: BackupList.self)
}

struct BackupPruning: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Deletes the states before a position, whatever their times are.",
    discussion: """
      This needs no key. The objects that later states need are kept.
      """)

  @Argument(help: "The folder of the backup.", completion: .directory)
  var store: String

  @Option(help: "The first state to keep, as 'miniorm backups --positions' lists it.")
  var before: String

  func run() async throws {
    guard let position = BackupPosition(before) else {
      throw Failure(
        .usage, "\(before) is not a position: take one of 'miniorm backups --positions'")
    }
    try await BackupRetention.prune(try BackupFolder.open(store), before: position)
  }
}

struct BackupList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the generations of a continuous backup, with times, sizes and gaps.",
    discussion: """
      This needs no key, and checks no object: only restore does. Exits with 4 if objects are missing.
      """)

  @Argument(help: "The folder of the backup.", completion: .directory)
  var store: String

  @Flag(help: "List each state that can be restored: its position and time.")
  var positions = false

  func run() async throws {
    let summaries = try await BackupSummary.all(in: try BackupFolder.open(store))
    guard !summaries.isEmpty else {
      throw Failure(.failed, "\(store) has no backup: check the path")
    }
    if positions {
      for position in summaries.flatMap(\.states) {
        try Terminal.output("\(position) \(position.date.exact)\n")
      }
      return
    }
    let rows = summaries.map { summary -> [DatabaseValue] in
      let size = summary.objects.reduce(0 as Int64) { sum, name in
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(store)/\(name)")
        return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
      }
      return [
        .text(summary.generation), .text(summary.states.first.map(\.date.exact) ?? ""),
        .text(summary.states.last.map(\.date.exact) ?? ""), .integer(Int64(summary.states.count)),
        .integer(Int64(summary.brokenCount)), .integer(size),
      ]
    }
    let names = ["generation", "first state", "last state", "states", "broken", "bytes"]
    try Terminal.output(ResultTable(names: names, rows: rows).asTable)
    guard summaries.allSatisfy({ $0.brokenCount == 0 }) else {
      throw ExitCode(ExitStatus.damaged.rawValue)
    }
  }
}

private enum BackupFolder {
  /// Without this check, a wrong path would become a new, empty folder.
  static func open(_ path: String) throws -> FolderStore {
    guard FileManager.default.fileExists(atPath: path) else {
      throw Failure(.failed, "\(path): there is no such folder. Check the path")
    }
    return try FolderStore(path)
  }
}
