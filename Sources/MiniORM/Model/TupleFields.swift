/// How the parts of a tuple, or a single value, are read from each row into memory.
///
/// A tuple's type is a parameter pack, and code with a pack is not specialised (6.3): it looks types
/// up for every row, which took four times as long as the rows themselves. So the types are looked at
/// once for a query. What remains for a row is a loop over the fields, without a type of its own:
///
/// 1. A tuple is laid out as a struct is, each part at the next multiple of its alignment, says
///    [Type Layout](https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst).
/// 2. The size that this gives is held against the tuple's own, and where they differ there are no
///    fields: the parts are read through the pack.
/// 3. A part that cannot be read leaves nothing behind: those before it are destroyed.
final class TupleFields: @unchecked Sendable {
  // Not an array, whose index is checked for each value.
  private let fields: UnsafeBufferPointer<Field>
  // Keeps what the fields name without counting.
  private let parts: [PartReader]
  /// How many columns of the result they are read from.
  let columnCount: Int32

  private struct Field: @unchecked Sendable {
    // 1. `part` is a constant of an immutable object, which the array beside it keeps alive.
    let kind: PlainKind?
    let part: Unmanaged<PartReader>
    let offset: Int
    let column: Int32
  }

  private struct Layout {
    var fields: [Field] = []
    var parts: [PartReader] = []
    var size = 0
    var columns = 0

    mutating func add<Part: Projection>(_ part: Part) {
      let mask = MemoryLayout<Part.Projected>.alignment - 1
      let offset = (size + mask) & ~mask
      let reader = ProjectionReader<Part, Part.Projected>(part)
      let results = Part.resultColumns(part)
      var kind = results.count == 1 ? results[0].coding?.plainKind : nil
      // A selection of one column is no value of that column's.
      if kind != PlainKind.of[ObjectIdentifier(Part.Projected.self)] { kind = nil }
      fields.append(
        Field(kind: kind, part: .passUnretained(reader), offset: offset, column: Int32(columns)))
      parts.append(reader)
      size = offset + MemoryLayout<Part.Projected>.size
      columns += results.count
    }

    func take() -> UnsafeBufferPointer<Field> {
      let memory = UnsafeMutableBufferPointer<Field>.allocate(capacity: fields.count)
      _ = memory.initialize(from: fields)
      return UnsafeBufferPointer(memory)
    }
  }

  /// Makes the fields of a tuple, or `nil` where it is laid out in another way than this knows.
  init?<each Part: Projection>(_ parts: repeat each Part) {
    var layout = Layout()
    repeat layout.add(each parts)
    guard layout.size == MemoryLayout<(repeat (each Part).Projected)>.size else { return nil }
    (fields, self.parts, columnCount) = (layout.take(), layout.parts, Int32(layout.columns))
  }

  /// Makes the field of what is read as one value.
  init<Part: Projection>(single part: Part) {
    var layout = Layout()
    layout.add(part)
    (fields, parts, columnCount) = (layout.take(), layout.parts, Int32(layout.columns))
  }

  deinit { fields.deallocate() }

  /// What a row is read as, where it is one plain value.
  var onlyKind: PlainKind? { fields.count == 1 ? fields[0].kind : nil }

  /// Makes a tuple of a row, in memory that holds none.
  @inline(__always)
  func read(_ row: borrowing Row, into tuple: UnsafeMutableRawPointer) throws(DatabaseError) {
    var count = 0
    do throws(DatabaseError) {
      while count < fields.count {
        let field = fields[count]
        let memory = tuple + field.offset
        if let kind = field.kind {
          try kind.read(row[field.column], into: memory)
        } else {
          let problem = field.part._withUnsafeGuaranteedRef { part -> DatabaseError? in
            do throws(DatabaseError) {
              try part.read(row, at: field.column, into: memory)
              return nil
            } catch {
              return error
            }
          }
          if let problem { throw problem }
        }
        count += 1
      }
    } catch {
      for field in fields[..<count] {
        field.part._withUnsafeGuaranteedRef { $0.destroy(tuple + field.offset) }
      }
      throw error
    }
  }
}

/// Reads a part of a row into memory.
class PartReader: @unchecked Sendable {
  // 1. What a subclass has is a constant, and Sendable.
  /// Makes the part, in memory that holds none.
  func read(_ row: borrowing Row, at first: Int32, into memory: UnsafeMutableRawPointer)
    throws(DatabaseError)
  {}

  /// Destroys the part.
  func destroy(_ memory: UnsafeMutableRawPointer) {}
}

// `Value` is a parameter of its own so that its type stands in that of the object: an associated type
// would be looked up for each row.
private final class ProjectionReader<Part: Projection, Value>: PartReader, @unchecked Sendable
where Part.Projected == Value {
  private let part: Part

  init(_ part: Part) { self.part = part }

  override func read(_ row: borrowing Row, at first: Int32, into memory: UnsafeMutableRawPointer)
    throws(DatabaseError)
  {
    memory.assumingMemoryBound(to: Value.self).initialize(
      to: try Part.read(part, from: row, at: first))
  }

  override func destroy(_ memory: UnsafeMutableRawPointer) {
    memory.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
  }
}
