/// SQL text with the values to bind to its parameters.
///
/// Write one as a string literal: what you interpolate is bound, never spliced into the text.
///
/// ```swift
/// let sql: SQL = "SELECT name FROM company WHERE id = \(id)"   // … WHERE id = ?
/// ```
public struct SQL: Sendable {
  /// A part of the SQL. It becomes text once, when the whole is complete.
  enum Segment: Sendable {
    /// Text as it stands.
    case text(String)
    /// A parameter with its value.
    case value(any ColumnValue)
    /// The values of an IN, which are one parameter.
    case list(ValueList)
    /// A parameter whose value a run of a prepared query gives.
    case argument(PreparedArgument)
    /// A column, by the name that its table has in the query.
    case column(table: String, name: String)
    /// A table in FROM: its SQL, its own name, and the name that it has in the query.
    case table(source: String, name: String, alias: String)
    /// The name of a subquery in FROM.
    case alias(String)
    /// The name of a table in the file, where that stands in a text.
    case named(String)
    /// The table that follows is a common table expression.
    case commonName
    /// What follows, up to the end of the query, names its tables so.
    case open([String])
    case close
    /// A common table expression that the SQL names and does not define.
    case commonTable(CommonTable)
    /// A mistake that no type could tell. Running the SQL throws it.
    case problem(DatabaseError)
  }

  private(set) var segments: [Segment]

  init(segments: [Segment]) { self.segments = segments }

  /// SQL as it stands, without values.
  /// - Parameter text: The text, spliced as it is: never put a person's input here.
  public init(raw text: String) { segments = [.text(text)] }

  init(binding value: any ColumnValue) { segments = [.value(value)] }

  /// A column, by the name that its table has in the query.
  init(column name: String, of table: String) { segments = [.column(table: table, name: name)] }

  mutating func append(_ other: SQL) { segments += other.segments }

  mutating func append(_ other: String) { segments.append(.text(other)) }

  mutating func append(_ segment: Segment) { segments.append(segment) }

  /// Keeps a mistake, for running to throw. The first of several is what is thrown.
  mutating func record(_ problem: DatabaseError?) {
    if let problem { segments.append(.problem(problem)) }
  }

  /// The first mistake.
  var problem: DatabaseError? {
    for case .problem(let problem) in segments { return problem }
    return nil
  }

  static func joined(_ parts: [SQL], separator: String) -> SQL {
    var sql = SQL(segments: [])
    sql.segments.reserveCapacity(parts.reduce(parts.count) { $0 + $1.segments.count })
    for (index, part) in parts.enumerated() {
      if index > 0 { sql.append(separator) }
      sql.append(part)
    }
    return sql
  }
}

extension SQL: ExpressibleByStringInterpolation {
  /// SQL written as a literal.
  /// - Parameter value: The text.
  public init(stringLiteral value: String) { self.init(raw: value) }

  /// SQL written as a literal with values.
  /// - Parameter stringInterpolation: The text and the values.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// Collects the text and the values of a literal.
  public struct StringInterpolation: StringInterpolationProtocol {
    var sql: SQL

    /// Makes room for a literal.
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

    /// Appends text as it stands.
    /// - Parameter sql: The text: never put a person's input here.
    public mutating func appendInterpolation(raw sql: String) { self.sql.append(sql) }
  }
}
