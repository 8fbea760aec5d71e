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

  /// Chooses the property's type, which can read every value of the column in the file. For an empty
  /// column, the declared type decides.
  init(
    _ declared: String, _ found: StoredClasses, isStrict: Bool, isKey: Bool, isBool: Bool,
    format: String?
  ) {
    let type = declared.uppercased()
    func has(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    let isDate = has("DATE", "TIME")
    var types: [ModelType] = []
    if format == "bool" || has("BOOL") || isBool && has("INT") { types.append(.bool) }
    if format == "date", found.values.isSubset(of: .text), !isKey {
      self = .date
      return
    } else if has("INT") {
      types += [.int64, .double]
    } else if has("CHAR", "CLOB", "TEXT") {
      types += isDate && found.values == .text ? [.date, .string] : [.string]
    } else if has("BLOB") {
      types.append(.data)
    } else if has("REAL", "FLOA", "DOUB") {
      types.append(.double)
    } else if isDate {
      types += [.date, .string, .int64, .double]
    } else if !type.isEmpty, !(isStrict && type == "ANY"),
      !found.values.isEmpty || has("NUM", "DEC", "MONEY")
    {
      // NUMERIC affinity, as of DECIMAL and STRING, converts a numeric text, and keeps any other
      // text, such as JSON.
      types += (has("JSON") ? [.string] : []) + [.double, .int64, .data]
    }
    // A STRICT column holds only its type, even if the rows could not be read.
    self =
      types.first { $0.reads(found, isKey: isKey) }
      ?? (isStrict ? types.first { $0 != .bool } : nil) ?? .value
  }

  /// Chooses the type of an expression without a declared type, such as a column of a view.
  init(found: StoredClasses) {
    let types: [ModelType] = found.values.isEmpty ? [] : [.int64, .double, .string, .data]
    self = types.first { $0.reads(found, isKey: false) } ?? .value
  }

  private func reads(_ found: StoredClasses, isKey: Bool) -> Bool {
    switch self {
    case .int64: found.values.isSubset(of: .integer)
    case .bool: found.values.isSubset(of: .integer) && !found.contains(.noBool) && !isKey
    case .double:
      found.values.isSubset(of: [.integer, .real]) && !found.contains(.hugeInteger)
    case .string: found.values.isSubset(of: .text)
    case .date: found.values.isSubset(of: .text) && !found.contains(.noDate) && !isKey
    case .data: found.values.isSubset(of: .blob)
    case .float, .value: true
    }
  }
}
