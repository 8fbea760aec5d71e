/// A SELECT that reads a single table, with the rows that its WHERE clause can select.
///
/// Queries record their tables (``RowsRead``), and operators know their operands, so only raw SQL
/// is inspected. For an unknown query, every change of its tables wakes the observers.
struct SingleTableQuery {
  let table: ExactText
  let chosen: ChosenRows?

  init?(_ sql: SQL, arguments: [any ColumnValue] = []) {
    guard case .note(.reads) = sql.parts.first else { return nil }
    var source: (table: String, condition: SQL?)?
    for segment in sql.segments {
      guard case .note(let note) = segment else { continue }
      switch note {
      case .reads(.table(let table, let condition)):
        guard source == nil else { return nil }
        source = (table, condition)
      case .reads(.others), .commonTable, .problem: return nil
      case .written(let sql): guard sql.standsAlone else { return nil }
      case .reads(.subquery), .named, .commonName, .open, .close: continue
      }
    }
    guard let source else { return nil }
    table = source.table.folded
    let rows = ChosenKeys(source.condition?.parts ?? [], arguments)
    chosen = rows.map { [table] in
      ChosenRows(table: table, column: $0.column, values: $0.values)
    }
  }
}

enum RowsRead: Sendable {
  /// Rows of a table, by its name in the file, that meet a condition.
  case table(String, condition: SQL?)
  case subquery
  case others
}

/// The only values of a column for which a condition can be true.
private struct ChosenKeys {
  let column: ExactText
  let values: Set<Int64>

  private init(_ column: ExactText, _ values: Set<Int64>) {
    (self.column, self.values) = (column, values)
  }

  init?(_ condition: [SQL.Segment], _ arguments: [any ColumnValue]) {
    let terms = condition.split {
      if case .and = $0 { true } else { false }
    }
    let keys = terms.compactMap { term -> ChosenKeys? in
      guard term.count == 1, case .operation(let part)? = term.first else { return nil }
      return ChosenKeys(part, arguments)
    }
    guard let least = Self.least(keys) else { return nil }
    self = least
  }

  private static func least(_ keys: [ChosenKeys]) -> ChosenKeys? {
    keys.min { $0.values.count < $1.values.count }
  }

  // Recursion is safe: SQLPart limits the nesting of operators.
  private init?(_ part: SQLPart, _ arguments: [any ColumnValue]) {
    guard let left = part.left else {
      self.init(part.segments, arguments)
      return
    }
    func value(_ segment: SQL.Segment?) -> Int64? {
      guard case .parameter(let parameter)? = segment else { return nil }
      let value =
        if case .argument(let argument) = parameter {
          argument.value(among: arguments)
        } else {
          parameter.values.first
        }
      guard let value, case .integer(let key) = try? DatabaseValue(storing: value) else {
        return nil
      }
      return key
    }
    let right = part.right ?? SQLPart(SQL(binding: part.value))
    switch part.name {
    case "AND":
      let keys = [left, right].compactMap { ChosenKeys($0, arguments) }
      guard let least = Self.least(keys) else { return nil }
      self = least
    case "OR":
      guard let first = ChosenKeys(left, arguments), let second = ChosenKeys(right, arguments),
        first.column == second.column
      else { return nil }
      self.init(first.column, first.values.union(second.values))
    case "=", "IS":
      if case .name(.column(let column)) = left.only, let key = value(right.only) {
        self.init(column.name.folded, [key])
      } else if case .name(.column(let column)) = right.only, let key = value(left.only) {
        self.init(column.name.folded, [key])
      } else {
        return nil
      }
    case "IN":
      guard case .name(.column(let column)) = left.only,
        case .parameter(.list(let list)) = right.only,
        list.values.count <= ChosenRows.limit
      else { return nil }
      var keys: Set<Int64> = []
      for element in list.values {
        guard let key = value(.parameter(.value(element))) else { return nil }
        keys.insert(key)
      }
      self.init(column.name.folded, keys)
    default: return nil
    }
  }
}

extension SQLPart {
  fileprivate var only: SQL.Segment? { left == nil && segments.count == 1 ? segments[0] : nil }
}

extension SQL {
  fileprivate var standsAlone: Bool {
    var parts: [WrittenExpression.Part] = []
    for segment in segments {
      switch segment {
      case .text(let text): parts.append(.text(text))
      case .name(.column), .parameter(.value), .parameter(.argument): parts.append(.operand)
      case .parameter(.list): parts.append(.list)
      case .and: parts.append(.text(" AND "))
      case .note(.named), .note(.open), .note(.close), .note(.written): continue
      case .name, .parameter, .operation, .note: return false
      }
    }
    return WrittenExpression(parts).standsAlone
  }
}
