/// The window of a window function: a partition of the rows, its order, and a frame within it.
///
/// A named window is defined once for several functions:
///
/// ```swift
/// people
///   .window("city") { WindowDefinition(partitionBy: $0.cityID, orderBy: $0.score.descending) }
///   .select { ($0.name, SQL.rank().over("city"), $0.score.lag().over("city")) }
/// ```
///
/// See [Window Chaining](https://www.sqlite.org/windowfunctions.html#wchaining).
public struct WindowDefinition: Sendable {
  let sql: SQL

  /// Creates a window definition.
  /// - Parameters:
  ///   - parts: The expressions that divide the rows into partitions. By default, all rows form a
  ///     single partition.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current row. The default is the partition up to the current row
  ///     and its peers, or the whole partition if there is no order.
  public init<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) {
    var partition: [SQL] = []
    repeat partition.append((each parts).compared)
    self.init(nil, partition, Ordering.all(repeat each terms), frame)
  }

  /// Creates a window definition that extends a named window with an order or a frame.
  ///
  /// The extended window must not have a frame. At most one of both definitions may have an order.
  public init<each Term: OrderingTerm>(
    extending base: String, orderBy terms: repeat each Term, frame: WindowFrame? = nil
  ) {
    self.init(base, [], Ordering.all(repeat each terms), frame)
  }

  private init(_ base: String?, _ partition: [SQL], _ order: [Ordering], _ frame: WindowFrame?) {
    var clauses: [SQL] = []
    if let base { clauses.append(SQL(raw: base.quotedIdentifier)) }
    if !partition.isEmpty {
      clauses.append(SQL(raw: "PARTITION BY ").appending(.joined(partition, separator: ", ")))
    }
    if !order.isEmpty {
      clauses.append(SQL(raw: "ORDER BY ").appending(.joined(order.map(\.sql), separator: ", ")))
    }
    if let frame { clauses.append(frame.sql) }
    sql = .joined(clauses, separator: " ")
  }
}
