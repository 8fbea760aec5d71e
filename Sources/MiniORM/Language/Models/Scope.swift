/// A condition that applies to a model's queries, such as "not deleted": see
/// ``Model/defaultScope``.
///
/// The condition applies to each operation that selects rows: fetching, `find`, aggregates,
/// `update`, `delete`, and the query of `insert(from:)`. Updating or deleting an excluded row
/// changes nothing and reports a missing row.
///
/// `insert`, `upsert` and `truncate` ignore the condition: a new row may be excluded, unique
/// constraints include excluded rows, and `truncate` deletes all rows.
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
