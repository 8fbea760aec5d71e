import MiniORM
import Testing

@testable import Atlas

@Suite("The command line")
struct InvocationTests {
  @Test(
    "Arguments become an invocation",
    arguments: [
      ([], .demo, nil, 20),
      (["--help"], .help, nil, 20),
      (["search", "-h"], .help, nil, 20),
      (["build"], .build, nil, 20),
      (["build", "--database", "a.db"], .build, "a.db", 20),
      (["search", "SNOWMAN"], .search(["SNOWMAN"]), nil, 20),
      (["--limit", "3", "search", "white", "king"], .search(["white", "king"]), nil, 3),
      (["search", "--database", "a.db", "x"], .search(["x"]), "a.db", 20),
      (["show", "2603"], .show(0x2603), nil, 20),
      (["show", "U+1f600"], .show(0x1F600), nil, 20),
      (["show", "0x41"], .show(0x41), nil, 20),
      (["show", "10FFFF"], .show(0x10FFFF), nil, 20),
    ] as [([String], Invocation.Command, String?, Int)])
  func valid(arguments: [String], command: Invocation.Command, file: String?, limit: Int) throws {
    let invocation = try Invocation(arguments)
    #expect(invocation.command == command)
    #expect(invocation.file == file)
    #expect(invocation.limit == limit)
  }

  @Test(
    "Arguments that make no sense are refused with a sentence",
    arguments: [
      (["find"], "There is no command find."),
      (["--verbose"], "There is no option --verbose."),
      (["search"], "search needs a word to look for."),
      (["build", "x"], "build takes no words."),
      (["show"], "show needs one code point."),
      (["show", "41", "42"], "show needs one code point."),
      (["show", "snow"], "snow is no code point: write it in hexadecimal, 0 to 10FFFF."),
      (["show", "U+"], "U+ is no code point: write it in hexadecimal, 0 to 10FFFF."),
      (["show", "110000"], "110000 is no code point: write it in hexadecimal, 0 to 10FFFF."),
      (["search", "x", "--database"], "--database needs the path of a file."),
      (["search", "x", "--limit", "0"], "--limit needs a number from 1."),
      (["search", "x", "--limit", "many"], "--limit needs a number from 1."),
      (["build", "--limit", "2"], "--limit goes with search."),
      (
        ["--database", "a.db"],
        "The demo has a file of its own: --database goes with a command."
      ),
    ] as [([String], String)])
  func invalid(arguments: [String], message: String) {
    #expect(throws: UsageError(message)) { try Invocation(arguments) }
  }

  @Test(
    "A5: a failure becomes the texts of an alert and an exit status",
    arguments: [
      (
        UsageError("There is no command find."), .usage,
        "atlas: There is no command find.\nTry 'atlas --help'."
      ),
      (
        DatabaseError(.key, code: .notADatabase, "The key is wrong"), .failure,
        "atlas: The database could not be unlocked.\nThe key is wrong"
      ),
    ] as [(any Error, Status, String)])
  func failure(error: any Error, status: Status, text: String) {
    let explained = Atlas.explain(error)
    #expect(explained.0 == status)
    #expect(explained.1 == text)
  }

  @Test("The help text is under 80 columns")
  func help() {
    #expect(Invocation.help.split(separator: "\n").filter { $0.count >= 80 } == [])
  }
}
