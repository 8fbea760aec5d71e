#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A storage format of a type, such as ``JSON``, ``UnixSeconds`` or ``ScaledDecimal``.
///
/// `@Column(as:)` selects the format. A conforming type wraps a value, and stores the value in the
/// format. Queries and the model use the unwrapped value.
public protocol ColumnRepresentation<Value>: ColumnValue {
  /// The type of the property.
  associatedtype Value: Sendable
  /// Creates a wrapper around a value.
  init(_ value: Value)
  /// The value.
  var value: Value { get }
}

extension Optional: ColumnRepresentation where Wrapped: ColumnRepresentation {
  /// Creates a wrapper around a value, or `nil`.
  @_documentation(visibility: internal)
  @inlinable
  public init(_ value: Wrapped.Value?) { self = value.map(Wrapped.init) }

  /// The wrapped value, or `nil`.
  @_documentation(visibility: internal)
  @inlinable
  public var value: Wrapped.Value? { self?.value }
}

/// A Codable value stored as JSON text: `@Column(as: .json)`.
///
/// Equal values have equal texts: keys, and the elements of a `Set` or a `Dictionary`, are sorted.
/// A `Set` inside a type of your own has no fixed order: encode a sorted array there.
///
/// A text that is not JSON of the type throws on reading, and the error names the first missing key.
/// A value that cannot be encoded throws on binding. In an optional property, the text `null` is read as `nil`.
public struct JSON<Value: Codable & Sendable>: ColumnRepresentation {
  /// The value.
  public let value: Value

  /// Creates a wrapper around a value.
  public init(_ value: Value) { self.value = value }

  /// The declared type: TEXT.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .text }

  /// Decodes a TEXT.
  /// - Throws: ``DatabaseError`` with the operation `read` if the text is not JSON of the type.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let text = try cell.text()
    if let plain = PlainJSON.read(Value.self, from: text) {
      value = plain
      return
    }
    do {
      value = try jsonDecoder.decode(Value.self, from: Data(text.utf8))
    } catch DecodingError.keyNotFound(let key, _) {
      throw cell.invalid("The JSON for \(Value.self) has no key \(key.stringValue)")
    } catch {
      throw cell.invalid("The text is not valid JSON for \(Value.self)")
    }
  }

  /// Encodes and binds the value.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the value cannot be encoded or stored.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    if let plain = PlainJSON.write(value) { return try parameter.bind(plain) }
    let data: Data
    do {
      data = try CanonicalJSON.encode(value)
    } catch {
      throw parameter.invalid(
        "The value of type \(Value.self) cannot be encoded as JSON: numbers must be finite, and encode(to:) must not throw"
      )
    }
    try parameter.bind(String(decoding: data.withoutNegativeZeros, as: UTF8.self))
  }
}

/// Reads a date as a number, as `JSONEncoder` writes dates, or as a text, as SQL writes dates.
private let jsonDecoder = {
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .custom { decoder in
    let container = try decoder.singleValueContainer()
    if let interval = try? container.decode(Double.self) {
      return Date(timeIntervalSinceReferenceDate: interval)
    }
    if let date = Date(iso8601: try container.decode(String.self)) { return date }
    throw DecodingError.dataCorruptedError(
      in: container, debugDescription: "The text is not an ISO 8601 date")
  }
  return decoder
}()

/// A date stored as whole seconds since 1970: `@Column(as: .unixSeconds)`.
///
/// A fraction of a second is rounded, and half a second rounds away from 1970. A count of more than
/// 64 bits throws. A plain `Date`, stored as text, keeps the fraction.
public struct UnixSeconds: ColumnRepresentation {
  /// The date.
  public let value: Date

  /// Creates a wrapper around a date.
  public init(_ value: Date) { self.value = value }

  /// The declared type: INTEGER.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .integer }

