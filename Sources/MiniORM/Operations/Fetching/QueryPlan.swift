/// SQLite's plan for a statement: the scans, the searches, and their indexes.
///
/// ```swift
/// let plan = try await companies.where { $0.name == "Acme" }.queryPlan(in: database)
/// print(plan)
/// // QUERY PLAN
/// // `--SEARCH company USING INDEX company_on_name (name=?)
/// ```
///
/// Descriptions differ between versions of SQLite. In a test, call ``uses(index:)`` instead of
/// comparing them.
///
/// See [EXPLAIN QUERY PLAN](https://www.sqlite.org/eqp.html).
public struct QueryPlan: Sendable, Equatable {
  /// A step of a plan, with its substeps.
  public struct Step: Sendable, Equatable {
    /// The number of the step, unique within the plan.
    public let id: Int
    /// SQLite's description of the step.
    public let detail: String
    /// The substeps.
    public let steps: [Step]
  }

  /// The steps, outermost first.
  public let steps: [Step]

  init(_ rows: [(id: Int, parent: Int, detail: String)]) {
    func steps(below parent: Int) -> [Step] {
      rows.filter { $0.parent == parent }.map {
        Step(id: $0.id, detail: $0.detail, steps: steps(below: $0.id))
      }
    }
    self.steps = steps(below: 0)
  }

  private var details: [String] {
    func details(_ steps: [Step]) -> [String] {
      steps.flatMap { [$0.detail] + details($0.steps) }
    }
    return details(steps)
  }

  /// Returns true if the plan uses an index, covering or not.
  public func uses(index name: String) -> Bool {
    contains("USING INDEX \(name)") || contains("USING COVERING INDEX \(name)")
  }

  /// Returns true if SQLite scans every row of a table, or every entry of an index of the table.
  /// - Parameter table: The table's name, or its alias in the query.
  public func scans(_ table: String) -> Bool { contains("SCAN \(table)", isStart: true) }

  /// Returns true if SQLite searches a table by a key or an index.
  /// - Parameter table: The table's name, or its alias in the query.
  public func searches(_ table: String) -> Bool { contains("SEARCH \(table)", isStart: true) }

  /// True if a step contains the words, followed by SQLite's next phrase or the end.
  private func contains(_ words: String, isStart: Bool = false) -> Bool {
    details.contains { detail in
      guard let range = detail.utf8.firstRange(of: words.utf8),
        !isStart || range.lowerBound == detail.startIndex
      else { return false }
      let rest = detail.utf8[range.upperBound...]
      return rest.isEmpty
        || [" (", " USING ", " FOR ", " LEFT-JOIN", " VIRTUAL ", " EXISTS"]
          .contains { rest.starts(with: $0.utf8) }
    }
  }
}

extension QueryPlan: CustomStringConvertible {
  /// The plan as SQLite's shell prints it.
  public var description: String {
    func lines(_ steps: [Step], _ indent: String) -> [String] {
      steps.enumerated().flatMap { index, step in
        let isLast = index == steps.count - 1
        return [indent + (isLast ? "`--" : "|--") + step.detail]
          + lines(step.steps, indent + (isLast ? "   " : "|  "))
      }
    }
    return (["QUERY PLAN"] + lines(steps, "")).joined(separator: "\n")
  }
}

extension Connection {
  /// Returns SQLite's plan for a statement, without running it.
  ///
  /// ```swift
  /// let plan = try db.queryPlan(companies.where { $0.cityID == nil }.update { $0.size += 1 }.sql)
  /// ```
  /// - Parameters:
  ///   - sql: The statement, without EXPLAIN.
  ///   - arguments: Values for `?`, `?1`, `:name`, `@name` or `$name` in the text.
  /// - Throws: ``DatabaseError`` if the SQL does not compile, or an argument is missing or surplus.
  public func queryPlan(_ sql: SQL, _ arguments: Arguments = []) throws(DatabaseError) -> QueryPlan
  {
    // EXPLAIN does not notice that another connection has changed the schema: a read does.
    _ = try query("SELECT 1 FROM sqlite_schema LIMIT 0")
    var explain = SQL(raw: "EXPLAIN QUERY PLAN ")
    explain.append(sql)
    let rows = try query((Int, Int, Int, String).self, explain, arguments)
    return QueryPlan(rows.map { ($0, $1, $3) })
  }
}
