/// The rows that a statement chooses by the values of one column. Which rows these are the file says:
/// whether the column is the rowid.
struct ChosenRows: Sendable, Equatable {
  /// The names of the table and of the column, folded.
  let table: ExactText
  let column: ExactText
  var values: Set<Int64>

  /// How many rows are observed each by itself; more count as the table.
  static let limit = 1_000
}
