/// SQL text with the values to bind to its parameters.
///
/// Write one as a string literal: what you interpolate is bound, never spliced into the text.
///
/// ```swift
/// let sql: SQL = "SELECT name FROM company WHERE id = \(id)"   // … WHERE id = ?
/// ```
public struct SQL: Sendable {
  /// The text, with `?` where a value is bound.
  public private(set) var text: String

  // A question mark in the user's own text may stand in quotes, so each parameter's place is kept.
  struct Binding: Sendable {
    let offset: Int
    let value: any ColumnValue
  }
  private(set) var parameters: [Binding] = []

  /// The common table expressions that the text names and does not define.
  var commonTables: [CommonTable] = []

  /// A mistake that no type could tell. Running the SQL throws it.
  var problem: DatabaseError?
  /// The names that subqueries in the text give their tables.
  var nestedNames: [String] = []

  /// The values that are bound, in order.
  public var bindings: [any ColumnValue] { parameters.map(\.value) }

  /// SQL as it stands, without values.
  /// - Parameter text: The text, spliced as it is: never put a person's input here.
  public init(raw text: String) { self.text = text }

  init(binding value: any ColumnValue) {
    text = "?"
    parameters = [Binding(offset: 0, value: value)]
  }

  mutating func append(_ other: SQL) {
    let offset = text.utf8.count
    text += other.text
    for table in other.commonTables { add(table) }
    if problem == nil { problem = other.problem }
    for name in other.nestedNames where !nestedNames.contains(name) { nestedNames.append(name) }
    for binding in other.parameters {
      parameters.append(Binding(offset: offset + binding.offset, value: binding.value))
    }
  }

  mutating func append(_ other: String) { text += other }

  /// The same text with other values, by the numbers of their parameters.
  func binding(_ values: [Int32: any ColumnValue]) -> SQL {
    var sql = self
    sql.parameters = zip(Int32(1)..., parameters).map { number, binding in
      Binding(offset: binding.offset, value: values[number] ?? binding.value)
    }
    return sql
  }

  static func joined(_ parts: [SQL], separator: String) -> SQL {
    var sql = SQL(raw: "")
    for (index, part) in parts.enumerated() {
      if index > 0 { sql.append(separator) }
      sql.append(part)
    }
    return sql
  }

  /// The text with each value written as a literal, for where SQLite allows no parameter.
  /// - Parameters:
  ///   - qualifier: What to leave out of the text, and not of the values.
  ///   - replacement: What takes its place.
  func literalText(without qualifier: String = "", _ replacement: String = "")
    throws(DatabaseError) -> String
  {
    if let problem { throw problem }
    func bare(_ text: Substring) -> String {
      qualifier.isEmpty ? String(text) : String(text.replacing(qualifier, with: replacement))
    }
    var result = ""
    var start = text.utf8.startIndex
    for binding in parameters {
      let place = text.utf8.index(text.utf8.startIndex, offsetBy: binding.offset)
      let before = bare(text[start..<place])
      start = text.utf8.index(after: place)
      guard let list = binding.value as? ValueList else {
        result += before + (try DatabaseValue(binding.value).literal)
        continue
      }
      // The function that gives out a list exists on MiniORM's connections alone.
      let (head, tail) = ValueList.source
      result += before.dropLast(head.utf8.count) + (try list.literal)
      start = text.utf8.index(start, offsetBy: tail.utf8.count)
    }
    return result + bare(text[start...])
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
    public init(literalCapacity: Int, interpolationCount: Int) { sql = SQL(raw: "") }

    /// Appends text.
    /// - Parameter literal: The text.
    public mutating func appendLiteral(_ literal: String) { sql.append(literal) }

    /// Appends a parameter and binds a value to it.
    /// - Parameter value: The value.
    public mutating func appendInterpolation(_ value: some ColumnValue) {
      sql.append(SQL(binding: value))
    }

    /// Appends a column or another expression.
    /// - Parameter expression: The expression.
    public mutating func appendInterpolation<Value>(_ expression: Expression<Value>) {
      sql.append(expression.sql)
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