  /// Reads an INTEGER of seconds.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    value = try Date(unixTime: cell, unitsPerSecond: 1)
  }

  /// Binds the nearest second. Half a second rounds away from 1970.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the count exceeds 64 bits.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.bind(to: parameter, unitsPerSecond: 1)
  }
}

/// A date stored as whole milliseconds since 1970: `@Column(as: .unixMilliseconds)`.
///
/// A finer fraction is rounded, and half a millisecond rounds away from 1970. A count of more than
/// 64 bits throws. A date that `Date(timeIntervalSince1970:)` creates from whole milliseconds is
/// equal after reading. A plain `Date`, stored as text, keeps every fraction.
public struct UnixMilliseconds: ColumnRepresentation {
  /// The date.
  public let value: Date

  /// Creates a wrapper around a date.
  public init(_ value: Date) { self.value = value }

  /// The declared type: INTEGER.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .integer }

  /// Reads an INTEGER of milliseconds.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    value = try Date(unixTime: cell, unitsPerSecond: 1000)
  }

  /// Binds the nearest millisecond. Half a millisecond rounds away from 1970.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the count exceeds 64 bits.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.bind(to: parameter, unitsPerSecond: 1000)
  }
}

/// A date stored as seconds since 1970 with a fraction: `@Column(as: .unixSecondsReal)`. FMDB and
/// other programs store `timeIntervalSince1970` in this format.
///
/// The stored `Double` has steps of about 0.2 microseconds for current dates. A number of the year
/// 1986 or later is written back unchanged. An INTEGER is read as well: in a column with NUMERIC
/// affinity, such as `DATE`, SQLite stores whole seconds as an INTEGER. A date that is not finite
/// throws. For a new column, prefer ``UnixMilliseconds``, or a plain `Date`, which keeps every
/// fraction.
public struct UnixSecondsReal: ColumnRepresentation {
  /// The date.
  public let value: Date

  /// Creates a wrapper around a date.
  public init(_ value: Date) { self.value = value }

  /// The declared type: REAL.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .real }

  /// Reads a REAL of seconds, or an INTEGER: in a column with NUMERIC affinity, such as `DATE`,
  /// SQLite stores whole seconds as an INTEGER.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let seconds = try cell.real()
    guard seconds.isFinite else {
      throw cell.invalid("The number is infinite or too large for a Date")
    }
    value = Date(timeIntervalSince1970: seconds)
  }

  /// Binds the seconds.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the date is not finite.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    guard value.timeIntervalSince1970.isFinite else {
      throw parameter.invalid(
        "The date is infinite or not a number: use an Optional for a missing date")
    }
    try parameter.bind(value.timeIntervalSince1970)
  }
}

extension Date {
  static let referenceOffset: Int64 = 978_307_200

  fileprivate init(unixTime cell: borrowing Cell, unitsPerSecond: Int64) throws(DatabaseError) {
    guard let date = Date(count: try cell.integer(), unitsPerSecond: unitsPerSecond) else {
      throw cell.invalid("The number is infinite or too large for a Date")
    }
    self = date
  }

  private init?(count: Int64, unitsPerSecond: Int64) {
    // Computed like Foundation, so that a date created from the same count is equal.
    if count.magnitude < 1 << 50 {
      self.init(timeIntervalSince1970: Double(count) / Double(unitsPerSecond))
      return
    }
    // Separate whole seconds: converting the whole count to Double would round first.
    let (seconds, rest) = count.floorDivided(by: unitsPerSecond)
    let (since2001, overflow) = seconds.subtractingReportingOverflow(Self.referenceOffset)
    guard !overflow else { return nil }
    self.init(
      timeIntervalSinceReferenceDate: Double(since2001) + Double(rest) / Double(unitsPerSecond))
  }

