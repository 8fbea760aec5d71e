/// SQL text with the values to bind to its parameters.
///
/// Write one as a string literal: interpolated values are bound, never spliced into the text.
///
/// ```swift
/// let sql: SQL = "SELECT name FROM company WHERE id = \(id)"   // … WHERE id = ?
/// ```
public struct SQL: Sendable {
  /// A part of the SQL. The parts become text once, when the whole is complete.
  enum Segment: Sendable {
    /// Text as it stands.
    case text(String)
    /// A parameter with its value.
    case value(any ColumnValue)
    /// A row of VALUES, which binds its values itself.
    case row(any InsertedValues)
    /// The values of an IN, which are one parameter.
    case list(ValueList)
    /// A parameter whose value is given when a prepared query runs.
    indirect case argument(PreparedArgument)
    /// A column, with the name of its table in the query.
    case column(ColumnName)
    /// A table in FROM: its SQL, its own name, and its name in the query.
    indirect case table(source: String, name: String, alias: String)
    /// The name of a subquery in FROM.
    case alias(String)
    /// The name of a table in the file, if it appears in a text.
    case named(String)
    /// Marks the table that follows as a common table expression.
    case commonName
    /// The names of tables for what follows, up to the end of the query.
    case open([String])
    case close
    /// A common table expression that the SQL names but does not define.
    case commonTable(CommonTable)
    /// A mistake that the type system cannot catch. Running the SQL throws it.
    indirect case problem(DatabaseError)
    /// An operator with its operands.
    case part(SQLPart)
    /// AND between the conditions of a WHERE.
    case and
    /// Says what the SELECT reads that follows, or is around. No text.
    case reads(RowsRead)
    /// Says that what follows is this, which the user has written. No text.
    case written(SQL)
  }

  /// The segments as they were put together, with operators among them.
  private(set) var parts: [Segment]
  /// Whether there is an operator among them.
  private(set) var hasParts = false
  /// Whether there is a common table expression or a mistake among the segments, which mostly there
  /// is not: then nobody needs to look for them.
  private(set) var isSpecial: Bool

  /// - Parameter segments: Segments, none of which is an operator.
  init(segments: [Segment]) {
    parts = segments
    isSpecial = segments.contains(where: \.isSpecial)
  }

  init(_ part: SQLPart) {
    (parts, isSpecial) = (part.left == nil ? part.segments : [.part(part)], part.isSpecial)
    hasParts = part.left != nil || part.hasParts
  }

  /// The segments in their order, without operators among them.
  var segments: [Segment] {
    guard hasParts else { return parts }
    var ordered: [Segment] = []
    for segment in parts { segment.append(to: &ordered) }
    return ordered
  }

  /// Creates empty SQL with room for segments.
  init(capacity: Int) {
    parts = []
    parts.reserveCapacity(capacity)
    isSpecial = false
  }

  /// Creates SQL from text as it is, without values.
  /// - Parameter text: The text, which is spliced as it is: never put user input here.
  public init(raw text: String) { (parts, isSpecial) = ([.text(text)], false) }

  init(binding value: any ColumnValue) { (parts, isSpecial) = ([.value(value)], false) }

  /// Creates a column, with the name of its table in the query.
  init(column name: String, of table: String) {
    (parts, isSpecial) = ([.column(ColumnName(name, of: table))], false)
  }

  mutating func append(_ other: SQL) {
    parts += other.parts
    if other.hasParts { hasParts = true }
    if other.isSpecial { isSpecial = true }
  }

  mutating func append(_ other: String) { parts.append(.text(other)) }

  mutating func append(_ segment: Segment) {
    parts.append(segment)
    if segment.isSpecial { isSpecial = true }
  }

  /// Appends SQL that the user has written.
  mutating func append(written sql: SQL) {
    append(.written(sql))
    append(sql)
  }

  mutating func append(_ part: SQLPart) {
    guard part.left != nil else { return append(SQL(part)) }
    parts.append(.part(part))
    hasParts = true
    if part.isSpecial { isSpecial = true }
  }

  /// Records a mistake that is thrown when the SQL runs. If there are several, the first is thrown.
  mutating func record(_ problem: DatabaseError?) {
    if let problem { append(.problem(problem)) }
  }

  /// The first mistake.
  var problem: DatabaseError? {
    guard isSpecial else { return nil }
    // Looked for among the segments in their order.
    for case .problem(let problem) in segments { return problem }
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
    case .commonTable, .problem: true
    default: false
    }
  }
}

/// The name of a column with that of its table in the query, and both as they stand in the text, which
/// is made once: a column of a model is part of many queries.
final class ColumnName: Sendable {
  let table: String
  let name: String
  let text: String

  init(_ name: String, of table: String) {
    (self.name, self.table) = (name, table)
    text = table.quotedIdentifier + "." + name.quotedIdentifier
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// Creates SQL from a string literal.
  /// - Parameter value: The text.
  public init(stringLiteral value: String) { self.init(raw: value) }

  /// Creates SQL from a string literal with interpolated values.
  /// - Parameter stringInterpolation: The text and the values.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// Collects the text and the values of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: SQL

    /// Creates an empty interpolation.
    /// - Parameters:
    ///   - literalCapacity: The size of the text.
    ///   - interpolationCount: The number of values.
    public init(literalCapacity: Int, interpolationCount: Int) { sql = SQL(segments: []) }

    /// Appends text.
    /// - Parameter literal: The text.
    public mutating func appendLiteral(_ literal: String) { sql.append(literal) }

    /// Appends a parameter and binds a value to it.
    /// - Parameter value: The value.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      sql.append(SQL(binding: value))
    }

    /// Appends a name, quoted.
    /// - Parameter name: The name of a table, a column or the like.
    public mutating func appendInterpolation(identifier name: String) {
      sql.append(name.quotedIdentifier)
    }

    /// Appends text as it is.
    /// - Parameter sql: The text: never put user input here.
    public mutating func appendInterpolation(raw sql: String) { self.sql.append(sql) }
  }
}
