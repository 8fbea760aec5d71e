/// A condition that stands for all queries of a model, such as "not deleted": see
/// ``Model/defaultScope``.
///
/// It holds for what chooses rows: fetching, `find`, counting and the other aggregates, `update` and
/// `delete`, also where they are told a row or its key, and the query of `insert(from:)`. A row that it
/// leaves out is neither updated nor deleted, and the answer is that there is none.
///
/// It does not hold for what adds a row, `insert` and `upsert`: a new row may be one that it leaves out,
/// and a unique column does not let two rows be equal because one of them is. Nor does it for
/// `truncate`, which empties the table.
public struct Scope<T: Model>: Sendable {
  @usableFromInline let condition: SQL?

  @usableFromInline
  init(condition: SQL?) { self.condition = condition }

  /// A condition.
  /// - Parameter condition: A closure from the table's columns to the condition.
  public init(_ condition: (T.Columns) -> any SQLCondition) {
    self.init(
      condition: EnclosingQueries.calling(with: [T.schema.name]) { condition(T.columns).sql })
  }

  /// No condition.
  @inlinable
  public static var none: Scope { Scope(condition: nil) }
}
