/// The registration of an SQL function, created by ``SQLFunction`` and similar types.
@_documentation(visibility: internal)
public struct SQLFunctionDefinition: Sendable {
  enum Kind: Sendable {
    case scalar(@Sendable (FunctionArguments) throws -> DatabaseValue)
    case aggregate(isWindow: Bool, @Sendable () -> any Accumulator)
  }

  let name: String
  let argumentCount: Int32?
  let isDeterministic: Bool
  let isInnocuous: Bool
  let kind: Kind
}

struct FunctionArguments {
  let count: Int
  private let function: String
  private let values: UnsafeMutablePointer<OpaquePointer?>?

  init(_ function: String, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    self.function = function
    self.count = Int(count)
    self.values = values
  }

  func value<Value: ColumnValue>(_ type: Value.Type, at index: Int) throws(DatabaseError) -> Value {
    do throws(DatabaseError) {
      return try Value(cell: Cell(nil, Int32(index), values?[index]))
    } catch {
      throw DatabaseError(error.operation, code: error.code, "\(function): \(error.message)")
    }
  }

  func all() throws(DatabaseError) -> [DatabaseValue] {
    try (0..<count).map { index throws(DatabaseError) in
      try value(DatabaseValue.self, at: index)
    }
  }
}

protocol Accumulator: AnyObject {
  func step(_ arguments: FunctionArguments) throws
  func inverse(_ arguments: FunctionArguments) throws
  func result() throws -> DatabaseValue
}

final class StateAccumulator<State>: Accumulator {
  typealias Step = @Sendable (inout State, FunctionArguments) throws -> Void

  private var state: State
  private let stepBody: Step
  private let inverseBody: Step?
  private let resultBody: @Sendable (State) throws -> DatabaseValue

  init(
    _ initial: State, step: @escaping Step, inverse: Step?,
    result: @escaping @Sendable (State) throws -> DatabaseValue
  ) {
    state = initial
    stepBody = step
    inverseBody = inverse
    resultBody = result
  }

  func step(_ arguments: FunctionArguments) throws { try stepBody(&state, arguments) }
  func inverse(_ arguments: FunctionArguments) throws { try inverseBody?(&state, arguments) }
  func result() throws -> DatabaseValue { try resultBody(state) }
}
