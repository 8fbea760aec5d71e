/// Reads the parts of a tuple, or a single value, from each row into memory.
///
/// Swift 6.3 does not specialize code with parameter packs: a tuple's types would be looked up for
/// every row, at several times the cost of the reading. This class examines the types once per
/// query, and reads a row by a loop over fields:
///
/// 1. A tuple has the layout of a struct: each part is at the next multiple of its alignment,
///    according to
///    [Type Layout](https://github.com/swiftlang/swift/blob/main/docs/ABI/TypeLayout.rst).
/// 2. If the computed size differs from the tuple's size, there are no fields, and the parts are
///    read through the pack.
/// 3. If reading a part throws, the parts before it are destroyed.
final class TupleFields: Sendable {
  private let fields: [Field]
  let columnCount: Int32

  private struct Field {
    let kind: PlainKind?
    let part: PartReader
    let offset: Int
    let column: Int32
  }

  private struct Layout {
    var fields: [Field] = []
    var size = 0
    var columns = 0

    mutating func add<Part: Projection>(_ part: Part) {
      let mask = MemoryLayout<Part.Projected>.alignment - 1
      let offset = (size + mask) & ~mask
      let reader = ProjectionReader<Part, Part.Projected>(part)
      let results = Part.resultColumns(part)
      var kind = results.count == 1 ? results[0].coding?.plainKind : nil
      // A selection with a single column is not a value of that column's type.
      if kind != PlainKind.of[ObjectIdentifier(Part.Projected.self)] { kind = nil }
      fields.append(Field(kind: kind, part: reader, offset: offset, column: Int32(columns)))
      size = offset + MemoryLayout<Part.Projected>.size
      columns += results.count
    }
  }

  init?<each Part: Projection>(_ parts: repeat each Part) {
    var layout = Layout()
    repeat layout.add(each parts)
    guard layout.size == MemoryLayout<(repeat (each Part).Projected)>.size else { return nil }
    (fields, columnCount) = (layout.fields, Int32(layout.columns))
  }

  init<Part: Projection>(single part: Part) {
    var layout = Layout()
    layout.add(part)
    (fields, columnCount) = (layout.fields, Int32(layout.columns))
  }

  var onlyKind: PlainKind? { fields.count == 1 ? fields[0].kind : nil }

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
          try field.part.read(row, at: field.column, into: memory)
        }
        count += 1
      }
    } catch {
      for field in fields[..<count] { field.part.destroy(tuple + field.offset) }
      throw error
    }
  }
}

class PartReader: @unchecked Sendable {
  // 1. Subclasses have only constants of Sendable types.
  func read(_ row: borrowing Row, at first: Int32, into memory: UnsafeMutableRawPointer)
    throws(DatabaseError)
  {}

  func destroy(_ memory: UnsafeMutableRawPointer) {}
}

// `Value` is a separate parameter, so that it is part of the object's type: an associated type
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
