#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The format of a column's values. A file records formats, because the declared type is not
/// enough: `unixSeconds` and `unixMilliseconds` are both INTEGER.
package struct ColumnFormat: Hashable, Sendable, CustomStringConvertible {
  /// A word, for example `date` or `decimal(2)`. If the Swift type decides which values can be
  /// read, the type follows: `json [String]`, `text Size`.
  package let name: ExactText

  package var description: String { name.string }

  package enum Kind: Equatable {
    case integer, bool, double, float, text, blob, any
    case date, iso8601, textSeconds, unixSeconds, unixSecondsReal, unixMilliseconds
    case uuid, uuidBytes, uppercaseUUID
    case decimal
    case scaled(Int)
    /// A text, such as a URL or JSON, of which the Swift type cannot read every value.
    case otherText
    /// A user-defined type, with its declared type.
    case custom(ColumnType)
    /// A format of a newer version of MiniORM.
    case unknown
  }

  package init(name: String) { self.name = ExactText(name) }

  package init(of type: any ColumnValue.Type) { self.init(name: Self.name(of: type)) }

  private static let types: [(type: any ColumnValue.Type, word: String, kind: Kind)] = [
    (Bool.self, "bool", .bool), (Double.self, "double", .double), (Float.self, "float", .float),
    (String.self, "text", .text), (Data.self, "blob", .blob), ([UInt8].self, "blob", .blob),
    (DatabaseValue.self, "any", .any), (Date.self, "date", .date),
    (UnixSeconds.self, "unixSeconds", .unixSeconds),
    (UnixSecondsReal.self, "unixSecondsReal", .unixSecondsReal),
    (UnixMilliseconds.self, "unixMilliseconds", .unixMilliseconds),
    (ISO8601Date.self, "iso8601", .iso8601), (TextSeconds.self, "textSeconds", .textSeconds),
    (UUID.self, "uuid", .uuid), (UUIDBytes.self, "uuidBytes", .uuidBytes),
    (UppercaseUUID.self, "uppercaseUUID", .uppercaseUUID), (Decimal.self, "decimal", .decimal),
    (URL.self, "url", .otherText),
  ]
  private static let names = Dictionary(
    types.map { (ObjectIdentifier($0.type), $0.word) }, uniquingKeysWith: { first, _ in first })
  private static let words = Dictionary(
    types.map { ($0.word, $0.kind) } + [("json", .otherText)],
    uniquingKeysWith: { first, _ in first })

  private static func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> String {
    "\(Value.isSigned ? "int" : "uint")\(Value.bitWidth)"
  }

  private static func name(of type: any ColumnValue.Type) -> String {
    if let name = names[ObjectIdentifier(type)] { return name }
    if let integer = type as? any FixedWidthInteger.Type { return self.integer(integer) }
    if let scaled = type as? any ScaledStorage.Type { return "decimal(\(scaled.digits))" }
    if let json = type as? any JSONStored.Type { return "json \(json.content)" }
    // A raw-representable type stores its raw value if both have the same column type.
    if let raw = (type as? any RawRepresentable.Type).flatMap({ rawType(of: $0) }),
      raw.columnType == type.columnType
    {
      return "\(name(of: raw).prefix { $0 != " " }) \(type)"
    }
    return "\(type.columnType.rawValue) \(type)"
  }

  private static func rawType<Value: RawRepresentable>(of type: Value.Type)
    -> (any ColumnValue.Type)?
  { Value.RawValue.self as? any ColumnValue.Type }

  package var kind: Kind {
    let word = String(name.string.prefix { $0 != " " })
    if let kind = Self.words[word] { return kind }
    if word.startsWithBytes(of: "int") || word.startsWithBytes(of: "uint") { return .integer }
    if word.startsWithBytes(of: "decimal(") {
      return Int(word.dropFirst("decimal(".count).dropLast()).map(Kind.scaled) ?? .unknown
    }
    return ColumnType(rawValue: word).map(Kind.custom) ?? .unknown
  }

  /// True if the Swift default is usually a literal, and not a call such as `Date()`.
  var hasLiterals: Bool {
    [.integer, .bool, .double, .float, .text].contains(kind) && !name.string.contains(" ")
  }

  /// True if a stored integer is a count of units, such as cents or milliseconds.
  var hasUnit: Bool {
    switch kind {
    case .unixSeconds, .unixSecondsReal, .unixMilliseconds, .scaled: true
    default: false
    }
  }

  /// True for dates, UUIDs and decimals.
  var hasAlternatives: Bool { hasUnit || spelledType != nil || kind == .uuidBytes }

  var spelledType: (any ColumnValue.Type)? {
    switch kind {
    case .date: Date.self
    case .iso8601: ISO8601Date.self
    case .textSeconds: TextSeconds.self
    case .uuid: UUID.self
    case .uppercaseUUID: UppercaseUUID.self
    case .decimal: Decimal.self
    default: nil
    }
  }

  /// Returns the SQL that rewrites a value as MiniORM would write it.
  func canonical(_ value: String) -> String {
    "\(FormatFunctions.canonical)(\(value), \(name.string.quotedLiteral))"
  }

  /// An SQL condition that is true only for readable values; nil if there is none. The model's type
  /// decides about all other values, so the condition only avoids calls of Swift code.
  func readable(_ column: String) -> String? {
    switch name {
    case "bool": return "typeof(\(column)) = 'integer' AND \(column) IN (0, 1)"
    case "double": return "typeof(\(column)) = 'real'"
    default:
      guard kind == .integer, let first = name.string.firstIndex(where: \.isNumber),
        let bits = Int(name.string[first...]), (1...64).contains(bits)
      else { return nil }
      let isSigned = !name.string.startsWithBytes(of: "u")
      let greatest = Int64.max >> (64 - (isSigned || bits == 64 ? bits : bits + 1))
      return "typeof(\(column)) = 'integer' "
        + "AND \(column) BETWEEN \(isSigned ? -greatest - 1 : 0) AND \(greatest)"
    }
  }

  /// The format of a column without a model.
  package static func undescribed(_ type: ExactText) -> ColumnFormat {
    switch type {
    case "INTEGER", "INT": ColumnFormat(name: "int64")
    case "REAL": ColumnFormat(name: "double")
    case "TEXT": ColumnFormat(name: "text")
    case "BLOB": ColumnFormat(name: "blob")
    default: ColumnFormat(name: "any")
    }
  }
}

