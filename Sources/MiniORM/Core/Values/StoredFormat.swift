#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredFormat: Sendable {
  let type: (any Any.Type)?
  let dates: DateStorage?

  enum Meeting: Equatable {
    /// Equal values have equal stored values.
    case equal
    /// Both formats store dates. The query converts one side exactly.
    case converted
    /// Equal values have different stored values, which the query does not convert.
    case refused
  }

  func meeting(_ other: StoredFormat) -> Meeting {
    if let dates, let others = other.dates { return dates == others ? .equal : .converted }
    guard let type, let others = other.type, type != others else { return .equal }
    let (kind, otherKind) = (Kind(type), Kind(others))
    return kind == otherKind || kind == .any || otherKind == .any ? .equal : .refused
  }

  func refusal(_ operand: String, _ other: StoredFormat, _ otherOperand: String) -> DatabaseError {
    .query(
      "\(operand) and \(otherOperand) store equal values differently, as \(name) and \(other.name): "
        + "declare both columns with the same type and the same @Column(as:)")
  }

  var name: String { type.map { "\($0)" } ?? "SQL" }

  /// The part of a format that decides which stored values are equal. Plain numbers and texts share
  /// a kind: SQLite's affinities compare their values.
  private enum Kind: Equatable {
    case any, plain, json
    case date(DateStorage)
    case scaled(Int)
    case custom(ObjectIdentifier)

    init(_ type: any Any.Type) {
      if let dates = DateStorage(of: type) {
        self = .date(dates)
      } else if type == DatabaseValue.self {
        self = .any
      } else if let scaled = type as? any ScaledStorage.Type {
        self = .scaled(scaled.digits)
      } else if type is any JSONStored.Type {
        self = .json
      } else if let raw = type as? any RawRepresentable.Type, let raw = Kind.raw(raw) {
        self = raw
      } else if type is any ColumnRepresentation.Type || type == UUID.self || type == Decimal.self {
        self = .custom(ObjectIdentifier(type))
      } else {
        self = .plain
      }
    }

    private static func raw<Value: RawRepresentable>(_ type: Value.Type) -> Kind? {
      guard let raw = Value.RawValue.self as? any ColumnValue.Type,
        (type as? any ColumnValue.Type)?.columnType == raw.columnType
      else { return nil }
      return Kind(raw)
    }
  }
}

extension StoredFormat {
  init(of type: (any Any.Type)?) {
    self.init(type: type, dates: type.flatMap { DateStorage(of: $0) })
  }
}

extension DateStorage {
  /// Creates the format of a date type, or nil for a type that does not store dates. An optional
  /// must be unwrapped.
  init?(of type: any Any.Type) {
    guard let type = type as? any TimeStored.Type else { return nil }
    self = type.dates
  }
}

/// A type that stores dates: `Date` or a representation of dates.
protocol TimeStored: ColumnValue {
  static var dates: DateStorage { get }
  /// The current time as SQL.
  static var currentTime: String { get }
  /// The units of a stored count. Nil for other formats.
  static var unitsPerSecond: Int64? { get }
  /// Encodes a date for comparisons with stored values. Nil if the stored form compares correctly.
  static func compared(_ date: Date) -> (any ColumnValue)?
  init(date: Date)
  var date: Date { get }
}

extension TimeStored {
  static var unitsPerSecond: Int64? { nil }

  static func compared(_ date: Date) -> (any ColumnValue)? {
    unitsPerSecond.flatMap { date.count(comparedIn: $0) }
  }
}

extension TimeStored where Self: ColumnRepresentation<Date> {
  init(date: Date) { self.init(date) }
  var date: Date { value }
}

extension UnixSeconds: TimeStored {
  static var dates: DateStorage { .seconds }
  static var unitsPerSecond: Int64? { 1 }
  static var currentTime: String { "unixepoch()" }
}

extension UnixMilliseconds: TimeStored {
  static var dates: DateStorage { .milliseconds }
  static var unitsPerSecond: Int64? { 1000 }
  static var currentTime: String { "CAST(round(unixepoch('subsec') * 1000) AS INTEGER)" }
}

extension UnixSecondsReal: TimeStored {
  static var dates: DateStorage { .real }
  static var currentTime: String { "unixepoch('subsec')" }
}
