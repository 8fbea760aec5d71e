/// An aggregate function written in Swift: it computes one value of several rows.
///
/// ```swift
/// let product = SQLAggregate("product", initial: 1.0) { (total: inout Double, factor: Double) in
///   total *= factor
/// } result: { $0 }
/// ```
///
/// With an `inverse`, which takes a row out again, it is a window function as well.
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLAggregate<each Argument: ColumnValue, Result: ColumnValue>: SQLFunctionProtocol {
  /// What a connection is told of the function.
  public let definition: SQLFunctionDefinition

  /// Describes an aggregate function.
  /// - Parameters:
  ///   - name: Its name in SQL. Upper and lower case are the same.
  ///   - deterministic: Whether equal rows always give an equal result.
  ///   - innocuous: Whether the file's own schema may call it, as for ``SQLFunction``.
  ///   - initial: What there is before the first row, made anew for each group of rows.
  ///   - step: Takes one row in. When it throws, so does the statement.
  ///   - result: The result of the rows, of none as well.
  public init<State>(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    result: @escaping @Sendable (State) throws -> Result
  ) {
    let step: StateAccumulator<State>.Step = { state, arguments in
      var reader = ArgumentReader(arguments)
      try step(&state, repeat try reader.next((each Argument).self))
    }
    definition = SQLFunctionDefinition(
      name: name, argumentCount: Int32(countOfTypes(repeat (each Argument).self)),
      isDeterministic: deterministic, isInnocuous: innocuous,
      kind: .aggregate(isWindow: false) {
        StateAccumulator(initial(), step: step, inverse: nil) {
          try storable(try result($0), of: name)
        }
      })
  }

  /// Describes an aggregate function that is a window function as well.
  ///
  /// See [User-Defined Aggregate Window
  /// Functions](https://www.sqlite.org/windowfunctions.html#udfwinfunc).
  /// - Parameters:
  ///   - name: Its name in SQL. Upper and lower case are the same.
  ///   - deterministic: Whether equal rows always give an equal result.
  ///   - innocuous: Whether the file's own schema may call it, as for ``SQLFunction``.
  ///   - initial: What there is before the first row, made anew for each group of rows.
  ///   - step: Takes one row in. When it throws, so does the statement.
  ///   - inverse: Takes the oldest row out again.
  ///   - result: The result of the rows that are in, of none as well.
  public init<State>(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    inverse: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    result: @escaping @Sendable (State) throws -> Result
  ) {
    let step: StateAccumulator<State>.Step = { state, arguments in
      var reader = ArgumentReader(arguments)
      try step(&state, repeat try reader.next((each Argument).self))
    }
    let inverse: StateAccumulator<State>.Step = { state, arguments in
      var reader = ArgumentReader(arguments)
      try inverse(&state, repeat try reader.next((each Argument).self))
    }
    definition = SQLFunctionDefinition(
      name: name, argumentCount: Int32(countOfTypes(repeat (each Argument).self)),
      isDeterministic: deterministic, isInnocuous: innocuous,
      kind: .aggregate(isWindow: true) {
        StateAccumulator(initial(), step: step, inverse: inverse) {
          try storable(try result($0), of: name)
        }
      })
  }
}
