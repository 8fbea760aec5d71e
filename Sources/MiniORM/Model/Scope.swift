/// A condition that applies to all queries of a model, such as "not deleted": see
/// ``Model/defaultScope``.
///
/// It applies to everything that chooses rows: fetching, `find`, counting and the other aggregates,
/// `update` and `delete`, even when they are given a row or its key, and the query of
/// `insert(from:)`. A row that it excludes is neither updated nor deleted, and the result says that
/// there is no such row.
///
/// It does not apply to adding rows with `insert` and `upsert`: a new row may be one that it
/// excludes, and a unique column does not allow two equal values just because one of the rows is
/// excluded. Nor does it apply to `truncate`, which empties the table.
public struct Scope<T: Model>: Sendable {
  @usableFromInline let condition: SQL?

  @usableFromInline
  init(condition: SQL?) { self.condition = condition }

  /// Creates a scope with a condition.
  /// - Parameter condition: A closure that takes the table's columns and returns the condition.
  public init(_ condition: (T.Columns) -> any SQLCondition) {
    self.init(
      condition: EnclosingQueries.calling(with: [T.schema.name]) { condition(T.columns).sql })
  }

  /// A scope without a condition.
  @inlinable
  public static var none: Scope { Scope(condition: nil) }
}
