/// An INSERT, an UPDATE or a DELETE as a value. Nothing is written until the change runs.
///
/// ```swift
/// let closing = companies.where { $0.size == 0 }.delete()
/// print(closing.sql.text)
/// try await closing.run(in: database)
/// ```
public protocol Change<Changed>: _NotRun {
  /// The model whose table is written to.
  associatedtype Changed: Model
  /// The statement of the change.
  @_documentation(visibility: internal)
  var asStatement: ChangeStatement<Changed> { get }
}

extension Change {
  /// The SQL and the bound values. Empty if there is nothing to do.
  public var sql: SQL { asStatement.sql }
}

/// A value that has no effect until it runs: a ``Change`` or a ``Returning``. A transaction that
/// only returns such a value writes nothing.
public protocol _NotRun: Sendable {}

/// The statement that an ``Insert``, ``Update`` or ``Delete`` runs.
@_documentation(visibility: internal)
public struct ChangeStatement<T: Model>: Sendable {
  @usableFromInline let content: ChangeContent

  let returningProblem: DatabaseError?

  init(
    parts: [SQL], resolution: ConflictResolution? = nil, problem: DatabaseError? = nil,
    returningProblem: DatabaseError? = nil
  ) {
    content = ChangeContent(parts: parts, resolution: resolution, problem: problem)
    self.returningProblem = returningProblem
  }

  /// The statements: none if there is nothing to do, and several if a single statement would have
  /// too many parameters.
  var parts: [SQL] { content.parts }
  var resolution: ConflictResolution? { content.resolution }
  var problem: DatabaseError? { content.problem }

  var sql: SQL { content.sql }
}

/// The statements of a change. Not generic, so that the code that runs a change is not generic.
@usableFromInline
struct ChangeContent: Sendable {
  let parts: [SQL]
  let resolution: ConflictResolution?
  let problem: DatabaseError?

  var sql: SQL {
    var sql = SQL.joined(parts.map(\.statement), separator: "; ")
    sql.record(problem)
    return sql
  }
}
