import MiniORM

enum ModelType: String, Sendable {
  case int64 = "Int64"
  case double = "Double"
  case string = "String"
  case data = "Data"
  case bool = "Bool"
  case date = "Date"
  case value = "DatabaseValue"

  /// The declared type of a column of this type in MiniORM.
  var columnType: ColumnType {
    switch self {
    case .int64, .bool: .integer
    case .double: .real
    case .string, .date: .text
    case .data: .blob
    case .value: .any
    }
  }

  var needsFoundation: Bool { self == .data || self == .date }

  /// Chooses a type that reads every value that the file contains now.
  init(
    _ declared: String, _ found: StoredClasses, isStrict: Bool, isKey: Bool, isBool: Bool,
    format: String?
  ) {
    let type = declared.uppercased()
    func has(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    let values = found.values
    let numbers: StoredClasses = [.integer, .real]
    func reading(_ type: ModelType, _ classes: StoredClasses) -> ModelType {
      values.isSubset(of: classes) ? type : .value
    }
    let isExact = !found.contains(.hugeInteger)
    let readsBool = values.isSubset(of: .integer) && !found.contains(.noBool) && !isKey
    if format == "bool", readsBool {
      self = .bool
    } else if format == "date", values.isSubset(of: .text), !isKey {
      self = .date
    } else if isStrict {
      self =
        switch type {
        case "INT", "INTEGER": isBool && readsBool ? .bool : .int64
        case "REAL": .double
        case "TEXT": .string
        case "BLOB": .data
        default: .value
        }
    } else if has("BOOL"), readsBool {
      // For an empty column, the declared type decides.
      self = .bool
    } else if has("INT") {
      self =
        isBool && readsBool
        ? .bool
        : values.contains(.real) && isExact ? reading(.double, numbers) : reading(.int64, .integer)
    } else if has("CHAR", "CLOB", "TEXT") {
      self = reading(.string, .text)
    } else if type.isEmpty {
      self = .value
    } else if has("BLOB") {
      self = reading(.data, .blob)
    } else if has("REAL", "FLOA", "DOUB") {
      self = isExact ? reading(.double, numbers) : .value
    } else if has("DATE", "TIME") {
      self =
        switch values {
        case .text: found.contains(.noDate) || isKey ? .string : .date
        // For an empty column, the declared type decides.
        case []: isKey ? .string : .date
        case .integer: .int64
        case numbers, .real: isExact ? .double : .value
        default: .value
        }
    } else {
      // NUMERIC affinity keeps a non-numeric text, such as JSON, and converts a numeric text. DECIMAL
      // and STRING have this affinity.
      self =
        switch values {
        case .text: has("JSON") ? .string : .value
        case .blob: .data
        case [] where !has("NUM", "DEC", "MONEY"): .value
        case _ where values.isSubset(of: numbers) && isExact: .double
        case .integer: .int64
        default: .value
        }
    }
    // Texts in MiniORM's date format are dates if the declared type contains DATE or TIME.
    if self == .string, has("DATE", "TIME"), values == .text, !found.contains(.noDate), !isKey {
      self = .date
    }
  }

  /// Chooses the type for an expression without a declared type, such as a column of a view.
  init(found: StoredClasses) {
    self =
      switch found.values {
      case .integer: .int64
      case .real: .double
      case [.integer, .real] where !found.contains(.hugeInteger): .double
      case .text: .string
      case .blob: .data
      default: .value
      }
  }
}
