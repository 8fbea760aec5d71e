import Foundation
import Testing

/// Unusual structs: the macros expand or diagnose them, and never crash the compiler.
///
/// `MINIORM_FUZZ=100000` runs more.
@Suite("Macros on generated declarations")
struct MacroFuzzTests {
  private static let runs =
    (ProcessInfo.processInfo.environment["MINIORM_FUZZ"].flatMap { Int($0) } ?? 2_000) / 20

  @Test("generated declarations are expanded or refused", arguments: 0..<4 as Range<UInt64>)
  func declarations(seed: UInt64) {
    for number in 0..<UInt64(max(1, Self.runs)) {
      var source = RandomDeclaration(seed: seed + 4 * number)
      _ = expansion(of: source.text())
    }
  }

  @Test(
    "an empty declaration, and a declaration with every feature",
    arguments: [
      "", "@Table", "@Table struct", "@Table struct {", "@Table struct A",
      "@Table struct A { var }", "@Table() struct A {}",
      "@Table(\"\") struct A { let id: Int }", "@Table(primaryKey: []) struct A { let id: Int }",
      "@Table(primaryKey: [1, nil, \"\\(x)\"]) struct A { let a: Int }",
      "@Selection enum A { case a }",
      "@Table extension A { var a: Int { 1 } }",
      "@Table struct A<T> where T: B { let (a, b): (T, T) }",
      "@Table struct A { @Column var a, b: Int = 1, c = { 1 }() }",
      "@Table struct A { @Column(as:) var a: }",
      "@Column @Embedded @Transient struct A {}",
      "@Table struct A { #if X\nvar a: Int\n#elseif Y }",
      "@Table struct `self` { let `id`: `Int` }",
      "@Table(columns: .snakeCase, \"x\", primaryKey:) struct A { lazy var a = 1 }",
    ])
  func odd(_ source: String) { _ = expansion(of: source) }

  #if os(Linux)
    @Test(
      "accepted declarations compile",
      .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"),
      arguments: [[], ["-default-isolation", "MainActor"]] as [[String]])
    func compiles(flags: [String]) throws {
      let compiler = try #require(Compiler.here)
      var (seed, accepted, refused) = (flags.isEmpty ? 0 : 1 as UInt64, 0, 0)
      while accepted + refused < max(40, Self.runs / 50) {
        var (source, names) = (RandomModel.preamble, 0)
        while names < 40 {
          var model = RandomModel(seed: seed)
          let text = model.text("S\(seed)")
          seed += 2
          guard errors(of: text).isEmpty else {
            refused += 1
            continue
          }
          accepted += 1
          names += 1
          source += "\n" + text
        }
        let errors = try compiler.errors(in: source, flags + ["-package-name", "client"])
        // Reports the struct too, found by the error's line or by its name in the generated code.
        let structs = source.split(separator: "\n@", omittingEmptySubsequences: false)
        for error in errors.prefix(4) {
          let line = error.split(separator: ":").dropFirst().first.flatMap { Int($0) } ?? 0
          var end = 0
          let found = structs.first { text in
            end += text.split(separator: "\n", omittingEmptySubsequences: false).count
            return error.hasPrefix("source.swift")
              ? line <= end
              : text.firstMatch(of: /struct (S\d+)/).map {
                error.contains("\($0.1)5Table") || error.contains("\($0.1)9Selection")
              } ?? false
          }
          Issue.record("\(error)\n@\(found ?? "")")
        }
        guard errors.isEmpty else { return }
      }
      // Most of the structs are meant to be valid.
      #expect(accepted > refused, "\(accepted) were accepted, \(refused) were refused")
      if Self.runs > 100 {
        print("figure: macros: \(accepted) structs accepted and compiled, \(refused) refused")
      }
    }
  #endif
}

/// A declaration of randomly combined fragments.
private struct RandomDeclaration {
  private var random: SplitMix64
  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
  private mutating func one(_ list: [String]) -> String { list[pick(list.count)] }

