/// Produced in a single pass, so that text and parameters stay in step.
struct RenderedSQL {
  private(set) var text = ""
  private(set) var parameters: [SQLParameter] = []
  /// Can exceed the count of `parameters`, because a row has several parameters.
  private(set) var parameterCount = 0
  /// The text. Appending a string to a string takes twice as many instructions.
  private var bytes: [UInt8] = []

  init(_ sql: SQL) {
    bytes.reserveCapacity(256)
    append(sql.parts)
    text = String(decoding: bytes, as: UTF8.self)
    bytes = []
  }

  func bind(to statement: borrowing Statement) throws(DatabaseError) {
    var index: Int32 = 1
    for parameter in parameters {
      try parameter.bind(to: statement, at: index)
      index += Int32(parameter.count)
    }
  }

  private mutating func append(_ segments: [SQL.Segment]) {
    for segment in segments {
      switch segment {
      case .text(let text): append(text)
      case .parameter(let parameter): append(parameter)
      case .name(let name): append(name.text)
      case .operation(let operation): append(operation)
      case .and: append(" AND ")
      case .note: break
      }
    }
  }

  // SQLPart limits the depth of operators, and so the recursion.
  private mutating func append(_ operation: SQLPart) {
    guard let left = operation.left else { return append(operation.segments) }
    append("(")
    append(left)
    append(" ")
    append(operation.name)
    append(" ")
    if let right = operation.right { append(right) } else { append(.value(operation.value)) }
    append(")")
  }

  private mutating func append(_ parameter: SQLParameter) {
    var parameter = parameter
    // A statement has at most 32,766 parameters.
    if case .list(let list) = parameter, parameterCount > 16_000 { parameter = .list(list.single) }
    append(parameter.text)
    parameters.append(parameter)
    parameterCount += parameter.count
  }

  private mutating func append(_ text: consuming String) {
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }
}
