/// An SQL function written in Swift, for ``Configuration/functions``.
public protocol SQLFunctionProtocol: Sendable {
  /// What a connection is told of the function.
  var definition: SQLFunctionDefinition { get }
}

/// A function of a fixed number of typed arguments, written in Swift.
///
/// ```swift
/// let initials = SQLFunction("initials", deterministic: true) { (name: String) in
///   String(name.split(separator: " ").compactMap(\.first))
/// }
/// var configuration = Configuration()
/// configuration.functions = [initials]
/// ```
///
/// Calling it makes an expression: `people.where { initials($0.name) == "AL" }`. In raw SQL it goes
/// by its name.
///
/// An argument of another storage class than its type's makes the statement throw, and so does NULL
/// where the type is not an optional. When the closure throws, the text of its error becomes the
/// message of the ``DatabaseError`` that the statement throws. Of a ``DatabaseError`` that has the code,
/// the table and the column, too.
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLFunction<each Argument: ColumnValue, Result: ColumnValue>: SQLFunctionProtocol {
  /// What a connection is told of the function.
  public let definition: SQLFunctionDefinition

  /// Describes a function.
  /// - Parameters:
  ///   - name: Its name in SQL. Upper and lower case are the same, and one of SQLite's own functions
  ///     with as many arguments is replaced.
  ///   - deterministic: Whether equal arguments always give an equal result. Indexes, CHECK and
  ///     generated columns need that, and SQLite then calls it less often.
  ///   - innocuous: Whether the file's own schema may call it: CHECK, DEFAULT, generated columns,
  ///     indexes, triggers and views. Somebody else may have written that schema, so say so only of
  ///     a function that has no effect and tells no secret.
  ///   - body: What it computes. Any of the database's connections may call it, at the same time as
  ///     another.
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

/// A function of any number of arguments of any storage class, written in Swift.
///
/// ```swift
/// let words = SQLVariadicFunction("words") { values in "\(values.count) words" }
/// ```
///
/// See [Application-Defined SQL Functions](https://www.sqlite.org/appfunc.html).
public struct SQLVariadicFunction<Result: ColumnValue>: SQLFunctionProtocol {
  /// What a connection is told of the function.
  public let definition: SQLFunctionDefinition

  /// Describes a function.
  /// - Parameters:
  ///   - name: Its name in SQL.
  ///   - deterministic: Whether equal arguments always give an equal result.
  ///   - innocuous: Whether the file's own schema may call it, as for ``SQLFunction``.
  ///   - body: What it computes of its arguments. Any of the database's connections may call it, at
  ///     the same time as another.
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

/// A function's result as SQLite takes it.
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
