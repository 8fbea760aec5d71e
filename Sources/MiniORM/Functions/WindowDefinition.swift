/// The rows that a window function looks at: a partition, its order, and a frame in it.
///
/// A query that names one says it once for several functions:
///
/// ```swift
/// people.window("byCity") { WindowDefinition(partitionBy: $0.cityID, orderBy: $0.score.descending) }
///   .select { ($0.name, SQL.rank().over("byCity"), $0.score.lag().over("byCity")) }
/// ```
///
/// See [Window Chaining](https://www.sqlite.org/windowfunctions.html#wchaining).
public struct WindowDefinition: Sendable {
  /// What stands between the parentheses.
  let sql: SQL

  /// Describes a window.
  /// - Parameters:
  ///   - parts: The expressions that rows of one partition have in common; none for all the rows.
  ///   - terms: The order of the rows in a partition.
  ///   - frame: The rows around the current one; those up to it and its equals when there is an
  ///     order, and the whole partition when there is none.
  public init<each Part, each Term: OrderingTerm>(
    partitionBy parts: repeat SQLExpression<each Part>, orderBy terms: repeat each Term,
    frame: WindowFrame? = nil
  ) {
    var partition: [SQL] = []
    repeat partition.append((each parts).compared)
    self.init(nil, partition, Ordering.all(repeat each terms), frame)
  }

  /// Describes a window that adds an order or a frame to another.
  /// - Parameters:
  ///   - base: The name of the other, which has no frame; nor an order, where this has one.
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
