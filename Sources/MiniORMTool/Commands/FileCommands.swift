import ArgumentParser
import Foundation
import MiniORM
import MiniORMRepair

struct Encrypt: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Encrypts a plain file in place.",
    discussion: """
      The encrypted file is written beside the plain file, compared with it, and renamed into its place. \
      The disk may keep the plain bytes until something overwrites them.
      """)

  @Argument(help: "The database's file, not encrypted.", completion: .file())
  var path: String

  @OptionGroup var key: KeyOptions

  func run() async throws {
    guard try DatabaseFileState(path) == .plain else {
      throw Failure(
        "\(path) is encrypted already, or not a database: change the key of an encrypted file with rekey"
      )
    }
    let indexes = try await Database.foreignIndexes(path: path, key: nil)
    let key = try key.read("New key of \(path)", isNew: true)
    try await ProgressBar.showing("encrypting") { progress in
      try await Database.encrypt(
        path: path, key: key, configuration: Configuration().standingIn, progress: progress)
    }
    indexes.tell()
  }
}

struct Decrypt: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Decrypts an encrypted file in place.")

  @OptionGroup var file: FileOptions

  func run() async throws {
    guard let key = try file.readKey() else {
      throw Failure("\(file.path) is not encrypted: there is nothing to decrypt")
    }
    try await file.trying(key, file.fileConfiguration(key)) { configuration in
      let indexes = try await Database.foreignIndexes(path: file.path, key: key, configuration)
      try await ProgressBar.showing("decrypting") { progress in
        try await Database.decrypt(
          path: file.path, key: key, configuration: configuration.standingIn, progress: progress)
      }
      indexes.tell()
    }
  }
}

struct Upgrade: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Brings a file of SQLCipher 1, 2 or 3 to the settings of SQLCipher 4, in place.")

  @OptionGroup var file: FileOptions

  func run() async throws {
    guard let key = try file.readKey() else {
      throw Failure("\(file.path) is not encrypted, so it has no settings to upgrade")
    }
    let path = file.path
    let version = try await ProgressBar.showing("upgrading") { progress in
      try await Database.upgrade(
        path: path, key: key, configuration: Configuration().standingIn, progress: progress)
    }
    if version < 4 { try await Database.foreignIndexes(path: path, key: key).tell() }
    let change =
      version == 4
      ? "has the settings of SQLCipher 4 already"
      : "had the settings of SQLCipher \(version), and now has the settings of SQLCipher 4"
    try Terminal.output("\(path.printable) \(change)\n")
  }
}

struct Rekey: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes the key of a file.",
    discussion: """
      Encrypts every page again, in a single transaction. If that fails or is interrupted, the old key \
      remains. Ctrl-C does not stop it once writing has begun.
      """)

  @OptionGroup var file: FileOptions
  @OptionGroup var newKey: NewKeyOptions

  func validate() throws { try newKey.check(against: file.key) }

  func run() async throws {
    guard let key = try file.readKey() else {
      throw Failure("\(file.path) is not encrypted: give it a key with encrypt")
    }
    // A wrong key is reported before the prompt for the new key.
    try await file.openForWriting(key).closing { database in
      let new = try newKey.read("New key of \(file.path)", isNew: true)
      let journal = FileGrowth(of: file.path)
      try await ProgressBar.showing("encrypting every page again") { progress in
        try await journal.watching(progress) { try await database.changeKey(to: new) }
      }
    }
  }
}

struct Export: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies a committed state of a file into a new file.",
    discussion: """
      The copy has the key of the file, unless --new-key, --new-key-fd or --new-key-file gives another \
      key, or --plain removes it. The copy is compared with the file before it gets its name. Other programs \
      may read and write the file at the same time. The new file must not exist.
      """)

  @OptionGroup var file: InspectedFile

  @Argument(help: "The new file.", completion: .file())
  var destination: String

  @OptionGroup var new: NewKeyOptions

  @Flag(name: .customLong("new-key"), help: "Asks for the key of the copy.")
  var asksForNewKey = false

  @Flag(help: "Makes a copy without encryption.")
  var plain = false

  func validate() throws {
    try new.check(against: file.key)
    guard !plain || !(asksForNewKey || new.isGiven) else {
      throw ValidationError(
        "A plain copy has no key: leave out --plain, or the options of the new key.")
    }
  }

  func run() async throws {
    try await file.copying(to: destination, "exporting", standsIn: true) {
      database, own, progress in
      let asks = asksForNewKey || new.isGiven
      let key = plain ? nil : asks ? try new.read("Key of \(destination)", isNew: true) : own
      try await database.export(to: destination, key: key, progress: progress)
      try await database.foreignIndexes().tell()
    }
  }
}

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies a committed state of a file, page by page, with the same key.",
    discussion: """
      Other programs may read and write the file at the same time. The copy gets its name when it is \
      complete; with --replace, an earlier copy remains until then. With --continuous, the destination is \
      a folder or a bucket, to which each later commit is copied too, until Ctrl-C; restore reads it. If the \
      store fails for --give-up-after seconds, the command ends with 1. \
      A file with a rollback journal then gets a write-ahead log.
      """)

  @OptionGroup var file: InspectedFile

  @Argument(
    help: "The new file; with --continuous a folder, or s3://BUCKET/FOLDER.", completion: .file())
  var destination: String

  @Flag(help: "Replaces an existing file.")
  var replace = false

  @OptionGroup var options: ContinuousOptions
  @OptionGroup var bucket: StoreOptions
  @OptionGroup var retention: RetentionOptions

  func validate() throws {
    guard options.continuous || !StoreOptions.isBucket(destination) && !retention.isGiven else {
      throw ValidationError("s3://, --keep-all, --keep-hourly and --keep-daily need --continuous.")
    }
    guard !options.keepEverything || !retention.isGiven else {
      throw ValidationError("Give either --keep-everything or the ages of states to keep.")
    }
    guard !options.continuous || !replace && !file.untrusted else {
      throw ValidationError("--continuous takes neither --replace nor --untrusted.")
    }
  }

  func run() async throws {
    if options.continuous { return try await copyContinuously() }
    if replace { try OutputFile.checkReplaceable(destination) }
    try await file.copying(to: destination, "copying") { database, _, progress in
      try await database.backup(to: destination, replacing: replace, progress: progress)
    }
  }
}

struct Salvage: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Recovers the readable rows of a damaged file into a new file.",
    discussion: """
      The damaged file is not changed. Rows of an unknown table are written to a table lost_and_found. \
      Prints what was recovered and what is lost, and exits with 4 if anything is lost.
      """)

  @OptionGroup var file: InspectedFile

  @Argument(help: "The new file, which must not exist.", completion: .file())
  var destination: String

  func run() async throws {
    try OutputFile.check(destination, beside: file.path)
    let key = try file.readKey()
    let report = try await ProgressBar.showing("salvaging") { progress in
      try await Database.salvage(
        path: file.path, key: key, to: destination, configuration: file.configuration(key),
        progress: progress)
    }
    try Terminal.output("\(report)".printable + "\n")
    guard report.isComplete else { throw ExitCode(ExitStatus.damaged.rawValue) }
  }
}
