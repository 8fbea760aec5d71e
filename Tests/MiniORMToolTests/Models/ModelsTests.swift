#if os(Linux)
  import Foundation
  import MiniORM
  import TestSupport
  import Testing

  /// A file that MiniORM created.
  enum OwnFile {
    @Table("company", columns: .snakeCase)
    struct Company: Identifiable {
      let id: Int64
      @Column(.unique, .collate(.nocase)) var name: String
      var employeeCount = 0
      var isListed = false
      var founded: Date?
      @Column(as: .json) var tags: [String] = []
      var price = 1.5
      @Column(.references(Self.self, onDelete: .setNull)) var parentId: Int64?

      static var indexes: [Index<Company>] {
        [
          Index(unique: true, where: { $0.founded != nil }) {
            ($0.price + 1, $0.name.descending)
          }
        ]
      }
      static var constraints: [TableConstraint<Company>] {
        [.check { $0.employeeCount >= 0 && $0.price < 100 }, .unique { ($0.name, $0.founded) }]
      }
    }

    @Table("note")
    struct Note { var text: String }

    @Table("box")
    struct Box: Identifiable {
      let id: Int64
      var low: Float
      var high: Float
    }

    static func make(_ path: String) async throws {
      var configuration = Configuration()
      configuration.journalMode = .delete
      let database = try await Database(path: path, key: nil, configuration: configuration)
      try await database.migrate(
        DatabaseSchema(
          version: 3, Company.self,
          objects: [
            FullTextIndex("company_text", of: Company.self, tokenizer: .porter()) { $0.name },
            FullTextIndex(storing: Note.self), SpatialIndex(storing: Box.self, dimensions: 1),
          ]))
      try await Table<Company>().insert(
        Company.Draft(name: "Acme", isListed: true, founded: Date(), tags: ["a"]), in: database)
      try await Table<Note>().insert(Note(text: "words"), in: database)
      try await Table<Box>().insert(Box(id: 1, low: 0, high: 1), in: database)
      try await database.close()
    }
  }

  /// The tool's models for files of other programs.
  @Suite(
    "Generated models", .enabled(if: ModelProgram.swiftc != nil, "swiftc is not on the PATH"))
  struct ModelsTests {
    @Test(
      "generated models compile, match the tables, migrate nothing and read every row"
    )
    func models() async throws {
      let tool = try ToolRun()
      let count = ProcessInfo.processInfo.environment["MODELS"].flatMap(Int.init) ?? 4
      let random = (0..<count).map { number in
        ("Random\(number)", RandomSchema.script(seed: UInt64(number)))
      }
      var program = ModelProgram()
      for (name, script) in FileSchemas.all + random + [("Own", "")] {
        if script.isEmpty {
          try await OwnFile.make(tool.path("\(name).db"))
        } else {
          try await tool.makePlain("\(name).db", script)
        }
        let written = try await tool(
          ["models", "\(name).db", "--namespace", name, "--output", "\(name).swift"])
        #expect(written.status == 0, "\(name): \(written.output)")
        try program.add(name, folder: tool.folder, notes: written.output)
      }
      let output = try await program.run(in: tool.folder)
      // A text cannot tell that it is JSON, and the model says String: the records follow the model.
      let expected = """
        Own.db: column company.tags: format is json Array<String> in the file and text in the model
        Own.db: -- version 3: changes that follow from the models
        PRAGMA foreign_keys = OFF;
        INSERT INTO miniorm_migrations (version, name) VALUES (3, 'changes that follow from the models');
        PRAGMA user_version = 3;
        PRAGMA foreign_keys = ON;

        """
      #expect(output == expected)
    }
  }
#endif
