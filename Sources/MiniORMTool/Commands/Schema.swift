import ArgumentParser
import MiniORM

struct Schema: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the schema of a file as SQL, without its rows.",
    discussion: """
      The text has the version, the names of the steps, every statement, and the format of each column as a comment. \
      It is a snapshot for MiniORMTesting: save it as Schemas/VERSION.sql beside a test to test the migration of \
      files like this one.
      """)

  @OptionGroup var file: InspectedFile

  func run() async throws {
    let key = try file.readKey()
    let text = try await file.inspecting(key, standsIn: true) { database in
      try await database.read { db in try db.schemaText() }
    }
    try Terminal.output(text)
  }
}
