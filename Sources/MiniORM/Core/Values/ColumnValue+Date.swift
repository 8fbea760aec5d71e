#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Date: ColumnValue, TimeStored {
  /// Raw SQL names the format.
  @_documentation(visibility: internal)
  public typealias _StoredFormats = _SeveralStoredFormats

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { .text }

  /// Reads a TEXT such as `2026-11-21 10:04:58.123`, with `T` or a space as the separator. The
  /// time, or its seconds, may be missing. Without a zone (`Z`, `+01:00`), the time is UTC. Up to
  /// three decimals of a second give the date that `Date(timeIntervalSince1970:)` creates from the
  /// milliseconds.
  ///
  /// See [Time Values](https://www.sqlite.org/lang_datefunc.html#time_values).
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    guard let date = try cell.withTextBytes({ Date(iso8601: $0) }) else {
      _ = try cell.text()  // throws for a different storage class
      throw cell.invalid("The text is not an ISO 8601 date")
    }
    self = date
  }

  /// Binds ISO 8601 text in UTC, as SQLite's own functions write dates: three decimals of a second
  /// for a date that `Date(timeIntervalSince1970:)` creates from whole milliseconds, and more if an
  /// equal date requires them. Texts sort in the order of their dates, except for dates that differ
  /// by less than a microsecond.
  /// - Throws: ``DatabaseError`` with the operation `bind` for a date outside the years 0000 to
  ///   9999.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard let text = iso8601 else {
      throw parameter.invalid(Self.noText)
    }
    try parameter.bind(text)
  }

  static let noText =
    "A date outside the years 0 to 9999 has no ISO 8601 text: store it with @Column(as: .unixSeconds)"

  static var currentTime: String { "strftime('%Y-%m-%d %H:%M:%f', 'now')" }
}
