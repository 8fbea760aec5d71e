/// An aggregate function written in Swift, which computes a value from several rows.
///
/// ```swift
/// let product = SQLAggregate("product", initial: 1.0) { (total: inout Double, factor: Double) in
///   total *= factor
/// } result: { $0 }
/// ```
///
/// With a further closure, `inverse`, the function is also a window function.
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLAggregate<each Argument: ColumnValue, Result: ColumnValue>: SQLFunctionProtocol {
  /// The definition that is registered with each connection.
  @_documentation(visibility: internal)
  public let definition: SQLFunctionDefinition

  /// Creates an aggregate function.
  /// - Parameters:
  ///   - name: The name in SQL, which is not case-sensitive.
  ///   - deterministic: Whether equal rows always give an equal result.
  ///   - innocuous: Whether the file's schema may call the function, as for ``SQLFunction``.
  ///   - initial: The state before the first row of each group.
  ///   - step: Adds a row to the state. If the closure throws, the statement throws.
  ///   - result: Returns the result for the state, which may contain no rows.
  public init<State>(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    result: @escaping @Sendable (State) throws -> Result
  ) {
    self.init(
      name, deterministic, innocuous, { initial() }, step: Self.reading(step), inverse: nil, result)
  }

  /// Creates an aggregate function that is also a window function. The closure `inverse` removes
  /// the oldest row from the state.
  ///
  /// For the other parameters, see ``init(_:deterministic:innocuous:initial:step:result:)``. See
  /// also [User-Defined Aggregate Window
  /// Functions](https://www.sqlite.org/windowfunctions.html#udfwinfunc).
  public init<State>(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    initial: @autoclosure @escaping @Sendable () -> State,
    step: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    inverse: @escaping @Sendable (inout State, repeat each Argument) throws -> Void,
    result: @escaping @Sendable (State) throws -> Result
  ) {
    self.init(
      name, deterministic, innocuous, { initial() }, step: Self.reading(step),
      inverse: Self.reading(inverse), result)
  }

  private init<State>(
    _ name: String, _ isDeterministic: Bool, _ isInnocuous: Bool,
    _ initial: @escaping @Sendable () -> State, step: @escaping StateAccumulator<State>.Step,
    inverse: StateAccumulator<State>.Step?, _ result: @escaping @Sendable (State) throws -> Result
  ) {
    definition = SQLFunctionDefinition(
      name: name, argumentCount: Int32(countOfTypes(repeat (each Argument).self)),
      isDeterministic: isDeterministic, isInnocuous: isInnocuous,
      kind: .aggregate(isWindow: inverse != nil) {
        StateAccumulator(initial(), step: step, inverse: inverse) {
          try storable(try result($0), of: name)
        }
      })
  }

  private static func reading<State>(
    _ body: @escaping @Sendable (inout State, repeat each Argument) throws -> Void
  ) -> StateAccumulator<State>.Step {
    { state, arguments in
      var reader = ArgumentReader(arguments)
      try body(&state, repeat try reader.next((each Argument).self))
    }
  }
}
