/// An SQL function written in Swift, for ``Configuration/functions``.
public protocol SQLFunctionProtocol: Sendable {
  /// The definition that is registered with each connection.
  @_documentation(visibility: internal)
  var definition: SQLFunctionDefinition { get }
}

/// A function written in Swift with a fixed number of typed arguments.
///
/// ```swift
/// let initials = SQLFunction("initials", deterministic: true) { (name: String) in
///   String(name.split(separator: " ").compactMap(\.first))
/// }
/// var configuration = Configuration()
/// configuration.functions = [initials]
/// ```
///
/// A call builds an expression: `people.where { initials($0.name) == "AL" }`. In raw SQL, use the
/// function's name.
///
/// The statement throws if an argument's storage class does not match its type, or if an argument
/// that is not optional is NULL. If the closure throws, the error's text becomes the message of the
/// statement's ``DatabaseError``. A thrown ``DatabaseError`` also passes on its code, table and
/// column.
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLFunction<each Argument: ColumnValue, Result: ColumnValue>: SQLFunctionProtocol {
  /// The definition that is registered with each connection.
  @_documentation(visibility: internal)
  public let definition: SQLFunctionDefinition

  /// Creates a function.
  /// - Parameters:
  ///   - name: The name in SQL, which is not case-sensitive. The function replaces a built-in
  ///     function with the same name and number of arguments.
  ///   - deterministic: Whether equal arguments always give an equal result, as indexes, CHECK and
  ///     generated columns require. SQLite may call such a function less often.
  ///   - innocuous: Whether the file's schema may call the function: CHECK, DEFAULT, generated
  ///     columns, indexes, triggers and views. A schema may be untrusted: pass `true` only for a
  ///     function without side effects that reveals no secrets.
  ///   - body: Computes the result, also in several connections at the same time.
  public init(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    _ body: @escaping @Sendable (repeat each Argument) throws -> Result
  ) {
    definition = SQLFunctionDefinition(
      name: name, argumentCount: Int32(countOfTypes(repeat (each Argument).self)),
      isDeterministic: deterministic, isInnocuous: innocuous,
      kind: .scalar { arguments in
        var reader = ArgumentReader(arguments)
        return try storable(try body(repeat try reader.next((each Argument).self)), of: name)
      })
  }
}

/// A function written in Swift with any number of arguments of any storage class.
///
/// ```swift
/// let words = SQLVariadicFunction("words") { values in "\(values.count) words" }
/// ```
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLVariadicFunction<Result: ColumnValue>: SQLFunctionProtocol {
  /// The definition that is registered with each connection.
  @_documentation(visibility: internal)
  public let definition: SQLFunctionDefinition

  /// Creates a function. The closure takes all arguments of a call.
  ///
  /// For the parameters, see ``SQLFunction/init(_:deterministic:innocuous:_:)``.
  public init(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    _ body: @escaping @Sendable ([DatabaseValue]) throws -> Result
  ) {
    definition = SQLFunctionDefinition(
      name: name, argumentCount: nil, isDeterministic: deterministic, isInnocuous: innocuous,
      kind: .scalar { try storable(try body($0.all()), of: name) })
  }
}

struct ArgumentReader {
  private let arguments: FunctionArguments
  private var index = 0

  init(_ arguments: FunctionArguments) { self.arguments = arguments }

  mutating func next<Value: ColumnValue>(_ type: Value.Type) throws(DatabaseError) -> Value {
    defer { index += 1 }
    return try arguments.value(type, at: index)
  }
}

func storable(_ result: some ColumnValue, of function: String) throws(DatabaseError)
  -> DatabaseValue
{
  do throws(DatabaseError) {
    return try DatabaseValue(storing: result)
  } catch {
    throw DatabaseError(error.operation, code: error.code, "\(function): \(error.message)")
  }
}

func countOfTypes<each Value>(_ types: repeat (each Value).Type) -> Int {
  var count = 0
  for _ in repeat each types { count += 1 }
  return count
}