// MARK: Conversions

extension ColumnFormat {
  /// How values are converted to a different format.
  package enum Conversion: Equatable {
    /// Values stay as stored, or SQLite casts them exactly to the new declared type.
    case stored
    /// Each value is converted by ``convert(_:to:)``.
    case computed
    /// No value can be converted exactly.
    case none
  }

  // Pairs of formats, when the type or the storage of a column changes:
  //
  //   the same word, two texts, two BLOBs, integer and Bool,
  //   numbers and texts of numbers                        stored, if SQLite's cast is exact
  //   from or to DatabaseValue                            stored; a unit cannot be guessed
  //   date, text → seconds, milliseconds, and among them  computed
  //   decimal, text, double, float → units, and among them  computed
  //   any number → float                                  computed
  //   UUID as text, in uppercase and as bytes             computed
  //   date, ISO 8601 and whole seconds as text            computed among them, and from text
  //   a text, date or DatabaseValue → URL                 computed
  //   all others: an integer and a unit, a BLOB and another class  none
  //
  // The new type must still be able to read each value, so a format that only narrows the values is
  // stored.

  package func conversion(to other: ColumnFormat) -> Conversion {
    let (from, to) = (kind, other.kind)
    if name == other.name { return .stored }
    switch (from, to) {
    case (.unknown, _), (_, .unknown): return .none
    case (_, .any) where !hasUnit: return .stored
    case (let from, let to) where from.isUUID && to.isUUID && from != to: return .computed
    case (.date, .date), (.uuid, .uuid), (.decimal, .decimal): return .stored
    case (let from, let to) where from.isDateText && to.isDateText: return .computed
    case (.text, .iso8601), (.text, .textSeconds): return .computed
    default: break
    }
    // Foundation escapes characters that a URL cannot contain. Such a URL differs from the text.
    if other.name == "url", from.isDateText || [.text, .otherText, .any].contains(from) {
      return .computed
    }
    if hasUnit || other.hasUnit {
      return from.isMoment && to.isMoment && to != .text
        || from.isNumber && to.isNumber && to != .text ? .computed : .none
    }
    if to == .float, from.mayHoldNumbers { return .computed }
    return from.isBlob == to.isBlob || from == .any || from == .custom(.any) ? .stored : .none
  }

  /// Returns an equal value in a different format; nil if there is none. Call only if
  /// ``conversion(to:)`` returns `computed`.
  package func convert(_ value: DatabaseValue, to other: ColumnFormat) -> DatabaseValue? {
    let value = asRead(value)
    do throws(DatabaseError) {
      switch (kind, other.kind) {
      case (let from, let to) where from.isUUID && to.isUUID:
        let uuid =
          from == .uuidBytes
          ? try value.value(as: UUIDBytes.self).value : try value.value(as: UUID.self)
        return switch to {
        case .uuidBytes: try DatabaseValue(storing: UUIDBytes(uuid))
        case .uppercaseUUID: try DatabaseValue(storing: UppercaseUUID(uuid))
        default: try DatabaseValue(storing: uuid)
        }
      case (_, .otherText):
        guard case .text(let text) = value, let url = URL(string: text),
          url.absoluteString.hasSameBytes(as: text)
        else { return nil }
        return value
      case (let from, let to) where from.isMoment && to.isMoment:
        return try Self.moment(value, from, to)
      case (let from, let to):
        return Self.number(value, from).flatMap { Self.stored($0, to) }
      }
    } catch {
      return nil
    }
  }

