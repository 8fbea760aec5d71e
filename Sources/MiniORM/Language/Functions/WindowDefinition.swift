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

/// The rows around the current row that a window function sees.
///
/// ```swift
/// .rows(.preceding(3), .currentRow)
/// .range(.unboundedPreceding, .unboundedFollowing, exclude: .ties)
/// ```
///
/// See [Frame Specifications](https://www.sqlite.org/windowfunctions.html#frame_specifications).
public struct WindowFrame: Sendable {
  let sql: SQL

  private init(_ unit: String, _ start: Bound, _ end: Bound, _ exclusion: Exclusion) {
    sql = SQL(raw: "\(unit) BETWEEN ").appending(
      start.sql, SQL(raw: " AND "), end.sql, SQL(raw: exclusion.rawValue))
  }

  /// Returns a frame whose bounds count rows. The end must not be before the start.
  public static func rows(
    _ start: Bound, _ end: Bound = .currentRow, exclude exclusion: Exclusion = .noOthers
  ) -> WindowFrame { WindowFrame("ROWS", start, end, exclusion) }

  /// Returns a frame whose bounds are differences in the value of the single ordering expression.
  public static func range(
    _ start: Bound, _ end: Bound = .currentRow, exclude exclusion: Exclusion = .noOthers
  ) -> WindowFrame { WindowFrame("RANGE", start, end, exclusion) }

  /// Returns a frame whose bounds count groups of peers: rows that are equal in the order.
  public static func groups(
    _ start: Bound, _ end: Bound = .currentRow, exclude exclusion: Exclusion = .noOthers
  ) -> WindowFrame { WindowFrame("GROUPS", start, end, exclusion) }

  /// The beginning or the end of a frame.
  public struct Bound: Sendable {
    let sql: SQL

    /// The first row of the partition.
    public static let unboundedPreceding = Bound(sql: SQL(raw: "UNBOUNDED PRECEDING"))
    /// The current row. With `range` and `groups`, also its peers.
    public static let currentRow = Bound(sql: SQL(raw: "CURRENT ROW"))
    /// The last row of the partition.
    public static let unboundedFollowing = Bound(sql: SQL(raw: "UNBOUNDED FOLLOWING"))

    /// Returns a bound before the current row.
    /// - Parameter count: With `rows`, the number of rows; with `groups`, the number of groups of
    ///   peers; with `range`, the difference in value. Must not be negative.
    public static func preceding(_ count: some SQLNumeric) -> Bound {
      Bound(sql: SQL(binding: count).appending(SQL(raw: " PRECEDING")))
    }
    /// Returns a bound after the current row, with a count as for `preceding(_:)`.
    public static func following(_ count: some SQLNumeric) -> Bound {
      Bound(sql: SQL(binding: count).appending(SQL(raw: " FOLLOWING")))
    }
  }

  /// The rows that a frame excludes.
  public enum Exclusion: String, Sendable {
    /// No rows.
    case noOthers = ""
    /// The current row.
    case currentRow = " EXCLUDE CURRENT ROW"
    /// The current row and its peers.
    case group = " EXCLUDE GROUP"
    /// The peers of the current row.
    case ties = " EXCLUDE TIES"
  }
}
