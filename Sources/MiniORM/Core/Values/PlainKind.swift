enum PlainKind: UInt8, Sendable {
  case int, int64, int32, bool, double, string, data
  case optionalInt, optionalInt64, optionalInt32, optionalBool, optionalDouble, optionalString,
    optionalData

  static let of: [ObjectIdentifier: PlainKind] = {
    func both<Value>(_ type: Value.Type, _ kind: PlainKind, _ optional: PlainKind)
      -> [(ObjectIdentifier, PlainKind)]
    { [(ObjectIdentifier(type), kind), (ObjectIdentifier(Value?.self), optional)] }
    let kinds =
      both(Int.self, .int, .optionalInt) + both(Int64.self, .int64, .optionalInt64)
      + both(Int32.self, .int32, .optionalInt32) + both(Bool.self, .bool, .optionalBool)
      + both(Double.self, .double, .optionalDouble)
      + both(String.self, .string, .optionalString) + both([UInt8].self, .data, .optionalData)
    return Dictionary(kinds, uniquingKeysWith: { first, _ in first })
  }()

  @inline(__always)
  func read(_ cell: consuming Cell, into memory: UnsafeMutableRawPointer) throws(DatabaseError) {
    switch self {
    case .int: try Self.make(Int.self, cell, memory)
    case .int64: memory.initializeMemory(as: Int64.self, to: try cell.integer())
    case .int32: try Self.make(Int32.self, cell, memory)
    case .bool: try Self.make(Bool.self, cell, memory)
    case .double: try Self.make(Double.self, cell, memory)
    case .string: try Self.make(String.self, cell, memory)
    case .data: try Self.make([UInt8].self, cell, memory)
    case .optionalInt: try Self.make(Int?.self, cell, memory)
    case .optionalInt64: try Self.make(Int64?.self, cell, memory)
    case .optionalInt32: try Self.make(Int32?.self, cell, memory)
    case .optionalBool: try Self.make(Bool?.self, cell, memory)
    case .optionalDouble: try Self.make(Double?.self, cell, memory)
    case .optionalString: try Self.make(String?.self, cell, memory)
    case .optionalData: try Self.make([UInt8]?.self, cell, memory)
    }
  }

  @inline(__always)
  private static func make<Value: ColumnValue>(
    _ type: Value.Type, _ cell: borrowing Cell, _ memory: UnsafeMutableRawPointer
  ) throws(DatabaseError) {
    memory.initializeMemory(as: type, to: try Value(cell: cell))
  }
}
