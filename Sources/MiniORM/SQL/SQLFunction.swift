/// An SQL function written in Swift, for ``Configuration/functions``.
public protocol SQLFunctionProtocol: Sendable {
  /// The definition that is registered with each connection.
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
/// Calling it makes an expression: `people.where { initials($0.name) == "AL" }`. In raw SQL, use
/// its name.
///
/// An argument of another storage class than its type's makes the statement throw, and so does NULL
/// where the type is not an optional. When the closure throws, the text of its error becomes the
/// message of the ``DatabaseError`` that the statement throws. Of a ``DatabaseError`` that has the code,
/// the table and the column, too.
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLFunction<each Argument: ColumnValue, Result: ColumnValue>: SQLFunctionProtocol {
  /// The definition that is registered with each connection.
  public let definition: SQLFunctionDefinition

  /// Creates a function.
  /// - Parameters:
  ///   - name: Its name in SQL, which is not case-sensitive. It replaces a built-in function with
  ///     the same name and number of arguments.
  ///   - deterministic: Whether equal arguments always give an equal result. Indexes, CHECK and
  ///     generated columns require it, and it lets SQLite call the function less often.
  ///   - innocuous: Whether the file's own schema may call it: CHECK, DEFAULT, generated columns,
  ///     indexes, triggers and views. Somebody else may have written that schema, so pass `true`
  ///     only for a function that has no side effects and reveals no secrets.
  ///   - body: Computes the result. Any of the database's connections may call it, even at the same
  ///     time as another.
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
  public let definition: SQLFunctionDefinition

  /// Creates a function.
  /// - Parameters:
  ///   - name: Its name in SQL, which is not case-sensitive.
  ///   - deterministic: Whether equal arguments always give an equal result.
  ///   - innocuous: Whether the file's own schema may call it, as for ``SQLFunction``.
  ///   - body: Computes the result from the arguments. Any of the database's connections may call
  ///     it, even at the same time as another.
  public init(
    _ name: String, deterministic: Bool = false, innocuous: Bool = false,
    _ body: @escaping @Sendable ([DatabaseValue]) throws -> Result
  ) {
    definition = SQLFunctionDefinition(
      name: name, argumentCount: nil, isDeterministic: deterministic, isInnocuous: innocuous,
      kind: .scalar { try storable(try body($0.all()), of: name) })
  }
}

/// Reads the arguments of a call from left to right.
struct ArgumentReader {
  private let arguments: FunctionArguments
  private var index = 0

  init(_ arguments: FunctionArguments) { self.arguments = arguments }

  mutating func next<Value: ColumnValue>(_ type: Value.Type) throws(DatabaseError) -> Value {
    defer { index += 1 }
    return try arguments.value(type, at: index)
  }
}

/// Returns a function's result as SQLite takes it.
func storable(_ result: some ColumnValue, of function: String) throws(DatabaseError)
  -> DatabaseValue
{
  do throws(DatabaseError) {
    return try DatabaseValue(result)
  } catch {
    throw DatabaseError(error.operation, code: error.code, "\(function): \(error.message)")
  }
}

func countOfTypes<each Value>(_ types: repeat (each Value).Type) -> Int {
  var count = 0
  for _ in repeat each types { count += 1 }
  return count
}
