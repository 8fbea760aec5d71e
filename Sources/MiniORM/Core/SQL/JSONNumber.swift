/// A REAL as the JSON number that `JSONEncoder` writes: the shortest digits that read as the same
/// REAL. SQLite's own JSON has 15 digits. Every connection of MiniORM has this function.
enum JSONNumber {
  static let name = "miniorm_json_number"

  static let definition = SQLFunctionDefinition(
    name: name, argumentCount: 1, isDeterministic: true, isInnocuous: true,
    kind: .scalar { arguments in
      let value = try arguments.value(DatabaseValue.self, at: 0)
      guard case .real(let number) = value else { return value }
      guard number.isFinite else {
        throw DatabaseError(.step, code: .mismatch, "JSON has no infinite number")
      }
      // 0.0 for −0.0.
      let text = (number + 0).description
      return .text(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    })
}
