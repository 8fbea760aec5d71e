extension SQL {
  /// Describes what the text is made of.
  /// - Returns: Whether the statement may be found by that: not where the SQL has to be looked at first, or
  ///   there is too much of it.
  func describe(in shape: inout StatementShape) -> Bool {
    guard !isSpecial else { return false }
    return Self.describe(parts, in: &shape)
  }

  /// Returns the same as one part among others, whose words say where it ends.
  func describeAsPart(in shape: inout StatementShape) -> Bool {
    shape.add(segments: parts.count)
    return Self.describe(parts, in: &shape)
  }

  /// What a word is the first of. Each part tells where it ends, so that no two texts have the same words.
  fileprivate enum Word: UInt {
    case nothing, text, column, value, list, row, table, alias, infix, infixValue, and
    /// Or more: with the number of segments.
    case segments
  }

  fileprivate static func describe(_ segments: [Segment], in shape: inout StatementShape) -> Bool {
    // By indices: an iterator copies each segment.
    for index in segments.indices {
      switch segments[index] {
      case .text(let part):
        shape.add(.text)
        shape.add(part)
      case .value: shape.add(.value)
      case .row(let values):
        shape.add(.row)
        shape.add(values.text)
      case .list: shape.add(.list)
      case .column(let name):
        shape.add(.column)
        shape.add(name)
      case .table(let source, let name, let other):
        shape.add(.table)
        shape.add(source)
        shape.add(name)
        shape.add(other)
      case .alias(let name):
        shape.add(.alias)
        shape.add(name)
      case .part(let part): guard part.describe(in: &shape) else { return false }
      case .and: shape.add(.and)
      case .named, .commonName, .open, .close, .reads, .written: shape.add(.nothing)
      case .argument, .commonTable, .problem: return false
      }
    }
    return true
  }

  /// What the words of a shape stand for.
  struct ShapeContent: Sendable {
    /// The same without the values.
    let sql: SQL
    /// The names of the operators, which become other texts where the SQL is put in order.
    let operators: [String]
  }

  var shapeContent: ShapeContent {
    var operators: [String] = []
    Self.collectOperators(of: parts, into: &operators)
    let sql = SQL(
      segments: segments.compactMap { segment in
        switch segment {
        case .value, .list, .argument: .text("?")
        case .row(let row): .text(row.text)
        // They hold values.
        case .reads, .written: nil
        default: segment
        }
      })
    return ShapeContent(sql: sql, operators: operators)
  }

  private static func collectOperators(of segments: [Segment], into operators: inout [String]) {
    for case .part(let part) in segments {
      operators.append(part.name)
      collectOperators(of: part.segments, into: &operators)
      for operand in [part.left, part.right].compactMap(\.self) {
        collectOperators(of: [.part(operand)], into: &operators)
      }
    }
  }

  /// Binds the values to the statement that was made of this.
  func bind(to statement: borrowing Statement) throws(DatabaseError) {
    var index: Int32 = 1
    try bind(to: statement, at: &index)
  }

  /// Binds the values to the statement that was made of this, among others.
  /// - Parameter index: The number of the first parameter, and then of the one after the last.
  func bind(to statement: borrowing Statement, at index: inout Int32) throws(DatabaseError) {
    try Self.bind(parts, to: statement, at: &index)
  }

  fileprivate static func bind(
    _ segments: [Segment], to statement: borrowing Statement, at index: inout Int32
  ) throws(DatabaseError) {
    for place in segments.indices {
      switch segments[place] {
      case .value(let value):
        try value.bind(to: statement.parameter(index))
        index += 1
      case .row(let row):
        try row.bind(to: statement, at: index)
        index += Int32(row.count)
      case .list(let list):
        try list.bind(to: statement.parameter(index))
        index += 1
      case .argument(let argument):
        try argument.bind(to: statement.parameter(index))
        index += 1
      case .part(let part): try part.bind(to: statement, at: &index)
      default: break
      }
    }
  }
}

extension SQLPart {
  /// Describes what its text is made of: see ``SQL/describe(in:)``.
  final func describe(in shape: inout StatementShape) -> Bool {
    guard let left = uncountedLeft else {
      if let columnName {
        shape.add(.column)
        shape.add(columnName)
        return true
      }
      shape.add(segments: segments.count)
      return SQL.describe(segments, in: &shape)
    }
    shape.add(uncountedRight == nil ? .infixValue : .infix)
    shape.add(name)
    guard left._withUnsafeGuaranteedRef({ $0.describe(in: &shape) }) else { return false }
    return uncountedRight?._withUnsafeGuaranteedRef { $0.describe(in: &shape) } ?? true
  }

  /// Binds the values to the statement that was made of this, among others.
  /// - Parameter index: The number of the first parameter, and then of the one after the last.
  final func bind(
    to statement: borrowing Statement, at index: inout Int32
  ) throws(DatabaseError) {
    guard let left = uncountedLeft else {
      if columnName == nil { try SQL.bind(segments, to: statement, at: &index) }
      return
    }
    try Self.bind(left, to: statement, at: &index)
    if let right = uncountedRight { return try Self.bind(right, to: statement, at: &index) }
    try value.bind(to: statement.parameter(index))
    index += 1
  }

  private static func bind(
    _ operand: Unmanaged<SQLPart>, to statement: borrowing Statement, at index: inout Int32
  ) throws(DatabaseError) {
    var failure: DatabaseError?
    operand._withUnsafeGuaranteedRef { operand in
      do throws(DatabaseError) {
        try operand.bind(to: statement, at: &index)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

extension StatementShape {
  fileprivate mutating func add(_ word: SQL.Word) { add(word.rawValue) }

  fileprivate mutating func add(segments count: Int) {
    add(SQL.Word.segments.rawValue + UInt(count))
  }
}

/// What becomes a statement, and need not be put together where its statement has been made before.
protocol DescribedSQL {
  /// Describes what the text is made of, so that no other text has the same words. What the words stand for
  /// is part of `composed` too.
  /// - Returns: Whether the statement may be found by that.
  func describe(in shape: inout StatementShape) -> Bool
  /// Binds the values to the statement that was made of it.
  func bind(to statement: borrowing Statement) throws(DatabaseError)
  /// The whole.
  var composed: SQL { get }
}

extension SQL: DescribedSQL {
  var composed: SQL { self }
}

extension SQL {
  /// Returns the same with the values of rows in place of the rows.
  /// - Parameter failure: What keeps them from being stored.
  func withStoredRows(_ failure: inout DatabaseError?) -> SQL {
    // Not among operands.
    guard parts.contains(where: { if case .row = $0 { true } else { false } }) else { return self }
    var sql = SQL(segments: [])
    for segment in segments {
      guard case .row(let row) = segment else {
        sql.append(segment)
        continue
      }
      do throws(DatabaseError) {
        for segment in try row.segments { sql.append(segment) }
      } catch {
        failure = failure ?? error
        sql.append(row.text)
      }
    }
    return sql
  }
}
