/// SQL text with the values to bind to its parameters.
///
/// Write SQL as a string literal: interpolated values are bound, never spliced into the text.
///
/// ```swift
/// let sql: SQL = "SELECT name FROM company WHERE id = \(id)"   // … WHERE id = ?
/// ```
public struct SQL: Sendable {
  enum Segment: Sendable {
    case text(String)
    /// A parameter with its value, or a row of parameters.
    case parameter(SQLParameter)
    case name(SQLName)
    case operation(SQLPart)
    case and
    case note(SQLNote)
  }

  /// In the order of construction. An operator with its operands is a single segment.
  private(set) var parts: [Segment]
  private(set) var hasParts = false
  /// True if a segment is a common table expression or an error.
  private(set) var isSpecial: Bool

  init(segments: [Segment]) {
    parts = segments
    hasParts = segments.contains(where: \.isOperation)
    isSpecial = segments.contains(where: \.isSpecial)
  }

  init(_ part: SQLPart) {
    (parts, isSpecial) = (part.left == nil ? part.segments : [.operation(part)], part.isSpecial)
    hasParts = part.left != nil || part.hasParts
  }

  /// In the order of the text, with operators resolved.
  var segments: [Segment] {
    guard hasParts else { return parts }
    var ordered: [Segment] = []
    for segment in parts { segment.append(to: &ordered) }
    return ordered
  }

  init(capacity: Int) {
    parts = []
    parts.reserveCapacity(capacity)
    isSpecial = false
  }

  /// Creates SQL from text without values.
  /// - Parameter text: The text. Never pass user input.
  public init(raw text: String) { (parts, isSpecial) = ([.text(text)], false) }

  init(binding value: any ColumnValue) { (parts, isSpecial) = ([.parameter(.value(value))], false) }

  init(listing values: [any ColumnValue]) {
    (parts, isSpecial) = ([.parameter(.list(ValueList(values)))], false)
  }

  init(column name: String, of table: String) {
    (parts, isSpecial) = ([.name(.column(ColumnName(name, of: table)))], false)
  }

  mutating func append(_ other: SQL) {
    parts += other.parts
    if other.hasParts { hasParts = true }
    if other.isSpecial { isSpecial = true }
  }

  mutating func append(_ other: String) { parts.append(.text(other)) }

  mutating func append(_ segment: Segment) {
    parts.append(segment)
    if segment.isOperation { hasParts = true }
    if segment.isSpecial { isSpecial = true }
  }

  mutating func append(written sql: SQL) {
    append(.note(.written(sql)))
    append(sql)
  }

  mutating func append(_ part: SQLPart) {
    append(SQL(part))
  }

  mutating func record(_ problem: DatabaseError?) {
    if let problem { append(.note(.problem(problem))) }
  }

  var problem: DatabaseError? {
    guard isSpecial else { return nil }
    for case .note(.problem(let problem)) in segments { return problem }
    return nil
  }

  static func joined(_ parts: [SQL], separator: String) -> SQL {
    var sql = SQL(segments: [])
    sql.parts.reserveCapacity(parts.reduce(parts.count) { $0 + $1.parts.count })
    for (index, part) in parts.enumerated() {
      if index > 0 { sql.append(separator) }
      sql.append(part)
    }
    return sql
  }
}

extension SQL.Segment {
  fileprivate var isSpecial: Bool {
    switch self {
    case .note(let note): note.isSpecial
    case .operation(let part): part.isSpecial
    case .text, .parameter, .name, .and: false
    }
  }

  fileprivate var isOperation: Bool { if case .operation = self { true } else { false } }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Creates SQL from a string literal.
  @_documentation(visibility: internal)
  public init(stringLiteral value: String) { self.init(raw: value) }

  /// Creates SQL from a string literal with interpolated values.
  @_documentation(visibility: internal)
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// Collects the text and the values of a string literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: SQL

    /// Creates an empty interpolation.
    @_documentation(visibility: internal)
    public init(literalCapacity: Int, interpolationCount: Int) { sql = SQL(segments: []) }

    /// Appends text.
    @_documentation(visibility: internal)
    public mutating func appendLiteral(_ literal: String) { sql.append(literal) }

    // A parameter without `?` would make the compiler warn of an optional value in a text.
    /// Appends a value, which is bound to a parameter; nil is NULL.
    ///
    /// A `Date`, a `UUID` or a `Decimal` has several stored forms, and names one: `\(date, as: .text)`.
    public mutating func appendInterpolation<Value: ColumnValue>(_ value: Value?)
    where Value._StoredFormats == _OneStoredFormat {
      sql.append(value.map { SQL(binding: $0) } ?? SQL(binding: value))
    }

    /// Appends a `Date`, a `UUID` or a `Decimal` in a storage format; nil is NULL.
    ///
    /// ```swift
    /// try db.execute("DELETE FROM article WHERE arrived < \(cutoff, as: .unixSecondsReal)")
    /// ```
    /// The statement throws ``DatabaseError`` with the operation `bind` if the type does not have
    /// the format.
    /// - Parameters:
    ///   - value: The value.
    ///   - format: The column's format, or ``ColumnStorage/text`` for a column without `as:`.
    public mutating func appendInterpolation<Value: ColumnValue>(
      _ value: Value?, as format: ColumnStorage
    ) {
      append(format) { SQL(binding: value.map($0.encode) ?? DatabaseValue.null) }
    }

    /// Appends a list of values in a storage format: `IN \(ids, as: .uuidBytes)`.
    @_disfavoredOverload
    public mutating func appendInterpolation<Values: Sequence>(
      _ values: Values, as format: ColumnStorage
    ) where Values.Element: ColumnValue {
      append(format) { SQL(listing: values.map($0.encode)) }
    }

    private mutating func append<Value: ColumnValue>(
      _ format: ColumnStorage, _ bound: (Coding<Value>) -> SQL
    ) {
      do throws(DatabaseError) {
        sql.append(bound(try format.coding(of: Value.self)))
      } catch {
        sql.record(error)
      }
    }

    /// Appends SQL with its values, so that raw SQL can be built from parts.
    public mutating func appendInterpolation(_ sql: SQL) { self.sql.append(sql) }

    // Disfavored, because `[UInt8]` and `Data` are values of a column.
    /// Appends a list of values, which are bound: `IN \(ids)`. The list may be empty, and have any
    /// length.
    @_disfavoredOverload
    public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
    where Values.Element: ColumnValue, Values.Element._StoredFormats == _OneStoredFormat {
      sql.append(SQL(listing: values.map { $0 }))
    }

    /// Appends a quoted identifier, such as the name of a table or a column.
    public mutating func appendInterpolation(identifier name: String) {
      sql.append(name.quotedIdentifier)
    }

    /// Appends text unchanged. Never pass user input.
    public mutating func appendInterpolation(raw sql: String) { self.sql.append(sql) }
  }
}
