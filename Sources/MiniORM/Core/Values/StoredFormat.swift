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
    case any, plain, json, decimal, uuid, uuidBytes, uppercaseUUID
    case date(DateStorage)
    case scaled(Int)
    case custom(ObjectIdentifier)

    init(_ type: any Any.Type) {
      if let dates = DateStorage(of: type) {
        self = .date(dates)
      } else if type == UUID.self {
        self = .uuid
      } else if type == UUIDBytes.self {
        self = .uuidBytes
      } else if type == UppercaseUUID.self {
        self = .uppercaseUUID
      } else if type == Decimal.self {
        self = .decimal
      } else if type == DatabaseValue.self {
        self = .any
      } else if let scaled = type as? any ScaledStorage.Type {
        self = .scaled(scaled.digits)
      } else if type is any JSONStored.Type {
        self = .json
      } else if let raw = type as? any RawRepresentable.Type, let raw = Kind.raw(raw) {
        self = raw
      } else if type is any ColumnRepresentation.Type {
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
    if type == Date.self {
      self = .text
    } else if type == ISO8601Date.self {
      self = .iso8601
    } else if type == TextSeconds.self {
      self = .textSeconds
    } else if type == UnixSeconds.self {
      self = .seconds
    } else if type == UnixMilliseconds.self {
      self = .milliseconds
    } else if type == UnixSecondsReal.self {
      self = .real
    } else if type == JSONDate.self {
      self = .reference
    } else {
      return nil
    }
  }

  var unitsPerSecond: Int64? {
    switch self {
    case .seconds: 1
    case .milliseconds: 1000
    case .text, .iso8601, .textSeconds, .real, .reference: nil
    }
  }
}
