// Overloads for a closure that returns a change that has not run. The default argument is an error
// at the call, and costs nothing elsewhere.

/// Reports that a closure returns a change that has not run. Used only as a default argument.
@freestanding(expression)
public macro _changeNotRun() -> TransactionKind =
  #externalMacro(module: "MiniORMMacros", type: "ChangeNotRunMacro")

@_documentation(visibility: internal)
extension Database {
  /// Unavailable: the closure returns a change that has not run.
  @available(*, deprecated, message: "nothing is written: end the change with '.run(in: db)'")
  @discardableResult
  public func write<Result: _NotRun>(
    _ kind: TransactionKind = #_changeNotRun,
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result { throw DatabaseError.changeNotRun }

  /// Unavailable: a read cannot run changes.
  @available(*, deprecated, message: "nothing is written, and 'read' only reads: use 'write'")
  @discardableResult
  public func read<Result: _NotRun>(
    _ body: @Sendable (isolated Connection) throws -> Result
  ) async throws -> Result { throw DatabaseError.changeNotRun }
}

@_documentation(visibility: internal)
extension Connection {
  /// Unavailable.
  @available(*, deprecated, message: "nothing is written: end the change with '.run(in: db)'")
  @discardableResult
  public func transaction<Result: _NotRun>(
    _ kind: TransactionKind = #_changeNotRun, _ body: (isolated Connection) throws -> Result
  ) throws -> Result { throw DatabaseError.changeNotRun }
}

extension DatabaseError {
  fileprivate static var changeNotRun: DatabaseError {
    .query(
      "Nothing is written: the closure returns a change that has not run. In write(_:), end it with "
        + ".run(in: db) or .returning().fetchAll(in: db)")
  }
}
