/// A SELECT that reads a single table, with the rows that its WHERE clause can select.
///
/// Queries record their tables (``RowsRead``), and operators know their operands. For raw SQL, and
/// any other query, every change of its tables wakes the observers.
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
      case .reads(.others), .written, .commonTable, .problem: return nil
      case .reads(.subquery), .named, .commonName, .open, .close: continue
      }
    }
    guard let source else { return nil }
    let table = source.table.folded
    self.table = table
    chosen = source.condition.flatMap { SQLPart($0).chosenRows(of: table, arguments) }
  }
}

enum RowsRead: Sendable {
  /// Rows of a table, by its name in the file, that meet a condition.
  case table(String, condition: SQL?)
  case subquery
  case others
}

extension [ChosenRows] {
  fileprivate var least: ChosenRows? { self.min { $0.values.count < $1.values.count } }
}

extension SQLPart {
  /// Returns the only rows for which a condition can be true, if it compares a column with values.
  ///
  /// Recursion is safe: SQLPart limits the nesting of operators.
  fileprivate func chosenRows(
    of table: ExactText, _ arguments: [any ColumnValue]
  ) -> ChosenRows? {
    guard let left else {
      let terms = segments.split { if case .and = $0 { true } else { false } }
      return terms.compactMap { term -> ChosenRows? in
        guard term.count == 1, case .operation(let part)? = term.first else { return nil }
        return part.chosenRows(of: table, arguments)
      }.least
    }
    let right = right ?? SQLPart(SQL(binding: self.value))
    func rows(_ column: SQLPart, _ values: [any ColumnValue]?) -> ChosenRows? {
      guard case .name(.column(let column)) = column.only, let values,
        values.count <= ChosenRows.limit
      else { return nil }
      var keys: Set<Int64> = []
      for value in values {
        guard case .integer(let key) = try? DatabaseValue(storing: value) else { return nil }
        keys.insert(key)
      }
      return ChosenRows(table: table, column: column.name.folded, values: keys)
    }
    func value(_ part: SQLPart) -> [any ColumnValue]? {
      guard case .parameter(let parameter) = part.only else { return nil }
      guard case .argument(let argument) = parameter else {
        return parameter.values.first.map { [$0] }
      }
      return argument.value(among: arguments).map { [$0] }
    }
    switch name {
    case "AND":
      return [left, right].compactMap { $0.chosenRows(of: table, arguments) }.least
    case "=", "IS": return rows(left, value(right)) ?? rows(right, value(left))
    case "IN":
      guard case .parameter(.list(let list)) = right.only else { return nil }
      return rows(left, list.values)
    default: return nil
    }
  }

  private var only: SQL.Segment? { left == nil && segments.count == 1 ? segments[0] : nil }
}
