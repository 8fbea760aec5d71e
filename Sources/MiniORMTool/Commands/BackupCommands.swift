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

  @OptionGroup var source: StoreArgument

  @Option(help: "The new file, which must not exist.", completion: .file())
  var to: String

  @Option(
    help: """
      A local time such as \"2026-11-20 14:03\", a time such as 2026-11-20T14:03:59.250Z, seconds since \
      1970, a time that backups prints, or a position. The newest state by default.
      """)
  var at: String?

  @Option(help: "A position that the restored state must have reached.")
  var notBefore: String?

  @Flag(help: "Does nothing if the file exists, and exits with 0: for the start of a container.")
  var ifNotExists = false

  @OptionGroup var key: KeyOptions
  @OptionGroup var cipher: CipherOptions

  func validate() throws {
    guard notBefore == nil || position != nil else {
      throw ValidationError(
        "--not-before takes a position, as restore and the backup's status print.")
    }
  }

  private var position: BackupPosition? { notBefore.flatMap { BackupPosition($0) } }

  func run() async throws {
    let moment = try at.map { try RestoreTime.moment($0) } ?? .latest
    if ifNotExists, FileManager.default.fileExists(atPath: to) {
      return Terminal.complain("\(to) exists, and nothing was restored")
    }
    let store = try source.open()
    let key = try key.read("Key of the backup in \(source.store)", salt: cipher.saltBytes)
    let restored = try await ProgressBar.showing("restoring") { progress in
      try await Database.restore(
        from: store, at: moment, to: to, keys: [key], notBefore: position,
        configuration: cipher.configuration().standingIn, progress: progress)
    }
    try Terminal.output("\(restored)\n")
    Terminal.complain("\(to) has the state of \(restored.date.exact)")
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

  @OptionGroup var source: StoreArgument

  @Argument(help: "The copy: a new file, or the copy of an earlier start.", completion: .file())
  var path: String

  @Flag(help: "Brings the copy up to date, prints the position of its state, and ends.")
  var once = false

  @Flag(
    help: """
      Brings the copy up to date, and makes it an ordinary database, which can be written and backed up to \
      the store.
      """)
  var promote = false

  @OptionGroup var key: KeyOptions
  @OptionGroup var newKey: NewKeyOptions
  @OptionGroup var cipher: CipherOptions

  func validate() throws { try newKey.check(against: key) }

  func run() async throws {
    let store = try source.open()
    var keys = [try key.read("Key of the backup in \(source.store)", salt: cipher.saltBytes)]
    if newKey.isGiven {
      // The newest key is the first.
      keys.insert(try newKey.read("New key of the backup in \(source.store)", isNew: true), at: 0)
    }
    let follower = try await Database.follow(
      store, to: path, keys: keys, configuration: cipher.configuration().standingIn)
    if once || promote { return try await catchUp(follower) }
    Terminal.complain("following \(source.store), until Ctrl-C")
    var (position, failure) = (BackupPosition?.none, "")
    for await status in follower.status {
      let error = status.lastError.map(Failure.text) ?? ""
      if error != failure, !error.isEmpty { Terminal.complain(error) }
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
      try await race([
        { try await follower.catchUp() },
        {
          for await status in follower.status {
            if let error = status.lastError { throw error }
          }
        },
      ])
      // Cancellation ends the sequence of the status without an error.
      try Task.checkCancellation()
    } catch {
      await follower.stop()
      guard error is CancellationError else { throw error }
      throw Failure(.cancelled, "cancelled: \(path) may have an earlier state of the backup")
    }
    await follower.stop()
    if promote { try await follower.promote() }
    // The status of an ended follower, which does not wait.
    guard let position = await follower.status.first(where: { _ in true })?.position else { return }
    try Terminal.output("\(position)\n")
    show(position)
  }

  private func show(_ position: BackupPosition) {
    let age = max(0, -position.date.timeIntervalSinceNow)
    let seconds = String(format: "%.1f", age)
    Terminal.complain("\(path) has the state of \(position.date.exact), \(seconds) s old")
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
    abstract: "Deletes the states before a position, or the states that are too old.",
    discussion: """
      This needs no key. The objects that later states need are kept, and so is the newest state. Prints \
      the states and the number of objects that were deleted.
      """)

  @OptionGroup var source: StoreArgument

  @Option(
    help: """
      The first state to keep, as 'miniorm backups --positions' lists it. The times of the states do not \
      matter.
      """)
  var before: String?

  @Flag(help: "Deletes nothing, and prints what would be deleted.")
  var dryRun = false

  @OptionGroup var retention: RetentionOptions

  func validate() throws {
    guard (before != nil) != retention.isGiven else {
      throw ValidationError(
        "Give either --before, or one of --keep-all, --keep-hourly and --keep-daily.")
    }
  }

  func run() async throws {
    let store = try source.open()
    let states = try await BackupSummary.all(in: store).flatMap(\.states)
    var names = Set<String>()
    let delete = { (name: String) async throws in
      if !dryRun { try await store.delete(name) }
      names.insert(name)
    }
    if let before {
      guard let position = BackupPosition(before) else {
        throw Failure(
          .usage, "\(before) is not a position: take one of 'miniorm backups --positions'")
      }
      try await BackupRetention.prune(store, before: position, deleting: delete)
    } else {
      try await retention.retention.prune(store, deleting: delete)
    }
    for state in states where names.contains(state.objectName) {
      try Terminal.output("\(state) \(state.date.exact)\n")
    }
    Terminal.complain("\(names.count) objects \(dryRun ? "would be" : "were") deleted")
  }
}

