#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ColumnValue {
  private static var base: any Any.Type { SQLUnwrapped.self }

  /// The advice that lists the storage formats of a type with several; nil for other types.
  static var severalFormats: String? {
    guard _StoredFormats.self == _SeveralStoredFormats.self else { return nil }
    if base == Date.self {
      return
        "write .text, .iso8601, .textSeconds, .unixSeconds, .unixSecondsReal or .unixMilliseconds"
    }
    return base == UUID.self
      ? "write .text, .uuidBytes or .uppercaseUUID"
      : "write .text or .decimal(scale:) with a scale from 0 to 18"
  }

  /// The error for a value in raw SQL whose column decides the stored form; nil for other types.
  static var formatProblem: DatabaseError? {
    severalFormats.map { formats in
      DatabaseError(
        .bind, code: .misuse,
        "A \(base) has several stored forms, and raw SQL does not show the column's: pass "
          + "DatabaseValue(value, as: format), and as the format \(formats)")
    }
  }

  /// Returns the value for a parameter of raw SQL.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the column decides the stored form.
  func inRawSQL() throws(DatabaseError) -> any ColumnValue {
    if let problem = Self.formatProblem { throw problem }
    return self
  }
}
