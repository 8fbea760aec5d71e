import Foundation

/// A tutorial, parsed from a page.
///
/// The parser reads lines: a directive opens its own line, and `}` stands alone on the closing
/// line.
struct Tutorial: Sendable {
  /// A code file of a step.
  struct Code: Sendable {
    /// The file's name for the reader: `Company.swift`, or `Terminal` for a transcript.
    let name: String
    /// The file's name in the catalog.
    let file: String
    /// The file that DocC compares with.
    let previousFile: String?
    let showsNoChanges: Bool

    var isTranscript: Bool { file.hasSuffix(".txt") }
  }

  struct Step: Sendable {
    /// The page and the first line of the step, for messages.
    let place: String
    let text: String
    let code: Code?
  }

  /// The name of the page without the extension.
  let name: String
  private(set) var steps: [Step] = []
  /// The number of questions at the end.
  private(set) var questions = 0
  /// All files that the page references.
  private(set) var files: [String] = []
  /// The pages listed in a table of contents, in order, grouped by volume. Each volume builds a
  /// separate program. Chapters before the first volume form a group too.
  private(set) var courses: [[String]] = []
  /// The pages listed in a table of contents, in order.
  var references: [String] { courses.flatMap(\.self) }
  /// Errors in the page's syntax.
  private(set) var problems: [String] = []

  init(_ name: String, page: String) {
    self.name = name
    var open: [String] = []
    var step: (line: Int, words: [Substring], code: Code?)?
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let text = line.drop { $0 == " " }
      let place = "\(name).tutorial:\(index + 1)"
      if text == "}" {
        if open.popLast() == "Step", let ended = step {
          steps.append(
            Step(
              place: "\(name).tutorial:\(ended.line)", text: ended.words.joined(separator: " "),
              code: ended.code))
          step = nil
        }
      } else if text.hasPrefix("@") {
        let directive = String(text.dropFirst().prefix { $0.isLetter })
        switch directive {
        case "Step": step = (index + 1, [], nil)
        case "MultipleChoice": questions += 1
        case "Volume": courses.append([])
        case "TutorialReference":
          if courses.isEmpty { courses.append([]) }
          courses[courses.count - 1]
            .append(String(Self.value("tutorial", in: text)?.dropFirst(4) ?? ""))
        case "Code", "Image":
          guard let file = Self.value(directive == "Code" ? "file" : "source", in: text) else {
            problems.append("\(place): @\(directive) names no file")
            continue
          }
          files.append(file)
          guard directive == "Code" else { break }
          if step?.code != nil { problems.append("\(place): a second @Code in one step") }
          step?.code = Code(
            name: Self.value("name", in: text) ?? "", file: file,
            previousFile: Self.value("previousFile", in: text),
            showsNoChanges: text.contains("reset: true"))
        default: break
        }
        if text.hasSuffix("{") { open.append(directive) }
      } else if open.last == "Step" {
        step?.words += text.split(separator: " ")
      }
    }
    if !open.isEmpty { problems.append("\(name).tutorial: @\(open[0]) is not closed") }
  }

  /// Returns the string argument of a directive.
  private static func value(_ argument: String, in line: Substring) -> String? {
    for start in ["(", ", "] {
      guard let range = line.range(of: "\(start)\(argument): \"") else { continue }
      return String(line[range.upperBound...].prefix { $0 != "\"" })
    }
    return nil
  }
}
