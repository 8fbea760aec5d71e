import MiniORM

/// The recovered and the lost contents of a damaged file: the result of
/// ``Database/salvage(path:key:to:schema:configuration:progress:)``.
public struct SalvageReport: Sendable, Equatable {
  /// The result for a table.
  public struct Table: Sendable, Equatable {
    /// The table's name.
    public let name: String
    /// The number of recovered rows.
    public let rowCount: Int
    /// The numbers of the table's damaged pages, from 1, including interior pages.
    public let damagedPages: [Int]
    /// The number of rows lost because an overflow page is damaged. Rows on the table's damaged
    /// pages cannot be counted, and are not included.
    public let brokenRowCount: Int
    /// The number of rows that were read but violate a constraint of the table.
    public let rejectedRowCount: Int

    /// True if every row was recovered.
    public var isComplete: Bool {
      damagedPages.isEmpty && brokenRowCount == 0 && rejectedRowCount == 0
    }
  }

  /// The numbers of the pages whose HMAC does not match, or that the disk did not return, from 1,
  /// in ascending order.
  public let damagedPages: [Int]
  /// The tables in the order of their creation, then the shadow tables of virtual tables. The last
  /// table may be `lost_and_found`: see ``unassignedPages``.
  public let tables: [Table]
  /// The indexes, views, triggers and virtual tables that could not be recreated, with the reason.
  public let lostObjects: [String]
  /// The numbers of the pages with rows of an unknown table. The table `lost_and_found` has these
  /// rows, with the page number (`page`), the rowid (`id`) and the stored values (`c0`, `c1` …). A
  /// rowid alias is NULL there.
  public let unassignedPages: [Int]

  /// True if nothing was lost.
  public var isComplete: Bool {
    tables.allSatisfy(\.isComplete) && lostObjects.isEmpty && unassignedPages.isEmpty
  }
}

extension SalvageReport: CustomStringConvertible {
  /// A line per table and per lost object.
  public var description: String {
    var lines = tables.map(\.description)
    lines += lostObjects.map { "lost: \($0)" }
    if !unassignedPages.isEmpty {
      lines.append("\(unassignedPages.count) pages contain rows of an unknown table")
    }
    return lines.joined(separator: "\n")
  }
}

extension SalvageReport.Table: CustomStringConvertible {
  /// The number of recovered rows, and the damage.
  public var description: String {
    var text = "\(name): \(rowCount) rows"
    if !damagedPages.isEmpty { text += ", without the rows of \(damagedPages.count) damaged pages" }
    if brokenRowCount > 0 { text += ", without \(brokenRowCount) partly damaged rows" }
    if rejectedRowCount > 0 { text += ", without \(rejectedRowCount) rows that the table rejects" }
    return text
  }
}
