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
  static func compared(_ date: Date) -> String? {
    switch date.count(comparedIn: 1000) {
    case .integer(let count): Date(milliseconds: count).flatMap(text)
    case .real(let position) where position.magnitude < 1e15:
      Date(milliseconds: Int64(position.rounded(.down))).flatMap(text).map { $0 + "+" }
    default: nil
    }
  }
}

extension ISO8601Date: TimeStored {
  static var currentTime: String { "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')" }
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
