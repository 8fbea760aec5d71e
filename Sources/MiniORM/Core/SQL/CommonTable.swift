/// A common table expression, written once at the start of the statement, even for a nested name.
///
/// See [The WITH Clause](https://www.sqlite.org/lang_with.html).
final class CommonTable: Sendable {
  let name: String
  let isRecursive: Bool
  let definition: SQL

  init(_ name: String, isRecursive: Bool = false, definition: SQL) {
    self.name = name
    self.isRecursive = isRecursive
    self.definition = definition
  }

  func isSame(as other: CommonTable) -> Bool {
    if self === other { return true }
    guard name.folded == other.name.folded,
      definition.text.hasSameBytes(as: other.definition.text)
    else { return false }
    func values(_ sql: SQL) -> [[DatabaseValue?]] {
      RenderedSQL(sql).parameters.map { parameter in
        switch parameter {
        case .list(let list): list.values.map { try? DatabaseValue(storing: $0) }
        case .argument(let argument): [nil, .integer(Int64(argument.number))]
        case .value, .row: parameter.values.map { try? DatabaseValue(storing: $0) }
        }
      }
    }
    return values(definition) == values(other.definition)
  }
}

extension SQL {
  private var commonTables: [CommonTable] {
    var tables: [CommonTable] = []
    for case .note(.commonTable(let table)) in segments {
      for other in table.definition.commonTables + [table]
      where !tables.contains(where: { $0.isSame(as: other) }) {
        tables.append(other)
      }
    }
    return tables
  }

  private var withoutCommonTables: SQL { SQL(segments: segments.filter { !$0.isCommonTable }) }

  var statement: SQL {
    guard isSpecial, segments.contains(where: \.isCommonTable) else { return self }
    let tables = commonTables
    let isRecursive = tables.contains(where: \.isRecursive)
    var statement = SQL(raw: isRecursive ? "WITH RECURSIVE " : "WITH ")
    statement.append(.joined(tables.map(\.definition.withoutCommonTables), separator: ", "))
    statement.append(" ")
    statement.append(withoutCommonTables)
    let names = tables.map(\.name.folded)
    if let name = tables.first(where: { table in
      names.count { $0 == table.name.folded } > 1
    })?.name {
      statement.record(
        .query("Two different common table expressions are named \(name): rename one of them"))
    }
    let others = Set(([self] + tables.map(\.definition)).flatMap(\.tableNames))
    if let hidden = tables.first(where: { others.contains($0.name.folded) })?.name {
      statement.record(
        .query(
          "The common table expression \(hidden) hides a table that the statement reads: rename the expression"
        ))
    }
    return statement
  }

  /// The unqualified table names, which a common table expression of the same name would hide.
  private var tableNames: [ExactText] {
    var names: [ExactText] = []
    var isCommon = false
    for segment in segments {
      if case .name(.table(let source, let name, _)) = segment, !isCommon,
        source.hasSameBytes(as: name.quotedIdentifier)
      {
        names.append(name.folded)
      } else if case .note(.named(let name)) = segment {
        names.append(name.folded)
      }
      isCommon = if case .note(.commonName) = segment { true } else { false }
    }
    return names
  }

  var runnable: SQL {
    get throws(DatabaseError) {
      let statement = statement
      if let problem = statement.problem { throw problem.adding(sql: statement.text) }
      return statement
    }
  }

  mutating func add(_ table: CommonTable) { append(.note(.commonTable(table))) }
}

extension SQL.Segment {
  fileprivate var isCommonTable: Bool {
    if case .note(.commonTable) = self { true } else { false }
  }
}
