/// The values of a column that a condition allows. The schema shows whether the column is the
/// rowid.
struct ChosenRows: Sendable, Equatable {
  let table: ExactText
  let column: ExactText
  var values: Set<Int64>

  /// Above this number, the whole table is observed.
  static let limit = 1_000
}
