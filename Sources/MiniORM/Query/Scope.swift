/// A condition that stands for all queries of a model, such as "not deleted": see
/// ``Model/defaultScope``.
///
/// It holds for what chooses rows: fetching, `find`, counting and the other aggregates, `update { }`,
/// `delete()` and `deleteAll`, and the query of `insert(from:)`. It does not hold for what is told a row or its key, or adds one: `insert`,
/// `upsert`, `update` and `delete` of a model, and `delete` by key. Nor does it for `truncate`.
public struct Scope<T: Model>: Sendable {
  @usableFromInline let condition: SQL?

  @usableFromInline
  init(condition: SQL?) { self.condition = condition }

  /// A condition.
  /// - Parameter condition: A closure from the table's columns to the condition.
  public init(_ condition: (T.Columns) -> Expression<Bool>) {
    self.init(
      condition: EnclosingQueries.calling(with: [T.schema.name]) { condition(T.columns).sql })
  }

  /// No condition.
  @inlinable
  public static var none: Scope { Scope(condition: nil) }
}
