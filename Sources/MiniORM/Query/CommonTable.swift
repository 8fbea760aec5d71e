/// A common table expression that SQL names, until a statement's WITH clause defines it.
///
/// SQL carries those it needs with it, so that one is written once at the head of the statement,
/// however deep in it its name stands.
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

  /// Whether one definition can stand for both. Two others of one name are SQLite's to refuse.
  func isSame(as other: CommonTable) -> Bool {
    if self === other { return true }
    guard name.folded == other.name.folded, definition.text == other.definition.text else {
      return false
    }
    func values(_ sql: SQL) -> [[DatabaseValue?]] {
      sql.bindings.map { value in
        if let argument = value as? PreparedArgument {
          return [nil, .integer(Int64(argument.number))]
        }
        return ((value as? ValueList)?.values ?? [value]).map { try? DatabaseValue($0) }
      }
    }
    return values(definition) == values(other.definition)
  }
}

extension SQL {
  /// The same SQL with the common table expressions that it names before it.
  var statement: SQL {
    guard !commonTables.isEmpty else { return self }
    let isRecursive = commonTables.contains(where: \.isRecursive)
    var statement = SQL(raw: isRecursive ? "WITH RECURSIVE " : "WITH ")
    statement.append(.joined(commonTables.map(\.definition), separator: ", "))
    statement.append(" ")
    statement.append(self)
    statement.commonTables = []
    let names = commonTables.map(\.name.folded)
    if let name = commonTables.first(where: { table in
      names.count { $0 == table.name.folded } > 1
    })?.name {
      statement.problem =
        statement.problem
        ?? .query("Two different common table expressions are called \(name): rename one of them")
    }
    return statement
  }

  /// The same, where nothing speaks against running it.
  var runnable: SQL {
    get throws(DatabaseError) {
      let statement = statement
      if let problem = statement.problem { throw problem.adding(sql: statement.text) }
      return statement
    }
  }

  /// Names a common table expression, after those that it is defined with.
  mutating func add(_ table: CommonTable) {
    for other in table.definition.commonTables + [table]
    where !commonTables.contains(where: { $0.isSame(as: other) }) {
      commonTables.append(other)
    }
    if problem == nil { problem = table.definition.problem }
  }
}
