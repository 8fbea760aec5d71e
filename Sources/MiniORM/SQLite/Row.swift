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

  @inlinable
  init(
    _ statement: OpaquePointer,
    positions: UnsafeBufferPointer<Int32> = UnsafeBufferPointer(start: nil, count: 0)
  ) {
    self.statement = statement
    self.positions = positions
    first = 0
  }

  /// Returns the value of a column.
  /// - Parameter index: The index of the column in the model, from 0. Beyond the last column, the
  ///   value is NULL.
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  public subscript(index: Int32) -> Cell {
    let column = positions.isEmpty ? index &+ first : position(index)
    // SQLite gives NULL for a column that the result does not have. A smaller column than the first
    // belongs to another part of the result.
    return Cell(statement, column >= first ? column : -1)
  }
}

extension Row {
  /// Creates a view of the same row that begins at a later column, for reading a model from there.
  @usableFromInline
  init(_ row: borrowing Row, from first: Int32) {
    statement = row.statement
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

  @usableFromInline
  func position(_ index: Int32) -> Int32 {
    positions.indices.contains(Int(index)) ? positions[Int(index)] : -1
  }
}
