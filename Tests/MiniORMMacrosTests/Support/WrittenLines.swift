import Testing

/// A property called `x`, and its generated code: the column, the draft's property and the reading.
struct WrittenLines: Sendable, CustomTestStringConvertible {
  let declaration: String
  let lines: [String]
  var testDescription: String { declaration }

  init(_ declaration: String, _ lines: String...) {
    self.declaration = declaration
    self.lines = lines
  }
}
