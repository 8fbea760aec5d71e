extension SQL {
  static func call(_ name: String, _ arguments: [SQL]) -> SQL {
    var sql = SQL(raw: name)
    sql.append(list(arguments))
    return sql
  }

  static func list(_ parts: [SQL]) -> SQL {
    var sql = SQL(raw: "(")
    sql.append(joined(parts, separator: ", "))
    sql.append(")")
    return sql
  }

  static func and(_ left: SQL?, _ right: SQL?) -> SQL? {
    guard let left, let right else { return left ?? right }
    return left.and(right)
  }

  func and(_ other: SQL) -> SQL {
    var both = SQL(capacity: parts.count + 1 + other.parts.count)
    both.append(self)
    both.append(.and)
    both.append(other)
    return both
  }

  func appending(_ others: SQL...) -> SQL {
    var sql = self
    for other in others { sql.append(other) }
    return sql
  }
}

enum SQLNote: Sendable {
  /// A table of the file that raw text mentions.
  case named(String)
  /// The following table is a common table expression.
  case commonName
  /// The table names of the following SELECT, up to `close`.
  case open([String])
  case close
  /// A common table expression that the SQL uses. The start of the statement defines the
  /// expression.
  case commonTable(CommonTable)
  /// An error that the type system cannot catch, thrown when the SQL runs.
  indirect case problem(DatabaseError)
  /// The rows that the surrounding SELECT reads.
  case reads(RowsRead)
  /// The following segments are this raw SQL of the user.
  case written(SQL)

  var isSpecial: Bool {
    switch self {
    case .commonTable, .problem: true
    case .named, .commonName, .open, .close, .reads, .written: false
    }
  }
}
