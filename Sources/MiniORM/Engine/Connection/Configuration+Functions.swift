import CSQLCipher

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// See [Create Or Redefine SQL Functions](https://www.sqlite.org/c3ref/create_function.html).
extension Configuration {
  /// Sets options of a connection, and registers all that its SQL can name.
  func register(
    on database: OpaquePointer, options: KeyValuePairs<Int32, Int32>
  ) throws(DatabaseError) {
    var code = SQLITE_OK
    for (option, value) in options where code == SQLITE_OK {
      code = miniorm_db_config(database, option, value)
    }
    if code == SQLITE_OK { code = ValueListModule.register(on: database) }
    guard code == SQLITE_OK else { throw DatabaseError(.configure, code: code, from: database) }
    if isUntrusted { try Connection.limitDemands(of: database) }
    try registerFunctions(on: database)
    try registerCollations(on: database)
  }

  package func registerFunctions(on database: OpaquePointer) throws(DatabaseError) {
    var known: Set<ExactText> = []
    let own = ([DecimalSum.function] + DateFunctions.all + NumberFunctions.all).map(\.definition)
    for function in own + [JSONNumber.definition] + functions.map(\.definition) {
      try Self.checkName(function.name, of: "function")
      let count = function.argumentCount.map { "\($0)" } ?? "any number"
      guard known.insert("\(function.name) \(count)".folded).inserted else {
        throw DatabaseError(
          .configure, code: .misuse,
          "Two functions are named \(function.name), with the same number of arguments (\(count)): rename one of them"
        )
      }
      let code = FunctionBox.register(function, on: database)
      guard code == SQLITE_OK else {
        throw DatabaseError(.configure, code: code, from: database)
          .explaining("SQLite refused the function \(function.name)")
      }
    }
  }

  /// Throws if a name has a wrong length, or a NUL, at which SQLite would cut the name off.
  static func checkName(_ name: String, of kind: String) throws(DatabaseError) {
    guard (1...255).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw DatabaseError(
        .configure, code: .misuse,
        "The name of a \(kind) must have 1 to 255 bytes of UTF-8 and no NUL character: rename the \(kind)"
      )
    }
  }
}

extension Connection {
  func register(_ functions: [SQLFunctionDefinition]) throws(DatabaseError) {
    let database = try handle
    for function in functions {
      let code = FunctionBox.register(function, on: database)
      guard code == SQLITE_OK else { throw DatabaseError(.configure, code: code, from: database) }
    }
  }
}

/// The context of a function, retained by SQLite until the connection closes.
private final class FunctionBox {
  let function: SQLFunctionDefinition

  init(_ function: SQLFunctionDefinition) { self.function = function }

  static func register(_ function: SQLFunctionDefinition, on database: OpaquePointer) -> Int32 {
    var flags = SQLITE_UTF8
    if function.isDeterministic { flags |= SQLITE_DETERMINISTIC }
    // INNOCUOUS functions may be called by an untrusted schema. DIRECTONLY bars the others from
    // temporary views and triggers too.
    flags |= function.isInnocuous ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY
    let count = function.argumentCount ?? -1
    let box = CallbackContext.retained(FunctionBox(function))
    // sqlite3_create_function_v2 calls the destructor on failure too.
    let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
      if let pointer { CallbackContext<FunctionBox>.release(pointer) }
    }
    guard case .aggregate(let isWindow, _) = function.kind else {
      return sqlite3_create_function_v2(
        database, function.name, count, flags, box,
        { context, count, values in FunctionBox.call(context, count, values) }, nil, nil, destroy)
    }
    // Without the last two functions, SQLite creates an ordinary aggregate.
    return sqlite3_create_window_function(
      database, function.name, count, flags, box,
      { context, count, values in
        AggregateRun.run(context) { try $0.step(FunctionBox.arguments(context, count, values)) }
      },
      { context in AggregateRun.finish(context) },
      isWindow
        ? { context in AggregateRun.run(context) { try $0.result().result(in: context) } } : nil,
      isWindow
        ? { context, count, values in
          AggregateRun.run(context) {
            try $0.inverse(FunctionBox.arguments(context, count, values))
          }
        } : nil, destroy)
  }

  static func of(_ context: OpaquePointer?) -> SQLFunctionDefinition? {
    sqlite3_user_data(context).map { CallbackContext<FunctionBox>.object($0).function }
  }

  static func arguments(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) -> FunctionArguments { FunctionArguments(of(context)?.name ?? "", count, values) }

  private static func call(
    _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
  ) {
    guard let function = of(context), case .scalar(let body) = function.kind else { return }
    do {
      try body(FunctionArguments(function.name, count, values)).result(in: context)
    } catch {
      error.fail(context)
    }
  }
}

/// The state of an aggregate for a group. SQLite calls `finish` for each started group, even after
/// an error.
private final class AggregateRun {
  private let accumulator: any Accumulator
  private var hasFailed = false

  private init(_ accumulator: any Accumulator) { self.accumulator = accumulator }

  private static func place(_ context: OpaquePointer?, creates: Bool)
    -> UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  {
    let size = creates ? MemoryLayout<UnsafeMutableRawPointer?>.size : 0
    return sqlite3_aggregate_context(context, Int32(size))?
      .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  private static func new(_ context: OpaquePointer?) -> AggregateRun? {
    guard let function = FunctionBox.of(context), case .aggregate(_, let make) = function.kind
    else { return nil }
    return AggregateRun(make())
  }

  private static func current(_ context: OpaquePointer?) -> AggregateRun? {
    guard let place = place(context, creates: true) else {
      sqlite3_result_error_nomem(context)
      return nil
    }
    if let pointer = place.pointee {
      return CallbackContext<AggregateRun>.object(pointer)
    }
    guard let run = new(context) else { return nil }
    place.pointee = CallbackContext.retained(run)
    return run
  }

  private func attempt(_ context: OpaquePointer?, _ body: () throws -> Void) {
    guard !hasFailed else { return }
    do {
      try body()
    } catch {
      hasFailed = true
      error.fail(context)
    }
  }

  static func run(_ context: OpaquePointer?, _ body: (any Accumulator) throws -> Void) {
    guard let run = current(context) else { return }
    run.attempt(context) { try body(run.accumulator) }
  }

  static func finish(_ context: OpaquePointer?) {
    let place = place(context, creates: false)
    // SQLite calls no step function for an empty group.
    let run = place?.pointee.map { CallbackContext<AggregateRun>.release($0) }
    place?.pointee = nil
    guard let run = run ?? new(context) else { return }
    run.attempt(context) { try run.accumulator.result().result(in: context) }
  }
}

extension Error {
  fileprivate func fail(_ context: OpaquePointer?) {
    let database = self as? DatabaseError
    // SQLite's messages end at a NUL.
    var text = (database?.message ?? (self as? any LocalizedError)?.errorDescription ?? "\(self)")
      .replacingBytes(of: "\0", with: "\u{FFFD}")
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        sqlite3_result_error(context, text.baseAddress, Int32(clamping: text.count))
      }
    }
    // Setting the message resets the code. Any code other than SQLITE_MISMATCH has side effects in
    // SQLite, for example a rollback.
    if database?.code == .mismatch { sqlite3_result_error_code(context, SQLITE_MISMATCH) }
    if let database {
      ThrownError.keep(database, saying: text, on: sqlite3_context_db_handle(context))
    }
  }
}
