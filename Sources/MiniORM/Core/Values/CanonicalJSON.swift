#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A collection that JSONEncoder may encode in a different order each time: a Set, a Dictionary
/// whose keys are not object keys, or a collection of these.
protocol UnorderedJSON {
  static var isUnordered: Bool { get }
  func canonicalJSON() throws -> Data
}

enum CanonicalJSON {
  /// Equal values have equal texts, except for a Set in a user-defined type.
  static func encode(_ value: some Encodable) throws -> Data {
    if let unordered = value as? any UnorderedJSON, type(of: unordered).isUnordered {
      return try unordered.canonicalJSON()
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }

  static func isUnordered<Value>(_ type: Value.Type) -> Bool {
    (type as? any UnorderedJSON.Type)?.isUnordered ?? false
  }

  fileprivate static func list(_ elements: [Data], _ open: String, _ close: String) -> Data {
    Data(open.utf8) + Data(elements.joined(separator: Data(",".utf8))) + Data(close.utf8)
  }
}

extension Set: UnorderedJSON where Element: Encodable {
  static var isUnordered: Bool { true }

  func canonicalJSON() throws -> Data {
    let elements = try map { try CanonicalJSON.encode($0) }
    return CanonicalJSON.list(elements.sorted { $0.lexicographicallyPrecedes($1) }, "[", "]")
  }
}

extension Array: UnorderedJSON where Element: Encodable {
  static var isUnordered: Bool { CanonicalJSON.isUnordered(Element.self) }

  func canonicalJSON() throws -> Data {
    CanonicalJSON.list(try map { try CanonicalJSON.encode($0) }, "[", "]")
  }
}

extension Optional: UnorderedJSON where Wrapped: Encodable {
  static var isUnordered: Bool { CanonicalJSON.isUnordered(Wrapped.self) }

  func canonicalJSON() throws -> Data {
    try map { try CanonicalJSON.encode($0) } ?? Data("null".utf8)
  }
}

extension Dictionary: UnorderedJSON where Key: Encodable, Value: Encodable {
  private static var hasObjectKeys: Bool { Key.self is any CodingKeyRepresentable.Type }

  static var isUnordered: Bool { !hasObjectKeys || CanonicalJSON.isUnordered(Value.self) }

  func canonicalJSON() throws -> Data {
    let isObject = Self.hasObjectKeys
    let pairs = try map { key, value in
      let name = (key as? any CodingKeyRepresentable)?.codingKey.stringValue
      return (
        try name.map { try CanonicalJSON.encode($0) } ?? CanonicalJSON.encode(key),
        try CanonicalJSON.encode(value)
      )
    }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    let texts = pairs.map { $0.0 + Data((isObject ? ":" : ",").utf8) + $0.1 }
    return isObject ? CanonicalJSON.list(texts, "{", "}") : CanonicalJSON.list(texts, "[", "]")
  }
}

/// A date in JSON: seconds since 2001, as JSONEncoder writes.
struct JSONDate: ColumnRepresentation {
  let value: Date
  static var columnType: ColumnType { .real }

  init(_ value: Date) { self.value = value }

  init(cell: borrowing Cell) throws(DatabaseError) {
    value = Date(timeIntervalSinceReferenceDate: try Double(cell: cell))
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.timeIntervalSinceReferenceDate.bind(to: parameter)
  }
}

extension JSONDate: TimeStored {
  static var dates: DateStorage { .reference }
  static var currentTime: String { "unixepoch('subsec') - \(Date.referenceOffset)" }
}

/// Bytes in JSON: base64.
struct JSONBytes: ColumnRepresentation {
  let value: Data
  static var columnType: ColumnType { .text }

  init(_ value: Data) { self.value = value }

  init(cell: borrowing Cell) throws(DatabaseError) {
    guard let data = Data(base64Encoded: try cell.text()) else {
      throw cell.invalid("Expected base64")
    }
    value = data
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try value.base64EncodedString().bind(to: parameter)
  }
}

extension Coding where Value: ColumnValue {
  static var element: Coding {
    let others: [any StoredCoding] = [
      Coding<Date>(JSONDate.self), Coding<Date?>(JSONDate?.self),
      Coding<Data>(JSONBytes.self), Coding<Data?>(JSONBytes?.self),
    ]
    for case let other as Coding in others { return other }
    return Coding()
  }
}
