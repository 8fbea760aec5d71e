/// An INSERT, an UPDATE or a DELETE as a value: nothing is written until it runs.
///
/// ```swift
/// let closing = companies.where { $0.size == 0 }.delete()
/// print(closing.sql.text)
/// try await closing.run(in: database)
/// ```
public protocol Change<Changed>: _NotRun {
  /// The model whose table is written to.
  associatedtype Changed: Model
  /// What runs.
  var asStatement: ChangeStatement<Changed> { get }
}

extension Change {
  /// The SQL and the values bound to it, without running it; empty where there is nothing to do.
  public var sql: SQL { asStatement.sql }
}

/// What does nothing until it runs: a ``Change`` or a ``Returning``. A transaction that gives one back
/// has written nothing.
public protocol _NotRun: Sendable {}

/// What ``Insert``, ``Update`` and ``Delete`` become when they run.
public struct ChangeStatement<T: Model>: Sendable {
  /// None where there is nothing to do; several where one would have too many parameters.
  var parts: [SQL]
  /// What a row that violates a constraint does to the others.
  var resolution: ConflictResolution?
  /// A mistake that no type could tell. Running throws it.
  var problem: DatabaseError?

  /// Several parts are several statements.
  var sql: SQL {
    var sql = SQL.joined(parts.map(\.statement), separator: "; ")
    sql.record(problem)
    return sql
  }
}

/// What happens to a row that violates a constraint, and to the statement that writes it.
///
/// For a foreign key, each of them is ``abort``. See
/// [The ON CONFLICT Clause](https://www.sqlite.org/lang_conflict.html).
public enum ConflictResolution: String, Sendable {
  /// The statement fails, and so does the whole transaction around it.
  case rollback = "ROLLBACK"
  /// The statement fails, and nothing of it stays. This is what happens by default.
  case abort = "ABORT"
  /// The statement fails, and the rows that it wrote before stay.
  case fail = "FAIL"
  /// The row is left out, and the statement goes on.
  case ignore = "IGNORE"
  /// The rows in the way are deleted first, where a key or a unique column is violated; NULL takes the
  /// column's default where there is one.
  case replace = "REPLACE"
}
