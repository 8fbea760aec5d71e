/// The number that `JSONEncoder` writes: the shortest digits for the same REAL. SQLite's own JSON
/// has 15 digits.
enum JSONNumber {
  static let name = "miniorm_json_number"

  static let definition = SQLFunctionDefinition(
    name: name, argumentCount: 1, isDeterministic: true, isInnocuous: true,
    kind: .scalar { arguments in
      let value = try arguments.value(DatabaseValue.self, at: 0)
      guard case .real(let number) = value else { return value }
      guard number.isFinite else {
        throw DatabaseError(
          .step, code: .mismatch,
          "JSON cannot contain an infinite number: replace it with a finite number or NULL")
      }
      // Whole numbers without a point; 0 for −0.0.
      if number.magnitude < 0x1p53, let whole = Int64(exactly: number) { return .integer(whole) }
      return .text(number.description)
    })
}
