import CSQLCipher

/// A borrowed view of the row that a statement stands on.
///
/// A row is valid inside the call that receives it, and the compiler keeps it from leaving: copy
/// what you need into values. `@Table` generates the initializer that reads one.
public struct Row: ~Copyable {
  @usableFromInline let statement: OpaquePointer
  // Where each column of the model stands in the result; nil when the SELECT lists them in order.
  @usableFromInline let positions: UnsafePointer<Int32>?

  @inlinable
  init(_ statement: OpaquePointer, positions: UnsafePointer<Int32>? = nil) {
    self.statement = statement
    self.positions = positions
  }

  /// The value of a column.
  /// - Parameter index: The position of the column in the model, from 0. There is a NULL beyond the
  ///   last.
  /// - Complexity: O(1).
  @inlinable
  public subscript(index: Int32) -> Cell {
    Cell(statement, positions.map { $0[Int(index)] } ?? index)
  }
}
