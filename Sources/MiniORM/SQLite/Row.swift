public import CSQLCipher

/// A borrowed view of a statement's current row.
///
/// A row is valid only inside the call that receives it, and the compiler keeps it from escaping:
/// copy what you need into values. `@Table` generates the initializer that reads one.
public struct Row: ~Copyable {
  @usableFromInline let statement: OpaquePointer
  // The index of each of the model's columns in the result; empty if the SELECT lists them in
  // order.
  @usableFromInline let positions: UnsafeBufferPointer<Int32>
  // The index of the first column in the result, where they are listed in order.
  @usableFromInline let first: Int32
  // The first value, and the number of those that follow it at equal distances, or 0 if the
  // distances differ.
  @usableFromInline let base: Int
  @usableFromInline let adjacent: Int32
  @usableFromInline let stride: Int

  @inlinable
  init(
    _ statement: OpaquePointer, _ layout: inout RowLayout,
    positions: UnsafeBufferPointer<Int32> = UnsafeBufferPointer(start: nil, count: 0)
  ) {
    self.statement = statement
    self.positions = positions
    first = 0
    base = Int(bitPattern: sqlite3_column_value(statement, 0))
    stride = layout.stride
    if base != layout.base { layout.compare(statement, base) }
    adjacent = layout.adjacent
  }

  /// Creates a view of the only row that is read.
  @inlinable
  init(
    _ statement: OpaquePointer, _ layout: RowLayout,
    positions: UnsafeBufferPointer<Int32> = UnsafeBufferPointer(start: nil, count: 0)
  ) {
    var layout = layout
    self.init(statement, &layout, positions: positions)
  }

  // Inlined: a call for each value would be a twentieth of what reading ten integers takes.

  /// Returns the value of a column.
  /// - Parameter index: The index of the column in the model, from 0. Beyond the last column, the
  ///   value is NULL.
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  public subscript(index: Int32) -> Cell {
    let column = positions.isEmpty ? index &+ first : position(index)
    guard column >= first, column < adjacent else { return asked(index, column) }
    return Cell(statement, column, OpaquePointer(bitPattern: base + Int(column) * stride))
  }
}

extension Row {
  /// Creates a view of the same row that begins at a later column, for reading a model from there.
  @usableFromInline
  init(_ row: borrowing Row, from first: Int32) {
    (statement, base, adjacent, stride) = (row.statement, row.base, row.adjacent, row.stride)
    let first = max(0, Int(first))
    // The row may already begin at a later column, or find its columns by their names.
    if row.positions.isEmpty {
      positions = row.positions
      self.first = Int32(clamping: Int(row.first) + first)
    } else {
      positions = UnsafeBufferPointer(
        rebasing: row.positions[min(first, row.positions.count)...])
      self.first = 0
    }
  }

  /// Returns the value that SQLite gives for a column: NULL for one that the result does not have.
  @usableFromInline
  func asked(_ index: Int32, _ column: Int32) -> Cell {
    // Before the first column of a row that begins later there is another one.
    Cell(statement, index < 0 ? -1 : column)
  }

  @usableFromInline
  func position(_ index: Int32) -> Int32 {
    positions.indices.contains(Int(index)) ? positions[Int(index)] : -1
  }
}
