import MiniORM

struct ModelColumn {
  let name: String
  /// The column's name, as SQLite compares names.
  let key: ExactText
  var property: String
  let type: ModelType
  let isOptional: Bool
  /// True for a primary key, declared with `let`.
  var isKey = false
  /// True for a coordinate of an R*Tree index. SQLite stores coordinates with 32 bits.
  var isCoordinate = false
  var initial: String?
  /// The constraints in Swift. The array `declared` has the same constraints.
  var constraints: [String] = []
  var declared: [ColumnConstraint] = []

  init(
    name: String, property: String, type: ModelType, isOptional: Bool, isKey: Bool = false,
    isCoordinate: Bool = false
  ) {
    (self.name, key, self.property, self.type) = (name, name.folded, property, type)
    (self.isOptional, self.isKey, self.isCoordinate) = (isOptional, isKey, isCoordinate)
  }

  var written: String { SwiftName.written(property) }

  mutating func add(_ text: String, _ constraint: ColumnConstraint) {
    constraints.append(text)
    declared.append(constraint)
  }

  /// Returns the property's declaration.
  /// - Parameter isNamed: True if the column's name follows from the property's name.
  func line(isNamed: Bool) -> String {
    let arguments = (isNamed ? [] : [SwiftName.literal(name)]) + constraints
    let attribute = arguments.isEmpty ? "" : "@Column(\(arguments.joined(separator: ", "))) "
    return attribute + (isKey ? "let " : "var ")
      + "\(written): \(isCoordinate ? "Float" : type.rawValue)"
      + (isOptional ? "?" : "") + (initial.map { " = \($0)" } ?? "")
  }

  func schema(of table: String) -> ColumnSchema {
    ColumnSchema(
      name, table: table, type: type.columnType, isNullable: isOptional || type == .value, declared)
  }
}

extension TableDefinition.Clause {
  /// Returns a default as a literal of the property's type; `nil` if only the database can compute
  /// it.
  func literal(_ type: ModelType) -> String? {
    let isNegative = tokens.count == 2 && tokens[0].isSymbol("-")
    guard tokens.count == 1 || isNegative, let last = tokens.last else { return nil }
    let number = last.kind == .number ? (isNegative ? "-" : "") + last.text.string : nil
    switch type {
    case .int64:
      guard let number, let value = Int64(number), "\(value)" == number else { return nil }
      return number
    case .bool: return number == "0" ? "false" : number == "1" ? "true" : nil
    case .double:
      // The digits must be the same, because defaults are compared as text.
      guard let number, number.contains("."), let value = Double(number), "\(value)" == number
      else {
        return nil
      }
      return number
    case .string:
      guard last.kind == .string, !isNegative else { return nil }
      return SwiftName.literal(last.text.string.unquoted(by: UInt8(ascii: "'")))
    case .data, .date, .value: return nil
    }
  }

  /// The column that a CHECK limits to 0 and 1, such as `x IN (0, 1)`.
  var booleanColumn: ExactText? {
    guard tokens.count == 7, tokens[0].isName, tokens[1].isKeyword("in"), tokens[2].isSymbol("("),
      tokens[4].isSymbol(","), tokens[6].isSymbol(")"),
      Set([tokens[3].text, tokens[5].text]) == ["0", "1"]
    else { return nil }
    return tokens[0].text
  }
}