  func count(unitsPerSecond: Int64) -> Int64? {
    let interval = timeIntervalSinceReferenceDate
    let whole = interval.rounded(.down)
    guard let seconds = Int64(exactly: whole) else { return nil }
    let (since1970, overflow1) = seconds.addingReportingOverflow(Self.referenceOffset)
    // Like SQL's round(): a half rounds away from 1970.
    let units = (interval - whole) * Double(unitsPerSecond)
    let rest = Int64(since1970 < 0 ? (units - 0.5).rounded(.up) : units.rounded())
    let (scaled, overflow2) = since1970.multipliedReportingOverflow(by: unitsPerSecond)
    let (count, overflow3) = scaled.addingReportingOverflow(rest)
    return overflow1 || overflow2 || overflow3 ? nil : count
  }

  init?(milliseconds count: Int64) { self.init(count: count, unitsPerSecond: 1000) }

  var nearestMillisecond: Date? {
    count(unitsPerSecond: 1000).flatMap { Date(milliseconds: $0) }
  }

  /// Returns the date as a count of units since 1970, or as a number halfway between two counts,
  /// and nil for a date that is not a number.
  ///
  /// A date counts as equal within a microsecond, or within the precision of its `Double`: dates
  /// from different sources round the same moment differently.
  func count(comparedIn unitsPerSecond: Int64) -> DatabaseValue? {
    let interval = timeIntervalSinceReferenceDate
    guard !interval.isNaN else { return nil }
    guard let count = count(unitsPerSecond: unitsPerSecond),
      let nearest = Date(count: count, unitsPerSecond: unitsPerSecond)
    else { return .real((interval + Double(Self.referenceOffset)) * Double(unitsPerSecond)) }
    let difference = interval - nearest.timeIntervalSinceReferenceDate
    guard difference.magnitude > Swift.max(5e-7, timeIntervalSince1970.ulp) else {
      return .integer(count)
    }
    return .real(Double(count) + (difference < 0 ? -0.5 : 0.5))
  }

  fileprivate func bind(to parameter: borrowing Parameter, unitsPerSecond: Int64)
    throws(DatabaseError)
  {
    guard let count = count(unitsPerSecond: unitsPerSecond) else {
      throw parameter.invalid(
        "The date is infinite, not a number, or beyond 64 bits of seconds or milliseconds: use an Optional for a missing date"
      )
    }
    try parameter.bind(count)
  }
}

extension Data {
  /// Removes the sign of negative zeros, so that equal numbers have equal texts.
  fileprivate var withoutNegativeZeros: Data {
    guard contains(UInt8(ascii: "-")) else { return self }
    var result = Data(capacity: count)
    var rest = self[...]
    var isText = false
    while let byte = rest.popFirst() {
      if isText, byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
        result += [byte, escaped]
        continue
      }
      if byte == UInt8(ascii: "\"") { isText.toggle() }
      guard !isText, byte == UInt8(ascii: "-") else {
        result.append(byte)
        continue
      }
      let number = rest.prefix { !",]}".utf8.contains($0) }
      if number.contains(where: { !"0.".utf8.contains($0) }) { result.append(byte) }
    }
    return result
  }
}

extension Int64 {
  func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// A UUID stored as a BLOB of its 16 bytes: `@Column(as: .uuidBytes)`. A BLOB of any other length
/// throws on reading.
public struct UUIDBytes: ColumnRepresentation, Hashable {
  /// The UUID.
  public let value: UUID

  /// Creates a wrapper around a UUID.
  public init(_ value: UUID) { self.value = value }

  /// The declared type: BLOB.
  @_documentation(visibility: internal)
  public static var columnType: ColumnType { .blob }

  /// Reads a BLOB of 16 bytes.
  @_documentation(visibility: internal)
  public init(cell: borrowing Cell) throws(DatabaseError) {
    let uuid = try cell.withBlob { bytes -> UUID? in
      bytes.count == 16 ? UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) : nil
    }
    guard let uuid else { throw cell.invalid("Expected 16 bytes for a UUID") }
    value = uuid
  }

  /// Binds the 16 bytes.
  @_documentation(visibility: internal)
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try withUnsafeBytes(of: value.uuid) { [UInt8]($0) }.bind(to: parameter)
  }
}
