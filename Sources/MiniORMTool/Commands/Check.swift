import ArgumentParser
import MiniORM

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for damage, and says what it finds.",
    discussion: """
      Nothing is changed, neither the file nor what lies beside it. If its program was killed and left a log or a \
      journal, a copy is checked to which that was applied, and if it belongs to another file, that is a finding.

      Checks the codes of all pages (cipher_integrity_check, where the file is encrypted), the structure \
      of tables and indexes (integrity_check) and foreign keys (foreign_key_check). Where a page is damaged, \
      nothing that is read beside it can be trusted, so that the rest is not checked. It lists \
      \(mostListed) findings of each kind, and counts the others. It ends with 0 where all is well, and with 4 where \
      anything was found.
      """)

  /// The maximum number of listed pages: a large file can have millions of damaged pages.
  private static let mostListed = 100

  @OptionGroup var file: InspectedFile

  func run() async throws {
    let key = try file.readKey()
    let report = try await Database.verify(
      path: file.path, key: key, configuration: file.configuration)
    let isDamaged = report.problems.contains { $0.kind == .page }
    let isBroken = isDamaged || report.problems.contains { $0.kind == .structure }
    var lines: [String] = []
    if let changes = report.unfinishedChanges { lines.append("left: \(changes)") }
    let foreign = report.problems.filter { $0.kind == .foreignChanges }
    lines += foreign.map { "left: \($0.description.inOneLine)" }
    if key != nil { lines += section("pages", report) { $0 == .page || $0 == .freePage } }
    lines += section("structure", report, isChecked: !isDamaged) {
      $0 == .structure || $0 == .index || $0 == .constraint
    }
    lines += section("foreign keys", report, isChecked: !isBroken) { $0 == .foreignKey }
    try Terminal.output(lines.map { "\($0)\n" }.joined())
    guard report.isEmpty else { throw ExitCode(ExitStatus.damaged.rawValue) }
  }

  private func section(
    _ name: String, _ report: IntegrityReport, isChecked: Bool = true,
    _ belongs: (IntegrityReport.Problem.Kind) -> Bool
  ) -> [String] {
    let problems = report.problems.filter { belongs($0.kind) }
    guard !problems.isEmpty else { return ["\(name): \(isChecked ? "ok" : "not checked")"] }
    let others = problems.dropFirst(Self.mostListed)
    return problems.prefix(Self.mostListed).map { "\(name): \($0.description.inOneLine)" }
      + (others.isEmpty ? [] : ["\(name): and \(others.count) more"])
  }
}
