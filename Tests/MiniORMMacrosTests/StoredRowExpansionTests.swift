#if os(Linux)
  import Testing

  /// Which rows give themselves back where they are stored as they were bound.
  @Suite("Expansion: the row that an insertion knows")
  struct StoredRowExpansionTests {
    /// A struct with a property of most kinds that are read as they were bound, and what it may have besides them.
    struct Addition: CustomTestStringConvertible, Sendable {
      var member = ""
      var attributes = ""
      var key = "let id: Int64"
      /// Whether the model and the draft give themselves back.
      let model: Bool
      let draft: Bool
      var testDescription: String { attributes + key + "; " + member }
      var source: String {
        """
        \(attributes)@Table struct Reading {
          \(key)
          \(member)
          var name: String
          var `class`: String?
          private var note = ""
          @Column("size", .check("size > 0")) private(set) var count: Int = -1
          var at: Date, by: UUID?
          fileprivate let rate: Double
        }
        """
      }
    }

    private static let additions: [Addition] = [
      Addition(model: true, draft: true),
      Addition(key: "let id: Int", model: true, draft: true),
      Addition(
        key: "@Column(.primaryKey(autoincrement: true)) var rowID: Int", model: true, draft: true),
      // The database does not assign it, or the type does not hold every rowid.
      Addition(key: "let id: UUID", model: true, draft: false),
      Addition(key: "let id: Int32", model: true, draft: false),
      Addition(key: "let id: UInt64", model: true, draft: false),
      Addition(member: "var more: Int = 3 { didSet {} }", model: true, draft: true),
      Addition(member: "var double: Int { count * 2 }", model: true, draft: true),
      Addition(member: "static let all = [1].count", model: true, draft: true),
      Addition(member: "struct Part { init() {} }", model: true, draft: true),
      Addition(attributes: "@available(macOS 15, iOS 18, *) ", model: true, draft: true),
      // No initializer takes all of them.
      Addition(
        member: "init(id: Int64) { (self.id, name, rate, at) = (id, \"\", 1, .now) }", model: true,
        draft: false),
      Addition(member: "var other = UUID()", model: true, draft: false),
      Addition(member: "var `let`: Int", model: true, draft: false),
      // The type may be read and bound in any way, or is in another way than its text says.
      Addition(member: "var kind: Kind", model: false, draft: false),
      Addition(member: "var url: URL", model: false, draft: false),
      Addition(member: "var price: Decimal", model: false, draft: false),
      Addition(member: "var twice: Int??", model: false, draft: false),
      Addition(member: "@Column(as: .unixSeconds) var seen: Date?", model: false, draft: false),
      Addition(member: "@Column(as: .json) var tags: [String] = []", model: false, draft: false),
      // The row has more than what is given.
      Addition(
        member: "@Column(.generated(\"size * 2\")) var twice: Int", model: false, draft: false),
      Addition(member: "@Column(.default(sql: \"7\")) var lot: Int", model: false, draft: false),
      Addition(member: "@Embedded var part: Part", model: false, draft: false),
      // The struct has more than the row.
      Addition(member: "@Transient var cache = 1.5", model: false, draft: false),
      Addition(member: "@Transient lazy var cache = 1", model: false, draft: false),
      Addition(member: "#if true\n  var more: Int { 1 }\n  #endif", model: false, draft: false),
      Addition(
        member: "subscript(dynamicMember name: String) -> Int { 1 }",
        attributes: "@dynamicMemberLookup ", model: false, draft: false),
    ]

    @Test("gives itself back where it is certain to be the same", arguments: additions)
    func written(addition: Addition) {
      let lines = expansion(of: addition.source).split(separator: "\n").filter {
        $0.contains("func _stored")
      }
      #expect(lines.contains { $0.hasSuffix("-> Self? { self }") } == addition.model)
      #expect(lines.contains { $0.contains("-> Stored? {") } == addition.draft)
      #expect(lines.count == (addition.model ? 1 : 0) + (addition.draft ? 1 : 0))
    }

    @Test(
      "compiles, whichever it is", .enabled(if: Compiler.here != nil),
      arguments: [[], ["-default-isolation", "MainActor"]] as [[String]])
    func compiles(flags: [String]) throws {
      let compiler = try #require(Compiler.here)
      let models = Self.additions.enumerated().map { number, addition in
        "enum Space\(number) {\n\(addition.source)\n}"
      }
      let source = """
        import Foundation
        import MiniORM
        nonisolated enum Kind: Int, ColumnValue { case a }
        @Selection nonisolated struct Part { var left: Int; var right: Int }
        """
      let errors = try compiler.errors(
        in: source + "\n" + models.filter { !$0.contains("Int??") }.joined(separator: "\n"),
        flags + ["-warnings-as-errors"])
      #expect(errors == [])
    }
  }
#endif
