#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Sources that import MiniORM and other frameworks.
  @Suite("Names beside SwiftUI", .enabled(if: Compiler.here != nil, "swiftc is not on the PATH"))
  struct NameTests {
    /// Top-level names of SwiftUI, each used by `client`.
    private static let swiftUI = """
      public protocol View { associatedtype Body; var body: Body { get } }
      public protocol Scene {}
      public protocol App {}
      public protocol Shape {}
      public protocol Layout {}
      public struct Text: View { public init(_ text: String) {}; public var body: Never { fatalError() } }
      public struct Table<Value>: View {
        public init(_ values: [Value]) {}
        public var body: Never { fatalError() }
      }
      public struct Window: Scene, Sendable { public init(_ title: String) {} }
      public struct WindowGroup: Scene {}
      public struct TableColumn<Row> {}
      public struct TableRow<Value> {}
      public struct List {}
      public struct Group {}
      public struct Section {}
      public struct ForEach {}
      public struct Grid {}
      public struct Form {}
      public struct Label {}
      public struct Link {}
      public struct Path {}
      public struct Transaction {}
      public struct Environment<Value> {}
      public struct State<Value> {}
      public struct Binding<Value> {}
      public struct Color {}
      public struct Image {}
      public struct Button {}
      public struct Toggle {}
      public struct Commands {}
      public struct Settings {}
      public struct Namespace {}
      public struct Alignment {}
      public struct Anchor<Value> {}
      public struct Gradient {}
      public struct Animation {}
      public struct Visibility {}
      extension Never: View { public var body: Never { fatalError() } }
      """

    private static let client = """
      import Foundation
      import MiniORM
      import SwiftUI

      @Table struct City: Identifiable { let id: Int64; var name: String }
      @Table struct Company: Identifiable {
        let id: Int64
        @Column(.unique) var name: String
        var size = 0
        @Column(.references(City.self)) var cityID: City.ID?
      }
      extension Company {
        static var indexes: [Index<Company>] { [Index { $0.size }] }
        static var constraints: [TableConstraint<Company>] { [.check { $0.size >= 0 }] }
      }
      @Selection struct Line { let name: String; let size: Int }

      let lines = DatabaseView("line", as: Company.all.select { Line.Columns(name: $0.name, size: $0.size) })
      let noted = Trigger("noted", .after, insertInto: Company.all) { new in
        [City.all.where { $0.id == 1 }.update { $0.name = new.name }.sql]
      }
      let text = FullTextIndex("company_text", of: Company.self) { $0.name }

      struct CompanyList: View {
        let companies: [Company]
        var body: SwiftUI.Table<Company> { SwiftUI.Table(companies) }
      }
      struct Heading: View { var body: Text { Text("Companies") } }
      let window = Window("Companies")

      func use(_ database: Database) async throws {
        try await database.migrate(DatabaseSchema(City.self, Company.self, objects: [lines, noted, text]))
        let city = try await City.all.insert(City.Draft(name: "Reims"), in: database)
        try await Company.all.insert(Company.Draft(name: "A", cityID: city.id), in: database)
        _ = try await Company.all.where { $0.size > 1 && $0.name.like("A%") }.order { $0.name }
          .limit(3).fetchAll(in: database)
        _ = try await Company.all.join(City.all) { $0.cityID == $1.id }.select { ($0.name, $1.name) }
          .fetchAll(in: database)
        _ = try await Company.all.window("w") { WindowDefinition(orderBy: $0.size) }
          .select { ($0.name, SQL.rank().over("w")) }.fetchAll(in: database)
        _ = try await Company.all.matching(text, Match(words: "a")).fetchAll(in: database)
        _ = try await lines.where { $0.size > 1 }.fetchAll(in: database)
        _ = try await Company.all.find(1, in: database)
        let large = CommonTableExpression("large", as: Company.all.where { $0.size > 9 })
        _ = try await large.fetchAll(in: database)
        let byName = PreparedQuery(String.self) { name in Company.all.where { $0.name == name } }
        _ = try await byName.fetchAll("A", in: database)
        _ = try await database.write { db in
          try Company.all.where { $0.size == 0 }.update { $0.size += 1 }.run(in: db)
        }
      }
      """

    /// Top-level names of SwiftData and Charts.
    private static let others = [
      "SwiftData": """
      @propertyWrapper public struct Query<Element> {
        public var wrappedValue: [Element] = []
        public init() {}
      }
      public final class Schema { public struct Version {}; public init(_ models: [Any.Type]) {} }
      public protocol PersistentModel {}
      public final class ModelContainer { public init() {} }
      public final class ModelContext { public init() {} }
      public struct ModelConfiguration { public init() {} }
      public struct FetchDescriptor<T> { public init() {} }
      public struct PersistentIdentifier {}
      public protocol SchemaMigrationPlan {}
      public protocol VersionedSchema {}
      public enum MigrationStage {}
      public protocol DataStore {}
      public protocol HistoryChange {}
      """,
      "Charts": """
      public struct Chart {}
      public protocol ChartContent {}
      public struct BarMark {}
      public struct LineMark {}
      public struct PointMark {}
      public struct RuleMark {}
      public struct AreaMark {}
      public struct SectorMark {}
      public struct Plot {}
      public protocol Plottable {}
      public struct PlottableValue<Value> {}
      public struct AxisMarks {}
      public struct AxisValueLabel {}
      public struct AnnotationContext {}
      """,
    ]

    /// The code added to `client` if the other frameworks are imported too.
    private static let beside = """

      import Charts
      import Observation
      import SwiftData

      @Observable final class Store { var companies: [Company] = [] }
      struct Stored { @Query var companies: [Company] }
      func stored() -> Schema { Schema([Company.self]) }
      let large: Foundation.Predicate<Company> = #Predicate { $0.size > 1 }
      let doubled: Expression<Int, Int> = #Expression { $0 * 2 }
      func isLarge(_ company: Company.Columns) -> SQLExpression<Bool> { company.size > 9 }
      func plot() -> (Chart, Plot, PlottableValue<Int>)? { nil }
      func fetch(_ context: ModelContext) -> FetchDescriptor<Company> { FetchDescriptor() }
      """

    private static func withModules(
      _ modules: [String: String], _ body: (_ folder: URL, Compiler) throws -> Void
    ) throws {
      let compiler = try #require(Compiler.here)
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for (name, text) in modules {
        try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).swift"))
        let ended = try ChildProcess.runAndWait(
          compiler.path,
          ["-emit-module", "-parse-as-library", "-module-name", name, "\(name).swift"],
          in: folder)
        #expect(ended.output == "")
      }
      try body(folder, compiler)
    }

    @Test("a file that imports SwiftUI and MiniORM can use View, Window and Table")
    func swiftUI() throws {
      try Self.withModules(["SwiftUI": Self.swiftUI]) { folder, compiler in
        let errors = try compiler.errors(in: Self.client, ["-I", folder.path])
        #expect(errors == [])
      }
    }

    @Test("a file can also import SwiftData, Charts, Observation and Foundation with predicates")
    func others() throws {
      let modules = Self.others.merging(["SwiftUI": Self.swiftUI]) { $1 }
      try Self.withModules(modules) { folder, compiler in
        let errors = try compiler.errors(in: Self.client + Self.beside, ["-I", folder.path])
        #expect(errors == [])
      }
    }
  }
#endif
