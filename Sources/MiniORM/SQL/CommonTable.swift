/// A common table expression that SQL names, until a statement's WITH clause defines it.
///
/// SQL carries the common table expressions that it needs, so that each is written once, at the
/// head of the statement, however deep in it its name stands.
///
/// See [The WITH Clause](https://www.sqlite.org/lang_with.html).
final class CommonTable: Sendable {
  let name: String
  let isRecursive: Bool
  /// `"name" AS MATERIALIZED (SELECT …)`.
  let definition: SQL

  init(_ name: String, isRecursive: Bool = false, definition: SQL) {
    self.name = name
    self.isRecursive = isRecursive
    self.definition = definition
  }

  /// Returns whether one definition can stand for both. Two different ones of one name are for
  /// SQLite to refuse.
  func isSame(as other: CommonTable) -> Bool {
    if self === other { return true }
    guard name.folded == other.name.folded,
      definition.text.hasSameBytes(as: other.definition.text)
    else { return false }
    func values(_ sql: SQL) -> [[DatabaseValue?]] {
      RenderedSQL(sql).parameters.map { parameter in
        switch parameter {
        case .list(let list): list.values.map { try? DatabaseValue($0) }
        case .argument(let argument): [nil, .integer(Int64(argument.number))]
        case .value, .row: parameter.values.map { try? DatabaseValue($0) }
        }
      }
    }
    return values(definition) == values(other.definition)
  }
}

extension SQL {
  /// The common table expressions that the SQL names, each after those that its definition uses.
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

  private var namesCommonTables: Bool {
    segments.contains { segment in
      if case .note(.commonTable) = segment { true } else { false }
    }
  }

  private var withoutCommonTables: SQL {
    SQL(
      segments: segments.filter { segment in
        if case .note(.commonTable) = segment { false } else { true }
      })
  }

  /// The same SQL, preceded by the common table expressions that it names.
  var statement: SQL {
    guard isSpecial, namesCommonTables else { return self }
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
        .query("Two different common table expressions are called \(name): rename one of them"))
    }
    let others = Set(([self] + tables.map(\.definition)).flatMap(\.tableNames))
    if let hidden = tables.first(where: { others.contains($0.name.folded) })?.name {
      statement.record(
        .query(
          "A common table expression is called \(hidden), as is a table that the statement reads: rename it"
        ))
    }
    return statement
  }

  /// The tables of the file that a common table expression of the same name would hide. A name with
  /// the name of a database before it is never hidden, and neither is that of the table that is
  /// written to.
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

  /// The same SQL, if it contains no mistake that keeps it from running.
  var runnable: SQL {
    get throws(DatabaseError) {
      let statement = statement
      if let problem = statement.problem { throw problem.adding(sql: statement.text) }
      return statement
    }
  }

  /// Adds the name of a common table expression.
  mutating func add(_ table: CommonTable) { append(.note(.commonTable(table))) }
}
