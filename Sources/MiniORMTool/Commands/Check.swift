import ArgumentParser
import MiniORM

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks a file for damage, and prints what it finds.",
    discussion: """
      Changes neither the file nor the files beside it. If a killed program left a log or a journal, it is \
      applied to a copy, and the copy is checked. A log or a journal of another file is reported.

      Checks the codes of all pages (cipher_integrity_check, for an encrypted file), the structure \
      of tables and indexes (integrity_check) and foreign keys (foreign_key_check). After a damaged page, \
      the remaining checks are skipped, because their results would not be reliable. Tables with a \
      collation, a function or a tokenizer that only another program has are checked without them, and \
      listed as not checked. Lists \
      \(mostListed) findings of each kind, and counts the rest. Exits with 0 if nothing was found, and with 4 \
      otherwise.
      """)

  /// The maximum number of listed pages. A large file can have millions of damaged pages.
  private static let mostListed = 100

  /// The number of problems at which `Database.verify` stops.
  private static let mostFound = 1_000

  @OptionGroup var file: InspectedFile

  @Flag(help: "Writes a JSON object with all findings.")
  var json = false

  func run() async throws {
    let key = try file.readKey()
    let report = try await ProgressBar.showing("checking") { progress in
      try await Database.verify(
        path: file.path, key: key, configuration: file.configuration(key), progress: progress)
    }
    if json {
      try Terminal.output(self.json(report))
      guard report.isEmpty else { throw ExitCode(ExitStatus.damaged.rawValue) }
      return
    }
    let isDamaged = report.problems.contains { $0.kind == .page }
    let isBroken = isDamaged || report.problems.contains { $0.kind == .structure }
    var lines: [String] = []
    if let changes = report.unfinishedChanges { lines.append("log or journal: \(changes)") }
    let foreign = report.problems.filter { $0.kind == .foreignChanges }
    lines += foreign.map { "log or journal: \($0.description.inOneLine)" }
    if key != nil { lines += section("pages", report) { $0 == .page || $0 == .freePage } }
    lines += section("structure", report, isChecked: !isDamaged) {
      $0 == .structure || $0 == .index || $0 == .constraint
    }
    lines += section("foreign keys", report, isChecked: !isBroken) { $0 == .foreignKey }
    lines += report.notChecked.map { "not checked: \($0.inOneLine)" }
    try Terminal.output(lines.map { "\($0)\n" }.joined())
    guard report.isEmpty else { throw ExitCode(ExitStatus.damaged.rawValue) }
  }

  private func json(_ report: IntegrityReport) -> String {
    jsonLine([
      "isIntact": report.isEmpty, "isComplete": report.isComplete,
      "unfinishedChanges": report.unfinishedChanges.map { "\($0)" },
      "problems": report.problems.map {
        ["kind": "\($0.kind)", "message": $0.description.withOptions.inOneLine]
      }, "notChecked": report.notChecked.map(\.inOneLine),
    ])
  }

  private func section(
    _ name: String, _ report: IntegrityReport, isChecked: Bool = true,
    _ belongs: (IntegrityReport.Problem.Kind) -> Bool
  ) -> [String] {
    let problems = report.problems.filter { belongs($0.kind) }
    guard !problems.isEmpty else { return ["\(name): \(isChecked ? "ok" : "not checked")"] }
    let others = problems.dropFirst(Self.mostListed)
    // The check stops after a number of problems.
    let isCut = !report.isComplete && problems.count >= Self.mostFound
    return problems.prefix(Self.mostListed).map {
      "\(name): \($0.description.withOptions.inOneLine)"
    }
      + (others.isEmpty ? [] : ["\(name): and \(isCut ? "at least " : "")\(others.count) more"])
  }
}
