/// What the command line asks for.
struct Invocation: Equatable {
  enum Command: Equatable {
    case demo
    case help
    case build
    case search([String])
    case show(UInt32)
  }

  var command = Command.demo
  /// The file that `--database` names; `nil` for the default one.
  var file: String?
  /// How many results a search prints.
  var limit = 20

  /// Reads the arguments.
  /// - Parameter arguments: The arguments, without the program's own name.
  /// - Throws: ``UsageError``, which says what is wrong.
  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var words: [String] = []
    var hasLimit = false
    var rest = arguments.makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--help", "-h":
        command = .help
        return
      case "--database":
        guard let path = rest.next(), !path.isEmpty else {
          throw UsageError("--database needs the path of a file.")
        }
        file = path
      case "--limit":
        guard let text = rest.next(), let number = Int(text), number > 0 else {
          throw UsageError("--limit needs a number from 1.")
        }
        limit = number
        hasLimit = true
      case let option where option.hasPrefix("-"):
        throw UsageError("There is no option \(option).")
      default:
        words.append(argument)
      }
    }
    command = try Self.command(words)
    if command == .demo, file != nil {
      throw UsageError("The demo has a file of its own: --database goes with a command.")
    }
    if hasLimit, words.first != "search" { throw UsageError("--limit goes with search.") }
  }

  private static func command(_ words: [String]) throws(UsageError) -> Command {
    let operands = Array(words.dropFirst())
    switch words.first {
    case nil:
      return .demo
    case "build":
      guard operands.isEmpty else { throw UsageError("build takes no words.") }
      return .build
    case "search":
      guard !operands.isEmpty else { throw UsageError("search needs a word to look for.") }
      return .search(operands)
    case "show":
      guard operands.count == 1 else { throw UsageError("show needs one code point.") }
      return .show(try codePoint(operands[0]))
    case let word?:
      throw UsageError("There is no command \(word).")
    }
  }

  /// Reads `2603`, `0x2603` or `U+2603`.
  private static func codePoint(_ text: String) throws(UsageError) -> UInt32 {
    let hasPrefix = ["U+", "0X"].contains { text.uppercased().hasPrefix($0) }
    let digits = hasPrefix ? text.dropFirst(2) : text[...]
    guard digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16), value <= 0x10FFFF
    else {
      throw UsageError("\(text) is no code point: write it in hexadecimal, 0 to 10FFFF.")
    }
    return value
  }
}

/// Arguments that make no sense.
struct UsageError: Error, Equatable {
  /// What is wrong, as a sentence.
  let message: String

  init(_ message: String) { self.message = message }
}

extension Invocation {
  /// The text of `--help`.
  static let help = """
    Every assigned Unicode scalar, in an encrypted file, with MiniORM.

    Usage:
      atlas                   The demo: builds a file in a temporary folder,
                              shows what can be done with it, and deletes it.
      atlas search WORD ...   Finds scalars whose names hold all the words. Case
                              does not matter; % stands for any characters, _ for
                              one.
      atlas show CODE         Shows all about one scalar: 2603 or U+2603.
      atlas build             Builds the file anew from the properties that this
                              program's Swift library has.

    Options:
      --database PATH   The file for search, show and build: built when there is
                        none yet, and kept. The default is atlas/atlas.db in your
                        caches folder.
      --limit N         How many results search prints; 20 if you do not say.
      --help            This text.

    Environment:
      ATLAS_KEY   The passphrase of the file. Without it the passphrase is "atlas",
                  which anybody can read here: the file is then encrypted but no
                  secret.
      NO_COLOR    When set, headings are not bold.

    Private-use characters are included: Unicode assigns them, and leaves their
    meaning to you. Surrogates are not: they are no scalars.

    Exit status: 0 when all went well, 1 when nothing was found or something
    failed, 64 when the arguments make no sense.
    """
}
