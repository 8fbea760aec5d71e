/// The rows that a window function sees: a partition, its order, and a frame within it.
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
  ///   - parts: The expressions that divide the rows into partitions. Without expressions, all rows
  ///     form a single partition.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current row. By default, with an order, the rows up to the
  ///     current row and its peers; without an order, the whole partition.
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
  /// The extended window must not have a frame. If this definition has an order, the extended
  /// window must not have an order.
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