  /// Returns the double that a reader of the format gets for an integer. A column with NUMERIC
  /// affinity, such as DECIMAL or DATE, stores whole doubles as integers.
  private func asRead(_ value: DatabaseValue) -> DatabaseValue {
    guard [.double, .float, .unixSecondsReal].contains(kind), case .integer(let integer) = value,
      let double = Double(exactly: integer)
    else { return value }
    return .real(double)
  }

  private static func moment(_ value: DatabaseValue, _ from: Kind, _ to: Kind)
    throws(DatabaseError) -> DatabaseValue?
  {
    // Integer arithmetic does not round.
    switch (from, to, value) {
    case (.unixSeconds, .unixMilliseconds, .integer(let seconds)):
      let (count, overflows) = seconds.multipliedReportingOverflow(by: 1000)
      return overflows ? nil : .integer(count)
    case (.unixMilliseconds, .unixSeconds, .integer(let count)):
      return count.isMultiple(of: 1000) ? .integer(count / 1000) : nil
    default: break
    }
    func date(_ value: DatabaseValue, _ kind: Kind) throws(DatabaseError) -> Date {
      switch kind {
      case .unixSeconds: try value.value(as: UnixSeconds.self).value
      case .unixSecondsReal: try value.value(as: UnixSecondsReal.self).value
      case .unixMilliseconds: try value.value(as: UnixMilliseconds.self).value
      default: try value.value(as: Date.self)
      }
    }
    func stored(_ date: Date, _ kind: Kind) throws(DatabaseError) -> DatabaseValue {
      switch kind {
      case .iso8601: try DatabaseValue(storing: ISO8601Date(date))
      case .textSeconds: try DatabaseValue(storing: TextSeconds(date))
      case .unixSeconds: try DatabaseValue(storing: UnixSeconds(date))
      case .unixSecondsReal: try DatabaseValue(storing: UnixSecondsReal(date))
      case .unixMilliseconds: try DatabaseValue(storing: UnixMilliseconds(date))
      default: try DatabaseValue(storing: date)
      }
    }
    let moment = try date(value, from)
    let result = try stored(moment, to)
    guard try date(result, to) == moment else { return nil }
    // A number with more digits than a double holds would not convert back.
    let isCount = [.unixSeconds, .unixSecondsReal, .unixMilliseconds].contains(from)
    guard isCount else { return result }
    return try stored(date(result, to), from) == value ? result : nil
  }

  /// Returns the number in a value; for a double, with the shortest decimal digits that identify
  /// it.
  private static func number(_ value: DatabaseValue, _ kind: Kind) -> DecimalText? {
    switch (kind, value) {
    case (.scaled(let digits), .integer(let units)): DecimalText("\(units)e-\(digits)".utf8)
    case (.integer, .integer(let integer)), (.any, .integer(let integer)),
      (.custom, .integer(let integer)):
      DecimalText("\(integer)".utf8)
    case (.float, .real(let number)) where Double(Float(number)) != number: nil
    case (.float, .real(let number)), (.double, .real(let number)), (.any, .real(let number)),
      (.custom, .real(let number)):
      DecimalText(number.description.utf8)
    case (.decimal, .text(let text)), (.text, .text(let text)), (.otherText, .text(let text)),
      (.custom, .text(let text)):
      DecimalText(text.utf8)
    default: nil
    }
  }

  private static func stored(_ number: DecimalText, _ kind: Kind) -> DatabaseValue? {
    switch kind {
    case .scaled(let digits): return (try? number.units(scale: digits)).map { .integer($0) }
    case .decimal:
      guard let value = Decimal(string: number.description),
        DecimalText(value.description.utf8) == number
      else { return nil }
      return try? DatabaseValue(storing: value)
    case .double, .float:
      guard let value = Double(number.description), DecimalText(value.description.utf8) == number,
        kind == .double || Double(Float(value)) == value
      else { return nil }
      return .real(value)
    default: return nil
    }
  }
}

extension ColumnFormat.Kind {
  fileprivate var isMoment: Bool {
    isDateText || [.text, .unixSeconds, .unixSecondsReal, .unixMilliseconds].contains(self)
  }

  fileprivate var isDateText: Bool { [.date, .iso8601, .textSeconds].contains(self) }

  fileprivate var isUUID: Bool { [.uuid, .uuidBytes, .uppercaseUUID].contains(self) }

  /// True for decimal numbers. Integers are excluded, because an integer may count units.
  fileprivate var isNumber: Bool {
    if case .scaled = self { true } else { [.decimal, .text, .double, .float].contains(self) }
  }

  /// True if a Float can hold some of the values. Others would be rounded.
  fileprivate var mayHoldNumbers: Bool {
    if case .custom = self { return !isBlob }
    return [.integer, .double, .decimal, .text, .any, .otherText].contains(self)
  }

  fileprivate var isBlob: Bool { [.blob, .uuidBytes, .custom(.blob)].contains(self) }
}
