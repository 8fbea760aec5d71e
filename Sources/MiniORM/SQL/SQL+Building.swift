extension SQL {
  /// `name(argument, argument)`.
  static func call(_ name: String, _ arguments: [SQL]) -> SQL {
    var sql = SQL(raw: name)
    sql.append(list(arguments))
    return sql
  }

  /// `(part, part)`.
  static func list(_ parts: [SQL]) -> SQL {
    var sql = SQL(raw: "(")
    sql.append(joined(parts, separator: ", "))
    sql.append(")")
    return sql
  }

  func appending(_ others: SQL...) -> SQL {
    var sql = self
    for other in others { sql.append(other) }
    return sql
  }
}
