@main
struct Journal {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    try await run(words.first ?? "", Array(words.dropFirst()))
  }
  static func run(
    _ command: String, _ words: [String]
  ) async throws {
    print("The journal is empty.")
  }
}
