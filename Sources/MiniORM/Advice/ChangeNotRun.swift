// The overloads that the compiler chooses for a closure that returns a change that has not run. The
// default of their argument is an error at the call, and costs nothing anywhere else.

/// Reports a change that has not run as what a transaction gives back. It is a default argument; there
/// is no use in writing it.
@freestanding(expression)
public macro _changeNotRun() -> TransactionKind =
  #externalMacro(module: "MiniORMMacros", type: "ChangeNotRunMacro")

extension Database {
  /// Unavailable: the closure returns a change that has not run.
  @available(*, deprecated, message: "nothing is written: end the change with '.run(in: db)'")
  @_documentation(visibility: internal)
  @discardableResult
  public func write<Result: _NotRun>(
    _ kind: TransactionKind = #_changeNotRun,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result { throw DatabaseError.changeNotRun }

  /// Unavailable: the closure returns a change that has not run, and a read cannot run one.
  @available(*, deprecated, message: "nothing is written, and 'read' only reads: use 'write'")
  @_documentation(visibility: internal)
  @discardableResult
  public func read<Result: _NotRun>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result { throw DatabaseError.changeNotRun }
}

extension Connection {
  /// Unavailable: the closure returns a change that has not run.
  @available(*, deprecated, message: "nothing is written: end the change with '.run(in: db)'")
  @_documentation(visibility: internal)
  @discardableResult
  public func transaction<Result: _NotRun>(
    _ kind: TransactionKind = #_changeNotRun, _ body: (isolated Connection) throws -> Result
  ) throws -> Result { throw DatabaseError.changeNotRun }
}

extension DatabaseError {
  fileprivate static var changeNotRun: DatabaseError {
    .query(
      "Nothing is written: the closure gives back a change that has not run. End it with "
        + ".run(in: db), or with .fetchAll(in: db) after returning")
  }
}
