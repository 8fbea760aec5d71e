#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Formats for the texts that other programs write.

/// A date stored as ISO 8601 text with `T`, three decimals of a second and `Z`, such as
/// `2026-11-21T10:04:58.123Z`: `@Column(as: .iso8601)`.
///
/// JavaScript's `toISOString()` and `ISO8601DateFormatter` with fractional seconds write this text.
/// A finer fraction is rounded to the nearest millisecond, and half a millisecond rounds away from
/// 1970. A date outside the years 0 to 9999 throws. Every text of a plain `Date` is read as well. A
/// plain `Date` is stored with a space, without `Z`, and keeps every fraction.
public struct ISO8601Date: ColumnRepresentation {
  /// The date.
  public let value: Date

  /// Creates a wrapper around a date.
  public init(_ value: Date) { self.value = value }

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT as a plain `Date` does.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) { value = try Date(cell: cell) }

  /// Binds the text of the nearest millisecond. Half a millisecond rounds away from 1970.
  /// - Throws: ``DatabaseError`` with the operation `bind` for a date outside the years 0 to 9999.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard let text = value.nearestMillisecond.flatMap(Self.text) else {
      throw parameter.invalid(Date.noText)
    }
    try parameter.bind(text)
  }

  private static func text(_ date: Date) -> String? {
    guard let text = date.iso8601 else { return nil }
    // Such a date has no further decimals.
    return text.replacing(" ", with: "T", maxReplacements: 1) + "Z"
  }

  /// Encodes a date for comparisons with stored texts. A date between two milliseconds sorts between
  /// the texts of both.
  static func compared(_ date: Date) -> (any ColumnValue)? {
    switch date.count(comparedIn: 1000) {
    case .integer(let count): Date(milliseconds: count).flatMap(text)
    case .real(let position) where position.magnitude < 1e15:
      Date(milliseconds: Int64(position.rounded(.down))).flatMap(text).map { $0 + "+" }
    default: nil
    }
  }
}

extension ISO8601Date: TimeStored {
  static var dates: DateStorage { .iso8601 }
  static var currentTime: String { "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" }
}

/// A date stored as text with whole seconds, such as `2026-11-21 10:04:58`:
/// `@Column(as: .textSeconds)`.
///
/// SQLite's `CURRENT_TIMESTAMP` and `datetime('now')` write this text, so that a column with
/// `DEFAULT CURRENT_TIMESTAMP` is declared as follows:
///
/// ```swift
/// @Column(.type("DATETIME"), .default(sql: "CURRENT_TIMESTAMP"), as: .textSeconds) var created: Date
/// ```
/// As in `CURRENT_TIMESTAMP`, a fraction of a second is dropped: a date is stored as the last whole
/// second that is not later. A date within half a microsecond of a whole second is stored as that
/// second. A date outside the years 0 to 9999 throws. Every text of a plain `Date` is read as well,
/// with its fraction. A plain `Date` is stored with a fraction, and keeps it.
public struct TextSeconds: ColumnRepresentation {
  /// The date.
  public let value: Date

  /// Creates a wrapper around a date.
  public init(_ value: Date) { self.value = value }

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT as a plain `Date` does.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) { value = try Date(cell: cell) }

  /// Binds the text of the last whole second that is not later.
  /// - Throws: ``DatabaseError`` with the operation `bind` for a date outside the years 0 to 9999.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    let second: Int64? =
      switch value.count(comparedIn: 1) {
      case .integer(let count): count
      case .real(let position): Int64(exactly: position.rounded(.down))
      default: nil
      }
    guard let text = second.flatMap(Self.text) else { throw parameter.invalid(Date.noText) }
    try parameter.bind(text)
  }

  private static func text(_ since1970: Int64) -> String? {
    let (count, isTooLarge) = since1970.multipliedReportingOverflow(by: 1000)
    guard !isTooLarge, let text = Date(milliseconds: count)?.iso8601 else { return nil }
    return String(text.dropLast(".000".count))
  }

  /// Encodes a date for comparisons with stored texts. The text of a date between two seconds has
  /// decimals, and sorts between the texts of both.
  static func compared(_ date: Date) -> (any ColumnValue)? {
    if case .integer(let count) = date.count(comparedIn: 1) { text(count) } else { date.iso8601 }
  }
}

extension TextSeconds: TimeStored {
  static var dates: DateStorage { .textSeconds }
  static var currentTime: String { "CURRENT_TIMESTAMP" }
}

/// A UUID stored as 36 characters in uppercase, as Swift's `uuidString` writes it:
/// `@Column(as: .uppercaseUUID)`. A plain `UUID` is stored in lowercase. Both read either case.
public struct UppercaseUUID: ColumnRepresentation, Hashable {
  /// The UUID.
  public let value: UUID

  /// Creates a wrapper around a UUID.
  public init(_ value: UUID) { self.value = value }

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT of 36 characters.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) { value = try UUID(cell: cell) }

  /// Binds the 36 characters.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try parameter.bind(value.uuidString)
  }
}
