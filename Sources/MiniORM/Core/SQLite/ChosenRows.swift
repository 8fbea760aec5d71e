/// The rows that a statement selects by the values of a column. The schema determines if the column
/// is the rowid.
struct ChosenRows: Sendable, Equatable {
  let table: ExactText
  let column: ExactText
  var values: Set<Int64>

  /// The maximum number of rows that are observed individually. More rows are observed as the whole
  /// table.
  static let limit = 1_000
}
