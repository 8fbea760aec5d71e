import ArgumentParser
import MiniORM

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for damage, and says what it finds.",
    discussion: """
      Checks the codes of all pages (cipher_integrity_check, where the file is encrypted), the structure \
      of tables and indexes (integrity_check) and foreign keys (foreign_key_check). It ends with 0 where \
      all is well, and with 4 where anything was found.
      """)

  @OptionGroup var file: FileOptions

  func run() async throws {
    let isEncrypted = try DatabaseFileState(file.path) == .encrypted
    let faults = try await file.reading { database in
      var faults = 0
      if isEncrypted {
        faults += try await report(
          "pages", try await database.faults("PRAGMA cipher_integrity_check"))
      }
      faults += try await report("structure", try await database.faults("PRAGMA integrity_check"))
      faults += try await report("foreign keys", try await database.brokenForeignKeys())
      return faults
    }
    guard faults == 0 else { throw ExitCode(ExitStatus.damaged.rawValue) }
  }

  private func report(_ name: String, _ faults: [String]) async throws -> Int {
    guard !faults.isEmpty else {
      print("\(name): ok")
      return 0
    }
    for fault in faults { print("\(name): \(fault.inOneLine)") }
    return faults.count
  }
}

extension Database {
  /// What a check finds. A page that cannot be read at all is a finding, and no failure of the check.
  fileprivate func faults(_ check: SQL) async throws -> [String] {
    do {
      return try await read { db in
        try db.query(check).compactMap { row in
          guard case .text(let text)? = row.values.first, text != "ok" else { return nil }
          return text
        }
      }
    } catch let error as DatabaseError where error.isDamage {
      return [error.message]
    }
  }

  fileprivate func brokenForeignKeys() async throws -> [String] {
    do {
      return try await read { db in
        try db.query(
          """
          SELECT "table", parent, count(*), min(rowid)
          FROM pragma_foreign_key_check GROUP BY 1, 2 ORDER BY 1, 2
          """
        ).map { row in
          let texts = row.values.map(\.plainText)
          let example = texts[3].isEmpty ? "" : ", the first with rowid \(texts[3])"
          return "rows of \(texts[0]) without a row of \(texts[1]): \(texts[2])\(example)"
        }
      }
    } catch let error as DatabaseError where error.isDamage {
      // Also a foreign key to a column that is not unique.
      return [error.message]
    }
  }
}

extension DatabaseError {
  /// Whether it is the file that fails. SQLCipher has the code of any mistake for a page whose code does
  /// not fit.
  fileprivate var isDamage: Bool {
    [.corrupt, .notADatabase, .inputOutput, .error].contains(code.primary)
  }
}
