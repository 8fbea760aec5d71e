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
