import MiniORM

@main
struct Journal {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    try await run(words.first ?? "", Array(words.dropFirst()))
  }
  static func run(
    _ command: String, _ words: [String]
  ) async throws {
    let database = try await open(.file("journal.key"))
    switch command {
    case "add": try await add(words, to: database)
    default: throw Mistake("Commands: add")
    }
    try await database.close()
  }
}
