import ArgumentParser
import Foundation
import MiniORM
import MiniORMBackupS3

enum ExitStatus: Int32, CaseIterable {
  case done = 0
  case failed = 1
  case wrongKey = 3
  case damaged = 4
  case busy = 5
  case usage = 64
  case cancelled = 130

  var meaning: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .wrongKey: "the key is wrong, or the file is not a database"
    case .damaged: "the file is damaged"
    case .busy: "another program uses the file"
    case .usage: "wrong usage"
    case .cancelled: "cancelled"
    }
  }
}

struct Failure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    (self.status, self.message) = (status, message)
  }

  init(_ message: String) { self.init(.failed, message) }

  /// `nil` for an error of the argument parser.
  static func told(_ error: any Error) -> (ExitStatus, String)? {
    switch error {
    case let failure as Failure: (failure.status, failure.message)
    case let error as DatabaseError: (status(of: error), text(of: error))
    case let error as S3Error: (.failed, error.message)
    case is CancellationError: (.cancelled, "cancelled: nothing was changed")
    default: nil
    }
  }

  /// The message of any error.
  static func text(_ error: any Error) -> String { told(error)?.1 ?? "\(error)" }

  private static func status(of error: DatabaseError) -> ExitStatus {
    switch error.code.primary {
    case .notADatabase: .wrongKey
    case .corrupt: .damaged
    case .busy, .locked: .busy
    default: .failed
    }
  }

  private static func text(of error: DatabaseError) -> String {
    let place = error.path.map { "\($0): " } ?? ""
    // The tool asks for the key of every other encrypted file.
    let remedy =
      error.openingFailure == .keyMissing
      ? ". For an encrypted file, give --plaintext-header 32, its salt with --salt, and its key"
      : ""
    // The message may already contain the path.
    return (error.path.map { error.message.contains($0) } ?? false ? "" : place)
      + error.message.withOptions + remedy
  }
}

extension String {
  /// A message of the library with the tool's options in place of calls and properties.
  var withOptions: String {
    Self.options.reduce(self) { $0.replacing($1.call, with: $1.option) }
  }

  private static let options: [(call: String, option: String)] = [
    ("Shorten the other transaction, or raise Configuration.busyTimeout", "Try again later"),
    ("CipherSettings.plaintextHeaderSize", "--plaintext-header"),
    ("set CipherSettings.pageSize", "give --cipher-page-size"),
    ("set Configuration.cipher to .sqlcipher", "give --cipher-version "),
    ("leave Configuration.cipher at its default", "leave out the cipher options"),
    ("check Configuration.cipher", "check the cipher options"),
    ("call Database.upgrade(path:key:)", "upgrade it with miniorm upgrade"),
    ("close the database, and call Database.encrypt(path:key:)", "run miniorm encrypt"),
    ("call start(takingOver: true) or miniorm backup", "give"),
    ("call start(takingOver: true)", "give --take-over"),
    ("call vacuum() to rewrite", "run miniorm query --write VACUUM to rewrite"),
    ("vacuum() rewrites", "miniorm query --write VACUUM rewrites"),
    ("Database.salvage", "miniorm salvage"), ("integrityReport()", "miniorm check"),
    ("call Database.attach(_:as:key:)", "run a query for each file"),
    ("open or attach it with isImmutable", "copy it with miniorm export"),
  ]
}