  mutating func text() -> String {
    let members = (0..<pick(7)).map { _ in member() }.joined(
      separator: one(["\n", "; ", "\n#if DEBUG\n", "\n#endif\n", "\n\n"]))
    let text =
      one([
        "@Table", "@Table", "@Selection", "@Table(\"\(name())\")", "@Table(columns: .snakeCase)",
        "@Table(primaryKey: [\"\(name())\", \"\(name())\"])",
        "@Table(\(expression()), options: [.strict, \(expression())])",
        "@Table(options: \(expression()))", "@Table @Selection", "@Column", "@Embedded",
      ])
      + one([
        " ", "\n", " public ", " private ", " @available(*, deprecated) ", " fileprivate final ",
      ])
      + one([
        "struct ", "struct ", "struct ", "class ", "enum ", "actor ", "extension ", "protocol ",
      ])
      + name() + one(["", "", "<T>", ": Equatable", "<T: \(type())>", " where T == \(type())"])
      + " {\n" + members + "\n}"
    guard pick(4) == 0 else { return text }
    // Deletes or duplicates characters.
    var scalars = Array(text.unicodeScalars)
    for _ in 0...pick(4) {
      let place = pick(scalars.count)
      if pick(2) == 0 {
        scalars.remove(at: place)
      } else {
        scalars.insert(scalars[pick(scalars.count)], at: place)
      }
      if scalars.isEmpty { break }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private mutating func member() -> String {
    switch pick(9) {
    case 0: return "static \(one(["let", "var"])) \(name()): \(type()) = \(expression())"
    case 1: return "func \(name())() -> \(type()) { \(expression()) }"
    case 2: return "init(\(name()): \(type())) {}"
    case 3: return "struct \(name()) { \(pick(2) == 0 ? "" : member()) }"
    default:
      let attributes = (0..<pick(3)).map { _ in attribute() }.joined(separator: " ")
      return
        "\(attributes) \(one(["", "", "public ", "private(set) ", "lazy ", "weak "]))\(one(["let", "var"])) "
        + one([name(), name(), "\(name()), \(name())", "(\(name()), \(name()))", "_"])
        + one([
          ": \(type())", ": \(type())", ": \(type()) = \(expression())", " = \(expression())", "",
          ": \(type()) { \(expression()) }",
          ": \(type()) { get set }", ": \(type()) = \(expression()) { didSet {} }",
        ])
    }
  }

  private mutating func attribute() -> String {
    one([
      "@Column", "@Column(.primaryKey)",
      "@Column(\"\(name())\", .unique, .default(\(expression())))", "@Column(as: .json)",
      "@Column(as: .decimal(scale: \(expression())))",
      "@Column(.references(\(type()).self, onDelete: .cascade))", "@Transient", "@Embedded",
      "@Embedded(\"\(name())\")", "@Embedded(prefix: \(expression()))", "@Column(\(expression()))",
      "@Column(.check(\(expression())))",
      "@Column(.generated(\"\(name())\"))", "@Column(.renamed(from: \"\(name())\"))", "@MainActor",
      "@Column(.primaryKey(autoincrement: true))",
    ])
  }

  private mutating func name() -> String {
    one([
      "id", "a", "name", "`class`", "`id`", "columns", "schema", "ID", "_", "cityID", "été", "日本",
      "e\u{301}", "Self", "Type", "x\u{200d}y",
      "Draft", "reader", "👩‍💻", "a b", "\"", "1a", "description",
    ])
  }

  private mutating func type() -> String {
    one([
      "Int", "Int64", "String", "Int?", "Int??", "[Int]", "[String: Int]", "(Int, Int)", "Int!",
      "() -> Void", "any P", "some P", "City.ID", "Optional<Int>",
      "UInt64", "Self", "T", "Date", "`Int`", "A<B<C>>", "_", "@Sendable () async throws -> Int",
      "[[UInt8]]", "Swift.Int", "inout Int", "~Copyable",
    ])
  }

  private mutating func expression() -> String {
    one([
      "1", "-1", "nil", "\"a\"", "\"\\(x)\"", "\"\"\"\n  a\n  \"\"\"", "#\"a\"b\"#", "[1, 2]",
      "[:]", ".init()", "{ 1 }()", "a ?? b", "x!", "try! y()", "1.5e3", "0x1F", "\\.a",
      "Int.max", "()", "#line", "true", "[]", "1 + ", "if a { 1 } else { 2 }", "\"\\u{301}\"",
      "-0.0", "99999999999999999999", "\"it's\"",
    ])
  }
}
