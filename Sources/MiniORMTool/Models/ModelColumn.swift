import MiniORM

struct ModelColumn {
  let name: String
  /// The column's name, as SQLite compares names.
  let key: ExactText
  var property: String
  var type: ModelType
  var isOptional: Bool
  /// The storage format, for `as:`.
  var storage: String?
  /// True for a primary key, declared with `let`.
  var isKey = false
  var initial: String?
  /// The constraints in Swift.
  var constraints: [String] = []

  init(_ name: String, property: String, _ type: ModelType, isOptional: Bool) {
    (self.name, key, self.property) = (name, name.folded, property)
    (self.type, self.isOptional) = (type, isOptional)
  }

  /// The column in a closure that takes the table's columns.
  var reference: String { "$0.\(SwiftName.written(property))" }

  /// Adds a constraint, such as `.unique` or `.unique(onConflict: .replace)`.
  mutating func add(_ constraint: String, _ arguments: [String?]) {
    let list = arguments.compactMap(\.self).joined(separator: ", ")
    constraints.append(list.isEmpty ? ".\(constraint)" : ".\(constraint)(\(list))")
  }

  /// Returns the property's declaration.
  /// - Parameter isNamed: True if the column's name follows from the property's name.
  func line(isNamed: Bool) -> String {
    let arguments =
      (isNamed ? [] : [SwiftName.literal(name)]) + constraints
      + (storage.map { ["as: \($0)"] } ?? [])
    return (arguments.isEmpty ? "" : "@Column(\(arguments.joined(separator: ", "))) ")
      + "\(isKey ? "let" : "var") \(SwiftName.written(property)): \(type.swift)"
      + (isOptional ? "?" : "") + (initial.map { " = \($0)" } ?? "")
  }
}

extension ModelColumn {
  /// Describes the times that a column's values may be, and the property that reads them; `nil`
  /// without such values. Either all values are times from 2001 until 2040, or all are numbers,
  /// some are such times, and the name suggests times.
  func possibleTime(_ found: Set<Finding>) -> String? {
    // The classes of a table that could not be read say nothing.
    guard [.int64, .double, .string, .value].contains(type), !found.isSuperset(of: .everything)
    else { return nil }
    let isReal = type == .double
    let isNamed =
      ["DATE", "TIME"].contains { name.uppercased().contains($0) } || name.hasSuffix("At")
      || name.hasSuffix("_at")
    // A Date reads every number, but not every text.
    guard !found.contains(.noTime) || isNamed && (isReal || type == .int64) else { return nil }
    let forms: [(Finding, String, ModelType)] = [
      (.recentSeconds, "seconds since 1970", isReal ? .unixSecondsReal : .unixSeconds),
      (.recentMilliseconds, "milliseconds since 1970", .unixMilliseconds),
      (.dateText, "dates as text", .date),
    ]
    let possible = forms.filter { found.contains($0.0) }
    guard let (_, times, form) = possible.first else { return nil }
    let advice = "convert them to one form in a step, for a Date"
    guard possible.count == 1 else { return "may hold times in several forms: \(advice)" }
    // No format reads milliseconds of type REAL.
    guard !isReal || form != .unixMilliseconds else { return "may hold \(times): \(advice)" }
    var copy = self
    (copy.type, copy.storage) = (form, form.storage(nil))
    let line = copy.line(isNamed: true)
    return "may hold \(times): \(line)"
      + (copy.storage.map { ", and adopt the file with formats: \($0)" } ?? "")
  }
}

extension [ModelColumn] {
  /// The columns in a closure that returns one column or a tuple.
  var tuple: String {
    count == 1 ? self[0].reference : "(\(map(\.reference).joined(separator: ", ")))"
  }
}

extension FileContents.Object {
  /// Returns the columns of a view or a virtual table, and adds notes on the others.
  func modelColumns(_ notes: inout [String]) -> [ModelColumn] {
    var names = SwiftName.Properties("primaryKey", "id")
    return columns.compactMap { column in
      guard let property = names.add(column.name, id: "idValue") else {
        notes.append(
          "the column \(column.name.quotedIdentifier) cannot be a property, so it is left out")
        return nil
      }
      let type =
        kind == .virtualTable || column.type.isEmpty
        ? ModelType(found: column.found)
        : ModelType(
          column.type, column.found, isStrict: false, isKey: false, isBool: false, format: nil)
      var result = ModelColumn(column.name, property: property, type, isOptional: type != .value)
      result.storage = type.storage(nil)
      return result
    }
  }
}

extension TableDefinition.Clause {
  /// Returns a default as a literal of the property's type; `nil` if only the database can compute
  /// it.
  func literal(_ type: ModelType) -> String? {
    let isNegative = tokens.count == 2 && tokens[0].isSymbol("-")
    guard tokens.count == 1 || isNegative, let last = tokens.last else { return nil }
    let number = last.kind == .number ? (isNegative ? "-" : "") + last.text.string : nil
    return switch type {
    case .int64: number.flatMap { Int64($0) }.map { "\($0)" }.flatMap { $0 == number ? $0 : nil }
    case .bool: number == "0" ? "false" : number == "1" ? "true" : nil
    // The digits must be the same: only the defaults of REAL columns are compared as numbers.
    case .double: number.flatMap { Double($0) }.map { "\($0)" }.flatMap { $0 == number ? $0 : nil }
    case .string:
      last.kind == .string && !isNegative ? SwiftName.literal(last.written) : nil
    default: nil
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
