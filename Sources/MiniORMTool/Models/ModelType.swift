import MiniORM

enum ModelType: String, Sendable {
  case int64 = "Int64"
  case double = "Double"
  /// A coordinate of an R*Tree, which SQLite stores with 32 bits.
  case float = "Float"
  case string = "String"
  case data = "Data"
  case bool = "Bool"
  case date = "Date"
  case value = "DatabaseValue"

  /// MiniORM's type of a column with this Swift type.
  var columnType: ColumnType {
    switch self {
    case .int64, .bool: .integer
    case .double, .float: .real
    case .string, .date: .text
    case .data: .blob
    case .value: .any
    }
  }

  var needsFoundation: Bool { self == .data || self == .date }

  /// Chooses the property's type, which can read every value of the column in the file.
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
      // NUMERIC affinity, as of DECIMAL and STRING, converts a numeric text, and keeps any other
      // text, such as JSON.
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
    // If the declared type contains DATE or TIME, texts in MiniORM's date format are dates.
    if self == .string, has("DATE", "TIME"), values == .text, !found.contains(.noDate), !isKey {
      self = .date
    }
  }

  /// Chooses the type of an expression without a declared type, such as a column of a view.
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
