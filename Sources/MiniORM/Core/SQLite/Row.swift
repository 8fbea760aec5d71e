import CSQLCipher

/// A borrowed view of a statement's current row.
///
/// A row is valid only inside the call that receives it, as the compiler enforces: copy the values
/// that you need. `@Table` generates the initializer that reads a row.
public struct Row: ~Copyable {
  @usableFromInline let statement: OpaquePointer
  // The result index of each model column; empty if the SELECT lists the columns in order.
  @usableFromInline let positions: UnsafeBufferPointer<Int32>
  // The result index of the first column, if the columns are in order.
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
  /// - Parameter index: The column's index in the model, from 0. Beyond the last column, the value
  ///   is NULL.
  /// - Complexity: O(1).
  @inlinable @inline(__always)
  public subscript(index: Int32) -> Cell {
    let column = positions.isEmpty ? index &+ first : position(index)
    // SQLite returns NULL for a missing column. A column before the first belongs to another part
    // of the result.
    return Cell(statement, column >= first ? column : -1)
  }
}

extension Row {
  @usableFromInline
  init(_ row: borrowing Row, from first: Int32) {
    statement = row.statement
    let first = max(0, Int(first))
    // The row may already begin at a later column, or map columns by name.
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
