/// A condition that applies to all queries of a model, such as "not deleted": see
/// ``Model/defaultScope``.
///
/// The condition applies to every operation that selects rows: fetching, `find`, aggregates,
/// `update` and `delete`, even for a given row or key, and the query of `insert(from:)`. An
/// excluded row is neither updated nor deleted, and the result reports that there is no such row.
///
/// The condition does not apply to `insert` and `upsert`: a new row may be excluded, and unique
/// constraints include excluded rows. The condition does not apply to `truncate`, which deletes all
/// rows of the table.
public struct Scope<T: Model>: Sendable {
  @usableFromInline let condition: SQL?

  @usableFromInline
  init(condition: SQL?) { self.condition = condition }

  /// Creates a scope with a condition.
  public init(_ condition: (T.Columns) -> any SQLCondition) {
    self.init(
      condition: EnclosingQueries.calling(with: [T.schema.name]) { condition(T.columns).sql })
  }

  /// A scope without a condition.
  @inlinable
  public static var none: Scope { Scope(condition: nil) }
}
