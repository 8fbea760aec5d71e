/// What was brought back from a damaged file, and what was not.
public struct SalvageReport: Sendable, Equatable {
  /// What became of a table.
  public struct Table: Sendable, Equatable {
    /// Its name.
    public let name: String
    /// How many rows were brought back.
    public let rowCount: Int
    /// The damaged pages on which it had rows, or on which it was written where its rows are, from 1.
    public let damagedPages: [Int]
    /// How many rows are lost because a part of them is on a damaged page, beside those that stood on the
    /// table's own damaged pages, which nobody can count.
    public let brokenRowCount: Int
    /// How many rows were read and could not be stored, as they break a rule of the table.
    public let rejectedRowCount: Int

    /// Whether every row was brought back.
    public var isComplete: Bool {
      damagedPages.isEmpty && brokenRowCount == 0 && rejectedRowCount == 0
    }
  }

  /// The pages whose authentication codes do not fit, from 1, in order.
  public let damagedPages: [Int]
  /// The tables of the file, in the order in which they were made, and those that virtual tables keep their
  /// contents in. The last may be `lost_and_found`: see ``unassignedPages``.
  public let tables: [Table]
  /// The indexes, views, triggers and virtual tables that could not be made again, with the reason.
  public let lostObjects: [String]
  /// The pages that have rows of nobody knows which table, as the pages that say so are damaged. Their rows
  /// are in a table of their own, `lost_and_found`, with the page's number, the rowid (`id`) and the values as
  /// they were stored (`c0`, `c1` …): the column that is the rowid has NULL there.
  public let unassignedPages: [Int]

  /// Whether nothing is lost.
  public var isComplete: Bool {
    tables.allSatisfy(\.isComplete) && lostObjects.isEmpty && unassignedPages.isEmpty
  }
}

extension SalvageReport: CustomStringConvertible {
  /// A description with a line for each table, and for what is lost.
  public var description: String {
    var lines = tables.map(\.description)
    lines += lostObjects.map { "lost: \($0)" }
    if !unassignedPages.isEmpty {
      lines.append("\(unassignedPages.count) pages have rows of nobody knows which table")
    }
    return lines.joined(separator: "\n")
  }
}

extension SalvageReport.Table: CustomStringConvertible {
  /// A description of the table's rows.
  public var description: String {
    var text = "\(name): \(rowCount) rows"
    if !damagedPages.isEmpty { text += ", without those of \(damagedPages.count) damaged pages" }
    if brokenRowCount > 0 { text += ", without \(brokenRowCount) of which a part is damaged" }
    if rejectedRowCount > 0 { text += ", without \(rejectedRowCount) that the table refuses" }
    return text
  }
}
