#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Files in the shape of foreign programs, which MiniORM adopts with the tool's models.
  @Suite(
    "Schemas of other programs",
    .enabled(if: ModelProgram.swiftc != nil, "swiftc is not on the PATH"))
  struct ForeignSchemaTests {
    @Test("each program has its pages, and together they have all kinds of objects")
    func corpus() async throws {
      let tool = try ToolRun()
      var (tables, objects) = (0, "")
      for schema in ForeignSchema.all {
        #expect(!schema.pages.isEmpty, "\(schema.name)")
        try await schema.make(tool)
        let contents = try ForeignSchema.contents(tool.path("\(schema.name).db"))
        let names = contents.tables.keys
        let empty = names.filter { contents.tables[$0] == [] && !$0.contains("_seg") }
        #expect(empty.isEmpty, "\(schema.name): \(empty)")
        tables += names.filter { $0 != "sqlite_sequence" }.count
        objects += contents.objects.joined(separator: "\n")
      }
      #expect(ForeignSchema.all.count == 12 && tables > 60, "\(tables)")
      for part in [
        "COLLATE NOCASE", "ON CONFLICT REPLACE", "GENERATED ALWAYS AS", "WITHOUT ROWID", "STRICT",
        "trigger ", "view ", "fts5", "FTS4", "CURRENT_TIMESTAMP", "lower(title)", "WHERE electric",
      ] {
        #expect(objects.contains(part), "\(part)")
      }
    }

    @Test(
      "adopting and migrating changes nothing, every row is read, and writes back the same bytes")
    func adopted() async throws {
      let tool = try ToolRun()
      try tool.write("key", ToolRun.hexadecimal)
      var sources: [String] = []
      var calls: [String] = []
      var before: [String: ForeignSchema.Contents] = [:]
      for schema in ForeignSchema.all {
        let name = schema.name
        try await schema.make(tool)
        before[name] = try ForeignSchema.contents(tool.path("\(name).db"))
        let arguments = ["models", "\(name).db", "--key-file", "key", "--raw"]
        let written = try await tool(
          arguments + ["--namespace", name, "--output", "\(name).swift"])
        #expect(written.status == 0, "\(name): \(written.output)")
        // Only the parts of a missing module are left out.
        for note in written.output.split(separator: "\n")
        where note.contains("left out") || note.contains("not in the schema") {
          #expect(
            schema.virtualTables.contains { note.contains($0) }, "\(name): \(note)")
        }
        sources.append("\(name).swift")
        calls.append(
          try Self.call(
            schema, String(contentsOfFile: tool.path("\(name).swift"), encoding: .utf8)))
      }
      let output = try await ModelProgram.run(Self.main(calls), sources, in: tool.folder)
      #expect(output == "")
      for schema in ForeignSchema.all {
        let name = schema.name
        let first = try #require(before[name])
        for copy in ["migrated", "written"] {
          let later = try ForeignSchema.contents(tool.path("\(name)-\(copy).db"))
          let differences = later.differences(from: first)
          #expect(differences.isEmpty, "\(name), \(copy): \(differences)")
        }
        let new = try ForeignSchema.contents(tool.path("\(name)-new.db"))
        for table in new.tables.keys where table != "sqlite_sequence" {
          let differences = new.difference(from: first, in: table)
          #expect(differences.isEmpty, "\(name), new file: \(differences)")
        }
      }
    }

    /// Returns the call that checks the models of a file.
    private static func call(_ schema: ForeignSchema, _ source: String) throws -> String {
      var models: [String: [String]] = [:]
      var kind = ""
      for line in source.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
        if let match = line.firstMatch(of: /^\/\/\/ The (table|view) "/) {
          kind = String(match.1)
        } else if let match = line.firstMatch(of: /^struct (\w+)/), !kind.isEmpty {
          models[kind, default: []].append("\(schema.name).\(match.1).self")
          kind = ""
        }
      }
      func list(_ kind: String) -> String {
        "[\((models[kind] ?? []).joined(separator: ", "))] as [any Model.Type]"
      }
      let moments = schema.moments.map { "\"\($0.column)\": \"\($0.sql)\"" }
      // The call that the comment on the schema asks for.
      let adopt = try #require(source.firstMatch(of: /`(try await database\.adopt\(.+\))`/))
      return """
        await check(
              "\(schema.name)", \(schema.name).schema, { database in \(adopt.1) }, \(list("table")),
              \(list("view")),
              [\(moments.isEmpty ? ":" : moments.joined(separator: ", "))], \(schema.unwritable))
        """
    }

    private static func main(_ calls: [String]) -> String {
      """
      import Foundation
      import MiniORM

      let key = Key.raw(\(ToolRun.bytes))

      struct Check {
        let name: String
        /// SQL for the seconds since 1970, by table and column.
        let moments: [String: String]
        let unwritable: Set<String>

        func tell(_ text: String) { print("\\(name): \\(text)") }

        func open(_ file: String, checksKeys: Bool = true) async throws -> Database {
          var configuration = Configuration()
          configuration.foreignKeysEnabled = checksKeys
          // The default of a key in SQLiteData's files.
          configuration.functions = [SQLFunction("uuid", innocuous: true) { UUID().uuidString }]
          return try await Database(path: file, key: key, configuration: configuration)
        }

        func run(
          _ schema: DatabaseSchema, _ adopt: @Sendable (Database) async throws -> Void,
          _ tables: [any Model.Type], _ views: [any Model.Type]
        ) async throws {
          var database = try await open("\\(name).db")
          try await adopt(database)
          let report = try await database.schemaReport(for: schema, checkingRows: true)
          if !report.isEmpty { tell("report: \\(report)") }
          let plan = try await database.migrationPlan(for: schema)
          if !plan.isEmpty { tell("plan: \\(plan)") }
          do { try await database.migrate(schema) } catch { tell("migrate: \\(error)") }
          try await database.close()
          try copyFile("migrated")
          database = try await open("\\(name).db")
          for model in tables + views { await read(model, in: database) }
          for model in tables { await write(model, in: database) }
          // The models are inserted in the order of their tables.
          let new = try await open("\\(name)-new.db", checksKeys: false)
          do {
            try await new.migrate(schema)
            let names = try await new.read { db in
              try db.query(String.self, "SELECT name FROM pragma_table_list WHERE schema = 'main'")
            }
            for model in tables where names.contains(model.schema.name) {
              await copy(model, from: database, to: new)
            }
          } catch {
            tell("new file: \\(error)")
          }
          try await new.close()
          try await database.close()
          try copyFile("written")
        }

        func copyFile(_ suffix: String) throws {
          try FileManager.default.copyItem(
            atPath: "\\(name).db", toPath: "\\(name)-\\(suffix).db")
        }

        /// Compares each property with SQLite's value.
        func read<T: Model>(_ model: T.Type, in database: Database) async {
          let table = T.schema.name
          let columns = T.schema.columns.map(\\.name)
          do {
            let rows = try await Table<T>().fetchAll(in: database)
            let names = columns.map { "\\"\\($0)\\"" }
            let moments = columns.map { self.moments["\\(table).\\($0)"] ?? "NULL" }
            let sql = "SELECT \\((names + moments).joined(separator: ", ")) FROM \\"\\(table)\\""
            let stored = try await database.read { db in
              try db.query(SQL(raw: sql)).map(\\.values)
            }
            guard rows.count == stored.count, !rows.isEmpty || table.contains("_seg") else {
              return tell("\\(table): \\(rows.count) rows of \\(stored.count)")
            }
            for (row, values) in zip(rows, stored) {
              let properties = Mirror(reflecting: row).children.map(\\.value)
              guard properties.count == columns.count else {
                return tell("\\(table): \\(properties.count) properties of \\(columns.count)")
              }
              for (index, property) in properties.enumerated()
              where !isEqual(property, values[index], values[columns.count + index]) {
                tell("\\(table).\\(columns[index]): \\(property) is not \\(values[index])")
              }
            }
          } catch {
            tell("reading \\(table): \\(error)")
          }
        }

        func isEqual(
          _ property: Any, _ stored: DatabaseValue, _ moment: DatabaseValue
        ) -> Bool {
          let mirror = Mirror(reflecting: property)
          if mirror.displayStyle == .optional {
            guard let value = mirror.children.first?.value else { return stored == .null }
            return isEqual(value, stored, moment)
          }
          switch (property, stored) {
          case (let value as DatabaseValue, _): return value == stored
          case (let value as Int64, .integer(let stored)): return value == stored
          case (let value as Bool, .integer(let stored)): return stored == (value ? 1 : 0)
          case (let value as Double, .real(let stored)): return value == stored
          case (let value as Double, .integer(let stored)): return Int64(exactly: value) == stored
          case (let value as String, .text(let stored)):
            return Array(value.utf8) == Array(stored.utf8)
          case (let value as Data, .blob(let stored)): return Array(value) == stored
          case (let value as Date, _):
            return switch moment {
            case .integer(let seconds): value.timeIntervalSince1970 == Double(seconds)
            case .real(let seconds): abs(value.timeIntervalSince1970 - seconds) < 0.000_000_5
            default: false
            }
          default: return false
          }
        }

        /// Updates each row of a keyed table to itself, and replaces the rows of a table without a key.
        func write<T: Model>(_ model: T.Type, in database: Database) async {
          let table = T.schema.name
          do {
            if let keyed = T.self as? any PrimaryKeyedModel.Type {
              try await update(keyed, in: database)
            } else {
              let rows = try await Table<T>().fetchAll(in: database)
              try await database.write { db in
                try Table<T>().delete().run(in: db)
                for row in rows { try Table<T>().insert(row, in: db) }
              }
            }
            if unwritable.contains(table) { tell("\\(table) was written") }
          } catch {
            let isExpected = "\\(error)".contains("no such module: FTS4")
            if !unwritable.contains(table) || !isExpected { tell("writing \\(table): \\(error)") }
          }
        }

        func update<T: PrimaryKeyedModel>(_ model: T.Type, in database: Database) async throws {
          for row in try await Table<T>().fetchAll(in: database) {
            if try await !Table<T>().update(row, in: database) {
              tell("a row of \\(T.schema.name) was not found")
            }
          }
        }

        func copy<T: Model>(
          _ model: T.Type, from database: Database, to new: Database
        ) async {
          do {
            let rows = try await Table<T>().fetchAll(in: database)
            try await new.write { db in
              for row in rows { try Table<T>().insert(row, in: db) }
            }
          } catch {
            tell("inserting into \\(T.schema.name): \\(error)")
          }
        }
      }

      func check(
        _ name: String, _ schema: DatabaseSchema,
        _ adopt: @Sendable (Database) async throws -> Void,
        _ tables: [any Model.Type], _ views: [any Model.Type], _ moments: [String: String], _ unwritable: Set<String>
      ) async {
        let check = Check(name: name, moments: moments, unwritable: unwritable)
        do { try await check.run(schema, adopt, tables, views) } catch { check.tell("\\(error)") }
      }

      @main
      struct Main {
        static func main() async {
          \(calls.joined(separator: "\n    "))
        }
      }
      """
    }
  }
#endif
