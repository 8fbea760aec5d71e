/// The rows that a window function sees: a partition, its order, and a frame within it.
///
/// A query that names a window defines it once for several functions:
///
/// ```swift
/// people.window("byCity") { WindowDefinition(partitionBy: $0.cityID, orderBy: $0.score.descending) }
///   .select { ($0.name, SQL.rank().over("byCity"), $0.score.lag().over("byCity")) }
/// ```
///
/// See [Window Chaining](https://www.sqlite.org/windowfunctions.html#wchaining).
public struct WindowDefinition: Sendable {
  /// The SQL between the parentheses.
  let sql: SQL

  /// Creates a window definition.
  /// - Parameters:
  ///   - parts: The expressions whose values rows of one partition share; none for a single
  ///     partition of all rows.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current one. By default, the rows up to it and its peers if
  ///     there is an order, or the whole partition if there is none.
  public init<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) {
    var partition: [SQL] = []
    repeat partition.append((each parts).compared)
    self.init(nil, partition, Ordering.all(repeat each terms), frame)
  }

  /// Creates a window definition that adds an order or a frame to another one.
  /// - Parameters:
  ///   - base: The name of the other window, which must have no frame, and no order if this one has
  ///     one.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current one.
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
