#if os(Linux)
  import Foundation
  import Testing

  /// `Fetch`, compiled and run with stand-ins for SwiftUI.
  @Suite("Fetch", .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct FetchTests {
    @Test("a Fetch follows its query, restarts when a value changes, and shows errors")
    func following() async throws {
      let compiler = try #require(Compiler.here)
      func text(_ path: String) throws -> String {
        try String(contentsOf: compiler.package.appendingPathComponent(path), encoding: .utf8)
      }
      let wrapper = try text("Sources/MiniORM/Operations/Observation/Fetch.swift")
      let output = try await compiler.run([
        "SwiftUI.swift": text("Tests/StandIns/SwiftUI.swift"),
        "Fetch.swift": wrapper.replacingOccurrences(of: "#if canImport(SwiftUI)", with: "#if true")
          .replacingOccurrences(of: "public import SwiftUI", with: "@testable import MiniORM"),
        "program.swift": Self.program,
      ])
      #expect(
        output == """
          no database: [] misuse
          before a result: []
          the first result: ["a", "ab"] animated
          after a commit: ["a", "aa", "ab"]
          the same query: same observation
          while a changed query runs: ["a", "aa", "ab"]
          a changed query: ["ab"]
          a closure: 4
          an error: no such table: Note
          another database: []

          """)
    }

    private static let program = #"""
      import MiniORM

      @Table struct Note: Identifiable {
        let id: Int64
        var title: String
      }

      struct NoteList: View {
        @Fetch var notes: [Note]
        @Fetch({ db in try Note.all.count(in: db) }) var count = 0

        init(_ text: String) {
          let query = Note.where { $0.title.contains(text) }.order { $0.title }
          _notes = Fetch(query, animation: .default)
          _notes.update()
          _count.update()
        }

        var body: some View { Text("\(notes.map(\.title))") }

        func wait(until isDone: () -> Bool) async {
          for _ in 0..<3000 where !isDone() { try? await Task.sleep(for: .milliseconds(5)) }
        }
      }

      @main struct Program {
        @MainActor static func main() async throws {
          var list = NoteList("a")
          func show(_ text: String, _ more: String = "") {
            print("\(text): \(list.notes.map(\.title))\(more)")
          }
          show("no database", (list.$notes.error as? DatabaseError)?.code == .misuse ? " misuse" : " no error")

          let database = try await Database.inMemory()
          try await database.migrate(DatabaseSchema(Note.self))
          try await Note.all.insert(contentsOf: ["ab", "b", "a"].map { Note.Draft(title: $0) }, in: database)
          EnvironmentValues.current.database = database
          list = NoteList("a")
          show("before a result")
          await list.wait { list.notes.count == 2 }
          show("the first result", Animation.last == .default ? " animated" : "")
          try await Note.insert(.init(title: "aa"), in: database)
          await list.wait { list.notes.count == 3 }
          show("after a commit")

          let observation = list.$notes
          list = NoteList("a")
          print("the same query:", list.$notes === observation ? "same observation" : "restarted")
          list = NoteList("ab")
          show("while a changed query runs")
          await list.wait { list.notes.count == 1 }
          show("a changed query")
          await list.wait { list.count == 4 }
          print("a closure:", list.count)

          try await database.write { try $0.execute("DROP TABLE note") }
          await list.wait { list.$notes.error != nil }
          print("an error:", (list.$notes.error as? DatabaseError)?.message ?? "none")
          EnvironmentValues.current.database = try await Database.inMemory()
          list = NoteList("ab")
          show("another database")
        }
      }
      """#
  }
#endif
