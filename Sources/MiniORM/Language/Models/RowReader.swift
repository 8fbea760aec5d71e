/// Converts the rows of a statement to values.
///
/// `@Selection` creates the reader in the struct's module, where the compiler specializes the code.
/// A query then makes a single dynamic call.
@_documentation(visibility: internal)
public struct RowReader<Output>: Sendable {
  @usableFromInline
  let all: @Sendable (_ statement: consuming Statement) throws(DatabaseError) -> [Output]
  @usableFromInline
  let one: @Sendable (_ statement: consuming Statement) throws(DatabaseError) -> Output?
  @usableFromInline
  let each:
    @Sendable (_ statement: consuming Statement, _ body: (Output) throws -> Void) throws -> Void

  /// Creates a reader for a projection.
  @inlinable
  public init<P: Projection>(_ projection: P) where P.Projected == Output {
    all = { (statement: consuming Statement) throws(DatabaseError) -> [Output] in
      var rows: [Output] = []
      guard try statement.step() else { return rows }
      repeat { rows.append(try statement.read(projection)) } while try statement.step()
      return rows
    }
    one = { (statement: consuming Statement) throws(DatabaseError) -> Output? in
      guard try statement.step() else { return nil }
      return try statement.read(projection)
    }
    each = { (statement: consuming Statement, body: (Output) throws -> Void) throws -> Void in
      guard try statement.step() else { return }
      repeat { try body(try statement.read(projection)) } while try statement.step()
    }
  }
}

extension RowReader {
  init(_ fields: TupleFields) {
    all = { (statement: consuming Statement) throws(DatabaseError) -> [Output] in
      guard try statement.step() else { return [] }
      var rows = RowBuffer<Output>()
      repeat {
        try rows.append { (memory) throws(DatabaseError) in
          try statement.read(fields, into: memory, as: Output.self)
        }
      } while try statement.step()
      return rows.take()
    }
    one = { (statement: consuming Statement) throws(DatabaseError) -> Output? in
      guard try statement.step() else { return nil }
      let row = UnsafeMutablePointer<Output>.allocate(capacity: 1)
      defer { row.deallocate() }
      try statement.read(fields, into: row, as: Output.self)
      return row.move()
    }
    each = { (statement: consuming Statement, body: (Output) throws -> Void) throws -> Void in
      guard try statement.step() else { return }
      let row = UnsafeMutablePointer<Output>.allocate(capacity: 1)
      defer { row.deallocate() }
      repeat {
        try statement.read(fields, into: row, as: Output.self)
        defer { row.deinitialize(count: 1) }
        try body(row.pointee)
      } while try statement.step()
    }
  }

  static func tuple<each Part: Projection>(_ projection: TupleProjection<repeat each Part>)
    -> RowReader where Output == (repeat (each Part).Projected)
  {
    TupleFields(repeat each projection.parts).map { RowReader($0) } ?? RowReader(projection)
  }

  static func single<Part: Projection>(_ part: Part) -> RowReader where Part.Projected == Output {
    let fields = TupleFields(single: part)
    // The common column types, for which the compiler generates specialized code.
    let plain: (any Sendable)? =
      switch fields.onlyKind {
      case .string: RowReader<String>(PlainColumn())
      case .int: RowReader<Int>(PlainColumn())
      case .int64: RowReader<Int64>(PlainColumn())
      case .double: RowReader<Double>(PlainColumn())
      default: nil
      }
    return plain as? RowReader ?? RowReader(fields)
  }
}

/// A value of a common type, which is read without its coding.
private struct PlainColumn<Value: ColumnValue>: Projection {
  static func resultColumns(_ projection: Self) -> [ResultColumn] { [] }

  @inline(__always)
  static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Value
  { try Value(cell: row[first]) }
}

extension Statement {
  @inlinable
  func read<P: Projection>(_ projection: P) throws(DatabaseError)
    -> P.Projected
  {
    do throws(DatabaseError) {
      return try P.read(projection, from: Row(pointer), at: 0)
    } catch {
      throw error.adding(rowType: String(describing: P.Projected.self))
    }
  }

  @inline(__always)
  func read(
    _ fields: TupleFields, into memory: UnsafeMutableRawPointer,
    as type: any Any.Type
  ) throws(DatabaseError) {
    do throws(DatabaseError) {
      try fields.read(Row(pointer), into: memory)
    } catch {
      throw error.adding(rowType: String(describing: type))
    }
  }
}
