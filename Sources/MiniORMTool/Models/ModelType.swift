import MiniORM

/// The type of a property.
enum ModelType: String, Sendable {
  case int64 = "Int64"
  case double = "Double"
  case string = "String"
  case data = "Data"
  case bool = "Bool"
  case date = "Date"
  case value = "DatabaseValue"

  /// What MiniORM declares such a column as.
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

  /// The type for a column, which reads every value that the file has now.
  /// - Parameters:
  ///   - declared: The declared type.
  ///   - found: What the column holds.
  ///   - isStrict: Whether the table is STRICT.
  ///   - isKey: Whether it is part of the primary key.
  ///   - isBool: Whether a CHECK allows 0 and 1 alone.
  ///   - format: The format that the file records for the column.
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
    } else if format == "date", values.isSubset(of: .text), !found.contains(.noDate), !isKey {
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
      // An empty column of a type that is called so is sure enough.
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
        case .integer: .int64
        case numbers, .real: isExact ? .double : .value
        default: .value
        }
    } else {
      // NUMERIC affinity, which keeps a text that is no number as it is: DECIMAL, but JSON and STRING too.
      self =
        switch values {
        case .text: .string
        case .blob: .data
        case [] where !has("NUM", "DEC", "MONEY"): .value
        case _ where values.isSubset(of: numbers) && isExact: .double
        case .integer: .int64
        default: .value
        }
    }
    // Texts of a date that MiniORM writes are dates wherever they are declared to be.
    if self == .string, has("DATE", "TIME"), values == .text, !found.contains(.noDate), !isKey {
      self = .date
    }
  }

  /// The type for a value that no column declares, as those of a view.
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
