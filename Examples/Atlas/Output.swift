import Foundation

/// Whether standard output is a terminal, and not a file or a pipe.
let isTerminal = isatty(STDOUT_FILENO) == 1

/// Prints to standard error.
func complain(_ text: String) {
  FileHandle.standardError.write(Data("\(text)\n".utf8))
}

/// Prints a heading after an empty line: bold on a terminal, unless NO_COLOR is set.
func heading(_ text: String) {
  let isBold = isTerminal && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
  print(isBold ? "\n\u{1B}[1m\(text)\u{1B}[0m" : "\n\(text)")
}

/// A number with separators: 297,334.
func grouped(_ number: Int) -> String {
  let digits = String(number.magnitude)
  var text = number < 0 ? "-" : ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
    text.append(digit)
  }
  return text
}

extension Double {
  /// The number with one digit after the point.
  var tenths: String { String(format: "%.1f", self) }

  /// The number without a point where it is whole: 7 and 0.5.
  var short: String { Int(exactly: self).map(grouped) ?? "\(self)" }
}

extension String {
  /// The text with spaces after it.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }

  /// The text with spaces before it, for numbers.
  func aligned(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }

  /// The text in lines of at most 76 columns, two spaces before each.
  var wrapped: String {
    var lines = [""]
    for word in split(separator: " ") {
      if lines[lines.count - 1].count + word.count > 76 { lines.append("") }
      lines[lines.count - 1] += " \(word)"
    }
    return lines.map { " \($0)" }.joined(separator: "\n")
  }

  /// The text, its end left out where it is longer.
  func cut(to width: Int) -> String { count > width ? prefix(width - 1) + "…" : self }
}

/// Shows how far a long piece of work is: in one line that changes on a terminal, in a line for
/// each quarter elsewhere.
struct ProgressLine {
  private var shown = 0

  /// Shows how far it is, where there is something new to show.
  mutating func show(_ count: Int, of total: Int) {
    let percent = 100 * count / max(1, total)
    guard percent >= shown + (isTerminal ? 1 : 25) else { return }
    shown = percent
    let line = "  \("\(percent)".aligned(to: 3)) %  \(grouped(count)) of \(grouped(total)) rows"
    guard isTerminal else { return print(line) }
    let bar = String(repeating: "#", count: percent / 5).padded(to: 20)
    print("\r  [\(bar)]\(line)", terminator: "")
    fflush(nil)
  }

  /// Wipes the line from a terminal.
  func finish() {
    guard isTerminal else { return }
    print("\r\u{1B}[K", terminator: "")
    fflush(nil)
  }
}
