extension [Property] {
  /// Returns lines that read or bind the properties. This is the only place that counts columns.
  ///
  /// A column without a group before it has a fixed position. A macro does not see how many columns
  /// a group has, so the group moves the variable `next` past its columns, and those after it are
  /// counted from there.
  /// - Parameters:
  ///   - first: The position of the first column: a number, or the name of a variable. `next` is a
  ///     parameter, which the lines leave at the position after the last column.
  ///   - limit: The number of columns that a line takes.
  ///   - columns: Returns the line for some columns, given the position of the first of them.
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

  // A struct of more than six properties that an initializer fills is copied at its end, with all
  // its texts (Swift 6.3): 5 % of reading 14 mixed columns. The compiler's own memberwise
  // initializer does not copy.
  private static let largestFilled = 6

  /// Returns the lines that read the properties from `row`.
  /// - Parameter isMemberwise: Whether the struct has a memberwise initializer that takes the
  ///   properties, in order.
  func reading(isMemberwise: Bool) -> [String] {
    let isArguments =
      isMemberwise && count > Self.largestFilled
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

  /// Returns the lines that bind the properties to `statement`, four columns in a call.
  /// - Parameter value: Returns the expression of a property's value.
  func binding(from first: String, _ value: (Property) -> String) -> [String] {
    lines(from: first, perLine: 4) { some, position in
      "try statement.bind(\(some.map(value).joined(separator: ", ")), at: \(position))"
    } group: {
      "try self.\($0.name)._bind(to: statement, at: &next)"
    }
  }
}
