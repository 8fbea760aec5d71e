#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A storage format of a type that has several, for `@Column(as:)` and for values in raw SQL.
public enum ColumnStorage: Sendable, Equatable {
  /// The default text of a `Date`, a `UUID` or a `Decimal`, for raw SQL. A property with this format
  /// has no `as:`.
  case text
  /// A Codable value as JSON text: ``JSON``.
  case json
  /// A date as whole seconds since 1970: ``UnixSeconds``.
  case unixSeconds
  /// A date as seconds since 1970 with a fraction, as FMDB stores dates: ``UnixSecondsReal``.
  case unixSecondsReal
  /// A date as whole milliseconds since 1970: ``UnixMilliseconds``.
  case unixMilliseconds
  /// A decimal number, such as money, as a whole number of its smallest units: ``ScaledDecimal``.
  /// - Parameter scale: The number of digits after the decimal point, 0 to 18, as a literal.
  case decimal(scale: Int)
  /// A date as text with `T` and `Z`, as many other programs write it: ``ISO8601Date``.
  case iso8601
  /// A date as text with whole seconds, as `CURRENT_TIMESTAMP` writes it: ``TextSeconds``.
  case textSeconds
  /// A UUID as 16 bytes: ``UUIDBytes``.
  case uuidBytes
  /// A UUID as text in uppercase, as many other programs write it: ``UppercaseUUID``.
  case uppercaseUUID
}

extension ColumnStorage {
  private static let decimals: [any ColumnRepresentation.Type] = [
    ScaledDecimal<DecimalScales.S0>.self, ScaledDecimal<DecimalScales.S1>.self,
    ScaledDecimal<DecimalScales.S2>.self, ScaledDecimal<DecimalScales.S3>.self,
    ScaledDecimal<DecimalScales.S4>.self, ScaledDecimal<DecimalScales.S5>.self,
    ScaledDecimal<DecimalScales.S6>.self, ScaledDecimal<DecimalScales.S7>.self,
    ScaledDecimal<DecimalScales.S8>.self, ScaledDecimal<DecimalScales.S9>.self,
    ScaledDecimal<DecimalScales.S10>.self, ScaledDecimal<DecimalScales.S11>.self,
    ScaledDecimal<DecimalScales.S12>.self, ScaledDecimal<DecimalScales.S13>.self,
    ScaledDecimal<DecimalScales.S14>.self, ScaledDecimal<DecimalScales.S15>.self,
    ScaledDecimal<DecimalScales.S16>.self, ScaledDecimal<DecimalScales.S17>.self,
    ScaledDecimal<DecimalScales.S18>.self,
  ]
  private static let others: [(storage: ColumnStorage, type: any ColumnRepresentation.Type)] = [
    (.unixSeconds, UnixSeconds.self), (.unixSecondsReal, UnixSecondsReal.self),
    (.unixMilliseconds, UnixMilliseconds.self), (.iso8601, ISO8601Date.self),
    (.textSeconds, TextSeconds.self), (.uuidBytes, UUIDBytes.self),
    (.uppercaseUUID, UppercaseUUID.self),
  ]

  /// Creates the format that a type stores; nil for the default format and for an application's
  /// own representation.
  init?(of type: any Any.Type) {
    if type is any JSONStored.Type {
      self = .json
    } else if let scaled = type as? any ScaledStorage.Type {
      self = .decimal(scale: scaled.digits)
    } else {
      guard let format = Self.others.first(where: { $0.type == type }) else { return nil }
      self = format.storage
    }
  }

  /// Returns the type that stores values in this format; nil if the property's type does not have
  /// the format.
  func representation<Value: Sendable>(of type: Value.Type)
    -> (any ColumnRepresentation.Type)?
  {
    let base = (type as? any Wrapping.Type)?.wrapped ?? type
    func value<Stored: ColumnRepresentation>(_ type: Stored.Type) -> any Any.Type {
      Stored.Value.self
    }
    let found: (any ColumnRepresentation.Type)? =
      if case .decimal(let scale) = self {
        Self.decimals.indices.contains(scale) ? Self.decimals[scale] : nil
      } else {
        Self.others.first { $0.storage == self }?.type
      }
    return found.flatMap { value($0) == base ? $0 : nil }
  }
}

extension ColumnStorage {
  /// Returns the coding of a type's values in this format.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the type does not have the format.
  func coding<Value: ColumnValue>(of type: Value.Type) throws(DatabaseError) -> Coding<Value> {
    func coding<Stored: ColumnRepresentation>(_ type: Stored.Type) -> Coding<Value>? {
      let coding = Coding(type)
      return coding as? Coding<Value> ?? coding.optional as? Coding<Value>
    }
    if let representation = representation(of: type), let coding = coding(representation) {
      return coding
    }
    if self == .text, Value.severalFormats != nil { return Coding() }
    throw DatabaseError(
      .bind, code: .misuse,
      "\(type) has no storage format .\(self): " + (Value.severalFormats ?? "leave out the format"))
  }
}

extension DatabaseValue {
  /// Creates the stored form of a `Date`, a `UUID` or a `Decimal`; nil gives NULL.
  ///
  /// ```swift
  /// try db.execute("DELETE FROM article WHERE arrived < ?", [DatabaseValue(cutoff, as: .unixSecondsReal)])
  /// ```
  /// - Parameters:
  ///   - value: The value.
  ///   - format: The column's format, or ``ColumnStorage/text`` for a column without `as:`.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the type does not have the format, or
  ///   the value cannot be stored.
  public init<Value: ColumnValue>(_ value: Value?, as format: ColumnStorage) throws(DatabaseError) {
    let coding = try format.coding(of: Value.self)
    guard let value else {
      self = .null
      return
    }
    try self.init(storing: coding.encode(value))
  }
}
