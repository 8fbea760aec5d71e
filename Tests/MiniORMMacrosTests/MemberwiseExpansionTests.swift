#if os(Linux)
  import Testing

  /// The generated row initializer fills a struct either through the memberwise initializer or
  /// property by property.
  @Suite("Expansion: the memberwise initializer")
  struct MemberwiseExpansionTests {
    /// A member or an attribute added to a struct of seven properties.
    struct Addition: CustomTestStringConvertible, Sendable {
      var member = ""
      var attributes = ""
      /// True if the row initializer still calls the memberwise initializer.
      let isMemberwise: Bool
      var testDescription: String { attributes + member }
      var source: String {
        """
        \(attributes)@Table struct Reading {
          let id: Int64
          \(member)
          var name: String
          var `class`: String?
          private var note = ""
          @Column("size") private(set) var count: Int = -1
          var isOpen = false
          @Column(as: .unixSeconds) var seen: Date?
          fileprivate let rate: Double
        }
        """
      }
    }

    private static let additions: [Addition] = [
      Addition(isMemberwise: true),
      Addition(member: "var more: Int = 3 { didSet {} }", isMemberwise: true),
      Addition(member: "var a, b: Int", isMemberwise: true),
      Addition(
        member: "@Column(as: .json) var tags: [String] = [\"a\", \"b\"]", isMemberwise: true),
      Addition(member: "@Transient var cache: Int?", isMemberwise: true),
      Addition(member: "@Transient var cache = 1.5", isMemberwise: true),
      Addition(member: "@Transient private var cache: [Int: Int] = [:]", isMemberwise: true),
      Addition(member: "@Transient let version = 1", isMemberwise: true),
      Addition(member: "var double: Int { count * 2 }", isMemberwise: true),
      Addition(member: "static let all = [1].count", isMemberwise: true),
      Addition(member: "func f() {}", isMemberwise: true),
      Addition(
        member: "var `where`: Int, `self`: Int, `init`: Int, `x1`: Int, é: Int", isMemberwise: true),
      // The compiler's time for a call grows with the square of its arguments.
      Addition(
        member: "var \((1...92).map { "p\($0)" }.joined(separator: ", ")): Int",
        isMemberwise: true),
      Addition(
        member: "var \((1...93).map { "p\($0)" }.joined(separator: ", ")): Int",
        isMemberwise: false),
      // As argument labels, these names need backticks.
      Addition(member: "var `let`: Int", isMemberwise: false),
      Addition(member: "var `inout`: Int", isMemberwise: false),
      Addition(member: "var `a b`: Int", isMemberwise: false),
      Addition(member: "struct Part { init() {} }", isMemberwise: true),
      Addition(attributes: "@available(macOS 15, iOS 18, *) ", isMemberwise: true),
      // A custom initializer replaces the memberwise initializer.
      Addition(
        member: "init(id: Int64) { (self.id, name, rate) = (id, \"\", 1) }", isMemberwise: false),
      Addition(member: "init?(nothing: Int) { nil }", isMemberwise: false),
      // The default value may need an isolation that the macro does not know.
      Addition(member: "var other = UUID()", isMemberwise: false),
      Addition(member: "@Transient var cache = [1].count", isMemberwise: false),
      Addition(member: "@Transient var text = \"\\(1)\"", isMemberwise: false),
      // The memberwise initializer takes other arguments.
      Addition(member: "@Transient lazy var cache = 1", isMemberwise: false),
      Addition(member: "@Transient @Kept var cache = 1", isMemberwise: false),
      Addition(
        member: "var kept: Int { @storageRestrictions(initializes: id) init { id = 1 } get { 1 } }",
        isMemberwise: false),
      // The macro does not know the contents.
      Addition(
        member: "#if true\n  init(id: Int64) { (self.id, name, rate) = (id, \"\", 1) }\n  #endif",
        isMemberwise: false),
      Addition(
        member: "subscript(dynamicMember name: String) -> Int { 1 }",
        attributes: "@dynamicMemberLookup ", isMemberwise: false),
    ]

    @Test(
      "reading a large struct uses the memberwise initializer if it certainly exists",
      arguments: additions)
    func written(addition: Addition) {
      let lines = expansion(of: addition.source).split(separator: "\n")
        .map { $0.drop { $0 == " " } }
      #expect(lines.contains("self.init(") == addition.isMemberwise)
      #expect(lines.contains { $0.hasPrefix("self.name = try ") } != addition.isMemberwise)
    }

    @Test(
      "the expansion compiles with and without the memberwise initializer",
      .enabled(if: Compiler.here != nil),
      arguments: [[], ["-default-isolation", "MainActor"]] as [[String]])
    func compiles(flags: [String]) throws {
      let compiler = try #require(Compiler.here)
      let models = Self.additions.enumerated().map { number, addition in
        "enum Space\(number) {\n\(addition.source)\n}"
      }
      let source = """
        import Foundation
        import MiniORM
        @propertyWrapper nonisolated struct Kept<Value: Sendable> { var wrappedValue: Value }
        """
      let errors = try compiler.errors(
        in: source + "\n" + models.joined(separator: "\n"),
        flags + ["-warnings-as-errors"])
      #expect(errors == [])
    }
  }
#endif
