/// Finds out where a subquery names a column of a query around it that SQLite takes for one of its
/// own, because a table has the same name in both.
///
/// The closure that made the subquery is then called again with columns of a name that no table has:
/// where that name turns up inside a query of the same table, the closure has carried it there.
enum Capture {
  /// The name of the table whose columns are made, instead of its own.
  @TaskLocal static var table: String?

  private static let mark = "\u{1}"

  /// The name for a table's columns, by which they are found again.
  static func name(_ table: String) -> String { table + mark }
  static func name(of table: JoinedTable) -> String { name(table.name) }

  /// SQL that a closure has made, with what is wrong with it.
  /// - Parameters:
  ///   - names: The names of the tables whose columns the closure got.
  ///   - again: Calls the closure with columns of other names.
  static func checked(_ sql: SQL, in names: [String], again: () -> SQL) -> SQL {
    guard !sql.nestedNames.isEmpty, sql.problem == nil,
      names.contains(where: { sql.nestedNames.contains($0.folded.string) })
    else { return sql }
    var checked = sql
    checked.problem = again().problem
    return checked
  }

  /// The mistake where SQL of a query names columns of another one of the same tables.
  fileprivate static func problem(_ sql: SQL, _ names: [String]) -> DatabaseError? {
    guard sql.text.utf8.contains(1) else { return nil }
    let text = sql.text.folded.string
    guard
      let name = names.first(where: { text.contains("\(name($0.folded.string).quotedIdentifier).") }
      )
    else { return nil }
    return .query(
      "A subquery of \(name) names a column of the \(name) around it: give one of them another name with alias(_:)"
    )
  }
}

extension SourceColumns {
  /// Makes columns under another name of their table. `@Table` calls this.
  /// - Parameters:
  ///   - table: The name.
  ///   - make: Makes the columns.
  public static func named(_ table: String, _ make: () -> Self) -> Self {
    Capture.$table.withValue(table, operation: make)
  }
}

extension SQL {
  /// Makes this the SQL of a query whose tables have some names.
  mutating func nest(_ names: [String]) {
    if problem == nil { problem = Capture.problem(self, names) }
    for name in names.map(\.folded.string) where !nestedNames.contains(name) {
      nestedNames.append(name)
    }
  }
}
