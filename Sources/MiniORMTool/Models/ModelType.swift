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
  case uuid = "UUID"
  case decimal = "Decimal"
  // The storage formats of `as:`, with their own names.
  case unixSeconds, unixSecondsReal, unixMilliseconds, iso8601, textSeconds, uuidBytes
  case uppercaseUUID
  /// A decimal with a scale.
  case scaled

  /// The Swift type.
  var swift: String {
    switch self {
    case .unixSeconds, .unixSecondsReal, .unixMilliseconds, .iso8601, .textSeconds: "Date"
    case .uuidBytes, .uppercaseUUID: "UUID"
    case .scaled: "Decimal"
    default: rawValue
    }
  }

  var isDate: Bool { swift == "Date" }

  /// MiniORM's type of a column with this Swift type.
  var columnType: ColumnType {
    switch self {
    case .int64, .bool, .unixSeconds, .unixMilliseconds, .scaled: .integer
    case .double, .float, .unixSecondsReal: .real
    case .string, .date, .iso8601, .textSeconds, .uuid, .uppercaseUUID, .decimal: .text
    case .data, .uuidBytes: .blob
    case .value: .any
    }
  }

  var needsFoundation: Bool { ["Data", "Date", "UUID", "Decimal"].contains(swift) }

  /// The storage format for `@Column`; `nil` for the type's default.
  /// - Parameter format: The recorded format.
  func storage(_ format: String?) -> String? {
    if self == .scaled { return format.map { ".decimal(scale: \($0.filter(\.isNumber)))" } }
    return swift == rawValue ? nil : ".\(rawValue)"
  }

  /// Returns the type of a recorded format other than a default format of a type; `nil` if there is
  /// none.
  private static func recorded(_ format: String) -> ModelType? {
    if format.hasPrefix("decimal(") { return .scaled }
    return ModelType(rawValue: format)
      ?? [.date, .uuid, .decimal].first { $0.rawValue.lowercased() == format }
  }

  /// Chooses the property's type, which can read every value of the column in the file. For an empty
  /// column, the declared type decides.
  /// - Parameter isTimestamp: True for a column with DEFAULT CURRENT_TIMESTAMP.
  init(
    _ declared: String, _ found: Set<Finding>, isStrict: Bool, isKey: Bool, isBool: Bool,
    isTimestamp: Bool = false, format: String?
  ) {
    let type = declared.uppercased()
    func has(_ parts: String...) -> Bool { parts.contains { type.contains($0) } }
    let isDate = has("DATE", "TIME")
    var types: [ModelType] = []
    if format == "bool" || has("BOOL") || isBool && has("INT") { types.append(.bool) }
    // A record of rows that have not been read yet is a claim.
    if let recorded = format.flatMap(Self.recorded), recorded.stores(found),
      !isKey || !recorded.isDate
    {
      self = recorded
      return
    } else if has("INT") {
      types += [.int64, .double]
    } else if has("CHAR", "CLOB", "TEXT") {
      types += isDate && found.values == [.text] ? [.date, .string] : [.string]
    } else if has("BLOB") {
      types.append(.data)
    } else if has("REAL", "FLOA", "DOUB") {
      types.append(.double)
    } else if isDate {
      types +=
        (format != nil || found.values.isEmpty ? [] : [.unixSeconds, .unixSecondsReal])
        + [isTimestamp ? .textSeconds : .date, .string, .int64, .double]
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
  init(found: Set<Finding>) {
    let types: [ModelType] = found.values.isEmpty ? [] : [.int64, .double, .string, .data]
    self = types.first { $0.reads(found, isKey: false) } ?? .value
  }

  /// True if the storage classes are the format's.
  private func stores(_ found: Set<Finding>) -> Bool {
    switch columnType {
    case .integer: found.values.isSubset(of: [.integer])
    case .real: found.values.isSubset(of: [.integer, .real])
    case .blob: found.values.isSubset(of: [.blob])
    default: found.values.isSubset(of: [.text])
    }
  }

  private func reads(_ found: Set<Finding>, isKey: Bool) -> Bool {
    let unreadable: Finding? =
      switch self {
      case .bool: .noBool
      case .double: .hugeInteger
      case .date: .noDate
      case .textSeconds: .noTextSeconds
      case .unixSeconds, .unixSecondsReal: .noUnixSeconds
      default: nil
      }
    return columnType == .any
      || stores(found) && !found.contains { $0 == unreadable }
        && !(isKey && (isDate || self == .bool))
  }
}