struct BackupList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the generations of a continuous backup, with times, sizes and gaps.",
    discussion: """
      This needs no key, and checks no object: only restore does. Exits with 4 if objects are missing.
      """)

  @OptionGroup var source: StoreArgument

  @Flag(help: "List each state that can be restored: its position and time.")
  var positions = false

  @Flag(help: "Prints each generation, or each state with --positions, as a line of JSON.")
  var json = false

  func run() async throws {
    let summaries = try await BackupSummary.all(in: try source.open())
    guard !summaries.isEmpty else {
      throw Failure("\(source.store) has no backup: check the path")
    }
    if positions {
      for position in summaries.flatMap(\.states) {
        try Terminal.output(
          json
            ? jsonLine(["position": "\(position)", "date": position.isoDate])
            : "\(position) \(position.date.exact)\n")
      }
      return
    }
    try json ? writeLines(summaries) : writeTable(summaries)
    guard summaries.allSatisfy({ $0.brokenCount == 0 }) else {
      throw ExitCode(ExitStatus.damaged.rawValue)
    }
  }

  private func writeLines(_ summaries: [BackupSummary]) throws {
    for summary in summaries {
      let (first, last) = (summary.states.first, summary.states.last)
      try Terminal.output(
        jsonLine([
          "generation": summary.generation, "states": summary.states.count,
          "broken": summary.brokenCount, "objects": summary.objects.count,
          "bytes": size(summary),
          "first": first?.description, "firstDate": first?.isoDate, "last": last?.description,
          "lastDate": last?.isoDate,
        ]))
    }
  }

  /// The bytes of the objects in a folder; nil for a bucket.
  private func size(_ summary: BackupSummary) -> Int64? {
    guard !StoreOptions.isBucket(source.store) else { return nil }
    return summary.objects.reduce(0) { $0 + DatabaseFile.size("\(source.store)/\($1)") }
  }

  private func writeTable(_ summaries: [BackupSummary]) throws {
    let rows = summaries.map { summary -> [DatabaseValue] in
      return [
        .text(summary.generation), .text(summary.states.first.map(\.date.exact) ?? ""),
        .text(summary.states.last.map(\.date.exact) ?? ""), .integer(Int64(summary.states.count)),
        .integer(Int64(summary.brokenCount)), size(summary).map { .integer($0) } ?? .null,
      ]
    }
    let names = ["generation", "first state", "last state", "states", "broken", "bytes"]
    try Terminal.output(RowWriter.text(.table, names, rows))
  }
}
