extension DatabaseValue {
  var literal: String {
    switch self {
    case .null: return "NULL"
    case .integer(let value): return String(value)
    case .real(let value): return value.sqlLiteral
    case .text(let value):
      // SQL text ends at a NUL.
      return value.utf8.contains(0)
        ? "CAST(\(DatabaseValue.blob([UInt8](value.utf8)).literal) AS TEXT)" : value.quotedLiteral
    case .blob(let bytes): return "x'" + bytes.hexadecimal + "'"
    }
  }
}
