import Testing

/// A property called `x`, and the lines that are written for it: its column, its part of the draft,
/// and how it is read.
struct WrittenLines: Sendable, CustomTestStringConvertible {
  let declaration: String
  let lines: [String]
  var testDescription: String { declaration }

  init(_ declaration: String, _ lines: String...) {
    self.declaration = declaration
    self.lines = lines
  }
}
