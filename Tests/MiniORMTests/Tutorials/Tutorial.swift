import Foundation

/// A tutorial: what its page says, step by step.
///
/// The page is read line by line: a directive opens its own line, and `}` stands alone on the line
/// that closes it.
struct Tutorial: Sendable {
  /// A file that a step shows.
  struct Code: Sendable {
    /// What the reader calls the file: `Company.swift`, or `Terminal` for a transcript.
    let name: String
    /// What it is called in the catalog.
    let file: String
    /// The file with which DocC compares it.
    let previousFile: String?
    let showsNoChanges: Bool

    var isTranscript: Bool { file.hasSuffix(".txt") }
  }

  struct Step: Sendable {
    /// The page and the line on which the step begins, for messages.
    let place: String
    let text: String
    let code: Code?
  }

  /// The name of the page without its extension.
  let name: String
  private(set) var steps: [Step] = []
  /// The number of questions at the end.
  private(set) var questions = 0
  /// The files that the page names, whatever for.
  private(set) var files: [String] = []
  /// The pages that a table of contents lists, in its order: those of each volume, which has a
  /// program of its own. Chapters before the first volume are one, too.
  private(set) var courses: [[String]] = []
  /// The pages that a table of contents lists, in its order.
  var references: [String] { courses.flatMap(\.self) }
  /// What is wrong with the page's form.
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

  /// The text of an argument of a directive.
  private static func value(_ argument: String, in line: Substring) -> String? {
    for start in ["(", ", "] {
      guard let range = line.range(of: "\(start)\(argument): \"") else { continue }
      return String(line[range.upperBound...].prefix { $0 != "\"" })
    }
    return nil
  }
}
