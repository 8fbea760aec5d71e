import ArgumentParser
import MiniORM

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks for damage, and says what it finds.",
    discussion: """
      Checks the codes of all pages (cipher_integrity_check, where the file is encrypted), the structure \
      of tables and indexes (integrity_check) and foreign keys (foreign_key_check). Where a page is damaged, \
      nothing that is read beside it can be trusted, so that the rest is not checked. It lists \
      \(mostListed) findings of each kind, and counts the others. It ends with 0 where all is well, and with 4 where \
      anything was found.
      """)

  /// A large file can have millions of damaged pages.
  private static let mostListed = 100

  @OptionGroup var file: FileOptions

  func run() async throws {
    let key = try file.readKey()
    let report = try await Database.verify(path: file.path, key: key)
    let isDamaged = report.problems.contains { $0.kind == .page }
    let isBroken = isDamaged || report.problems.contains { $0.kind == .structure }
    if key != nil { show("pages", report) { $0 == .page || $0 == .freePage } }
    show("structure", report, isChecked: !isDamaged) {
      $0 == .structure || $0 == .index || $0 == .constraint
    }
    show("foreign keys", report, isChecked: !isBroken) { $0 == .foreignKey }
    guard report.isEmpty else { throw ExitCode(ExitStatus.damaged.rawValue) }
  }

  private func show(
    _ name: String, _ report: IntegrityReport, isChecked: Bool = true,
    _ belongs: (IntegrityReport.Problem.Kind) -> Bool
  ) {
    let problems = report.problems.filter { belongs($0.kind) }
    for problem in problems.prefix(Self.mostListed) {
      print("\(name): \(problem.description.inOneLine)")
    }
    let others = problems.dropFirst(Self.mostListed)
    if !others.isEmpty { print("\(name): and \(others.count) more") }
    if problems.isEmpty { print("\(name): \(isChecked ? "ok" : "not checked")") }
  }
}
