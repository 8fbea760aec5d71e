// Not the parameter pack itself: Swift 6.3 crashes on a tuple of such a tuple and another pack.

/// The tables of a join as a single projection, whose value is the tuple of the rows.
@_documentation(visibility: internal)
public struct JoinProjection<Output: Sendable>: Projection {
  /// The tuple of the rows.
  public typealias Projected = Output

  private let columns: [ResultColumn]
  private let value: @Sendable (borrowing Row, Int32) throws(DatabaseError) -> Output

  init<Parts: Projection>(_ parts: Parts) where Parts.Projected == Output {
    columns = Parts.resultColumns(parts)
    value = { (row: borrowing Row, first: Int32) throws(DatabaseError) -> Output in
      try Parts.read(parts, from: row, at: first)
    }
  }

  /// Returns the columns of all tables.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] { projection.columns }

  /// Reads the tuple from a row.
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Output
  { try projection.value(row, first) }
}
