extension [Property] {
  /// Returns lines that read or bind the properties. Only this function counts columns.
  ///
  /// A macro cannot count the columns of a group. The generated code therefore advances the
  /// variable `next` past each group, and counts later columns from `next`.
  /// - Parameters:
  ///   - first: The position of the first column: a number, or a variable. If it is the inout
  ///     parameter `next`, it ends after the last column.
  ///   - limit: The maximum number of columns per line.
  ///   - columns: Returns the line for columns, from the position of the first.
  ///   - group: Returns the line for a group, which begins at `next`.
  func lines(
    from first: String, perLine limit: Int = 1,
    columns: (_ properties: [Property], _ position: String) -> String,
    group: (_ property: Property) -> String
  ) -> [String] {
    var lines: [String] = []
    var (base, offset) = (first, 0)
    var position: String {
      if offset == 0 { return base }
      return base == "0" ? "\(offset)" : "\(base) + \(offset)"
    }
    func advance() {
      if base != "next" { lines.append("var next: Swift.Int32 = \(position)") }
      if base == "next", offset > 0 { lines.append("next += \(offset)") }
      (base, offset) = ("next", 0)
    }
    var rest = self[...]
    while let property = rest.first {
      if property.isGroup {
        advance()
        lines.append(group(property))
        rest.removeFirst()
      } else {
        let some = Array(rest.prefix { !$0.isGroup }.prefix(limit))
        lines.append(columns(some, position))
        offset += some.count
        rest.removeFirst(some.count)
      }
    }
    if first == "next" { advance() }
    return lines
  }

  // Swift 6.3 copies a struct with more than six properties at the end of a custom initializer,
  // including all strings. The memberwise initializer does not copy.
  private static let largestFilled = 6

  // The compiler's time and memory for a call grow with the square of its arguments: a call with
  // 1,000 arguments takes 4 s and 2 GB.
  private static let largestCall = 100

  func reading(isMemberwise: Bool) -> [String] {
    let isArguments =
      isMemberwise && count > Self.largestFilled && count <= Self.largestCall
      && allSatisfy { $0.isLabel && !$0.isGroup }
    let lines = lines(from: "0") { some, position in
      some.map { property in
        let target = isArguments ? "  \(property.plainName): " : "self.\(property.name) = "
        return "\(target)try \(property.reading("row[\(position)]"))"
      }.joined()
    } group: {
      "self.\($0.name) = try \($0.isOptional ? "Swift.Optional" : ".init")(_row: row, at: &next)"
    }
    return isArguments ? ["self.init(", lines.joined(separator: ",\n") + ")"] : lines
  }

  /// Binds four columns per call.
  func binding(from first: String, _ value: (Property) -> String) -> [String] {
    lines(from: first, perLine: 4) { some, position in
      "try statement.bind(\(some.map(value).joined(separator: ", ")), at: \(position))"
    } group: {
      "try self.\($0.name)._bind(to: statement, at: &next)"
    }
  }
}
