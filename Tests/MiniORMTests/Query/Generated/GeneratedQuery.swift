@testable import MiniORM

/// A query built with MiniORM, and the same query as SQL text.
struct GeneratedQuery: Sendable {
  /// MiniORM's SQL, for failure reports.
  let sql: String
  let text: String
  /// True if the order of the rows is fully determined.
  let isOrdered: Bool
  /// Runs the query and describes each row as Swift does.
  let rows: @Sendable (isolated Connection) throws -> [String]
  /// Describes a row of the SQL text's values as Swift would.
  let described: @Sendable ([DatabaseValue]) -> String

  /// Runs both queries. The report is nil if their rows are equal.
  func difference(in db: isolated Connection) throws -> (count: Int, report: String?) {
    var found: [String]
    do {
      found = try rows(db)
    } catch {
      return (0, "\(error)\n\(text)")
    }
    var expected = try db.query(SQL(raw: text)).map { described($0.values) }
    if !isOrdered {
      found.sort()
      expected.sort()
    }
    guard found != expected else { return (found.count, nil) }
    return (found.count, "\(sql)\n\(text)\n\(found)\n\(expected)")
  }
}

/// Generates random queries.
struct QueryGenerator {
  var grower: ExpressionGrower

  init(seed: UInt64) { grower = ExpressionGrower(seed: seed) }

  /// Returns a query of one or more tables.
  mutating func query() -> GeneratedQuery {
    switch grower.pick(15) {
    case 0: return finish(alphas.alias("same").from, "alpha AS a") { names($0, "a") }
    case 1:
      var table = alphas
      var text = "alpha AS a"
      if chance(50) {
        let filter = condition(names(Alpha.columns, "a"))
        table = table.where { _ in filter.expression }
        text = "(SELECT * FROM alpha AS a WHERE \(filter.text)) AS a"
      }
      return finish(table.from, text) { names($0, "a") }
    case 2:
      let on = joinCondition()
      return finish(alphas.join(betas) { _, _ in on.expression }, "alpha AS a, beta AS b", on.text)
      {
        names($0.0, "a") + names($0.1, "b")
      }
    case 3:
      let on = joinCondition()
      return finish(
        alphas.leftJoin(betas) { _, _ in on.expression },
        "alpha AS a LEFT JOIN beta AS b ON \(on.text)"
      ) { names($0.0, "a") + names($0.1, "b") }
    case 4:
      let on = joinCondition()
      return finish(
        alphas.rightJoin(betas) { _, _ in on.expression },
        "beta AS b LEFT JOIN alpha AS a ON \(on.text)"
      ) { names($0.0, "a") + names($0.1, "b") }
    case 5:
      let on = joinCondition()
      return finish(
        alphas.fullJoin(betas) { _, _ in on.expression },
        "alpha AS a FULL OUTER JOIN beta AS b ON \(on.text)"
      ) { names($0.0, "a") + names($0.1, "b") }
    case 6:
      return finish(alphas.crossJoin(gammas), "alpha AS a, gamma AS g") {
        names($0.0, "a") + names($0.1, "g")
      }
    case 7:
      return finish(
        alphas.join(alphas.alias("other")) { $0.a == $1.b },
        "alpha AS a JOIN alpha AS o", "a.a = o.b"
      ) { names($0.0, "a") + names($0.1, "o") }
    case 8:
      // Joined by foreign keys.
      return finish(
        alphas.join(betas).leftJoin(gammas) { $1.id == $2.betaID },
        "alpha AS a JOIN beta AS b ON b.alpha_id = a.id LEFT JOIN gamma AS g ON g.beta_id = b.id"
      ) { names($0.0, "a") + names($0.1, "b") + names($0.2, "g") }
    case 9:
      let (left, right) = (
        condition(names(Alpha.columns, "a")), condition(names(Beta.columns, "b"))
      )
      return finish(
        alphas.where { _ in left.expression }.leftJoin(betas.where { _ in right.expression }),
        "(SELECT * FROM alpha AS a WHERE \(left.text)) AS a LEFT JOIN "
          + "(SELECT * FROM beta AS b WHERE \(right.text)) AS b ON b.alpha_id = a.id"
      ) { names($0.0, "a") + names($0.1, "b") }
    case 10:
      let (left, right) = (
        condition(names(Alpha.columns, "a")), condition(names(Beta.columns, "b"))
      )
      return finish(
        alphas.where { _ in left.expression }.fullJoin(betas.where { _ in right.expression }),
        "(SELECT * FROM alpha AS a WHERE \(left.text)) AS a FULL JOIN "
          + "(SELECT * FROM beta AS b WHERE \(right.text)) AS b ON b.alpha_id = a.id"
      ) { names($0.0, "a") + names($0.1, "b") }
    case 11:
      let count = 1 + grower.pick(6)
      return finish(
        alphas.order { ($0.a.descending, $0.id) }.limit(count).join(betas),
        "(SELECT * FROM alpha ORDER BY a DESC, id LIMIT \(count)) AS a JOIN beta AS b",
        "b.alpha_id = a.id", orderedBefore: ["a.a DESC", "a.id"]
      ) { names($0.0, "a") + names($0.1, "b") }
    case 12:
      let filter = condition(names(Alpha.columns, "a"))
      let few = CommonTableExpression("few", as: alphas.where { _ in filter.expression })
      return finish(
        few.join(betas) { $0.id == $1.alphaID },
        "(SELECT * FROM alpha AS a WHERE \(filter.text)) AS a JOIN beta AS b", "a.id = b.alpha_id"
      ) { names($0.0, "a") + names($0.1, "b") }
    case 13:
      let filter = condition(names(Alpha.columns, "a"))
      let count = 1 + grower.pick(9)
      return finish(
        alphas.where { _ in filter.expression }.order { $0.id }.limit(count).alias("first").from,
        "(SELECT * FROM alpha AS a WHERE \(filter.text) ORDER BY id LIMIT \(count)) AS a"
      ) { names($0, "a") }
    default:
      return finish(
        gammas.leftJoin(betas).rightJoin(alphas) { $1.alphaID == $2.id },
        "alpha AS a LEFT JOIN (gamma AS g JOIN beta AS b ON g.beta_id = b.id) ON b.alpha_id = a.id"
      ) { names($0.0, "g") + names($0.1, "b") + names($0.2, "a") }
    }
  }

  private mutating func chance(_ percent: Int) -> Bool { grower.pick(100) < percent }

  private mutating func condition(_ names: Names, depth: Int? = nil) -> TwinExpression<Bool?> {
    grower.leaves = names.leaves
    let depth = depth ?? grower.pick(3)
    return grower.condition(depth)
  }

  private mutating func joinCondition() -> TwinExpression<Bool?> {
    let (a, b) = (Alpha.columns, Beta.columns)
    switch grower.pick(4) {
    case 0: return TwinExpression(a.id == b.alphaID, "a.id = b.alpha_id")
    case 1: return TwinExpression(b.alphaID == a.id && b.n > a.a, "b.alpha_id = a.id AND b.n > a.a")
    case 2: return TwinExpression(a.a == b.n, "a.a = b.n")
    default:
      return TwinExpression(
        a.t == b.u && a.d <= b.w,
        "(a.t = b.u OR a.t IS NULL AND b.u IS NULL) AND unixepoch(a.d) * 1000 <= b.w")
    }
  }

  /// Adds conditions, groups, an order and other clauses to a FROM clause, and chooses the result
  /// columns.
  private mutating func finish<Columns, Output>(
    _ from: From<Columns, Output>, _ text: String, _ on: String? = nil,
    orderedBefore before: [String] = [], names: (Columns) -> Names
  ) -> GeneratedQuery {
    var clauses = Clauses(from: text, conditions: on.map { ["(\($0))"] } ?? [])
    clauses.ordering = before
    let known = names(from.columns)
    var from = from
    for _ in 0..<grower.pick(3) {
      let condition = condition(known)
      from = from.where { _ in condition.expression }
      clauses.conditions.append("(\(condition.text))")
    }
    // If the order leaves ties, the first rows of a group are undefined.
    switch before.isEmpty ? grower.pick(10) : 0 {
    case 0...4: return plain(from, clauses, known)
    case 5...7: return grouped(from, clauses, known)
    case 8: return aggregated(from, clauses, known)
    default: return windowed(from, clauses, known)
    }
  }

  /// A query to combine with the first.
  private struct Other<Columns: Sendable, Output: Sendable> {
    let from: From<Columns, Output>
    let clauses: Clauses
    let name: String

    func compound<Row>(_ query: Select<Row>, _ other: Select<Row>) -> Select<Row> {
      switch name {
      case "UNION": query.union(other)
      case "UNION ALL": query.unionAll(other)
      case "INTERSECT": query.intersect(other)
      default: query.except(other)
      }
    }
  }

  /// Rows of up to three parts.
  private mutating func plain<Columns, Output>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ names: Names
  ) -> GeneratedQuery {
    var (from, clauses) = (from, clauses)
    grower.leaves = names.leaves
    var parts = names.parts + [grown(), grown()]
    parts.shuffle(using: &grower.random)
    let chosen = Array(parts.prefix(1 + grower.pick(3)))
    if clauses.ordering.isEmpty, chance(20) {
      // Other rows of the same tables.
      let condition = condition(names)
      var otherClauses = clauses
      otherClauses.conditions.append("(\(condition.text))")
      let other = Other(
        from: from.where { _ in condition.expression }, clauses: otherClauses,
        name: grower.pick(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]))
      return select(from, clauses, chosen, other)
    }
    if clauses.ordering.isEmpty, chance(30) {
      // DISTINCT, ordered by the selected columns.
      let keys = chosen.compactMap { $0 as? any SingleSelectable }
      if keys.count == chosen.count {
        for key in keys {
          let term = key.term
          from = from.order { _ in term }
        }
        clauses.ordering = keys.flatMap(\.texts).map(Clauses.noPosition)
        (clauses.isDistinct, clauses.isTotal) = (true, true)
        return select(limited(from.distinct(), &clauses), clauses, chosen)
      }
    }
    if chance(60) {
      if let first = chosen.first as? any SingleSelectable, chance(50) {
        let (term, suffix) = ordering(first.term.ordering)
        from = from.order { _ in term }
        clauses.ordering.append(Clauses.noPosition(first.texts[0]) + suffix)
      }
      clauses.isTotal = true
      for (key, text) in zip(names.keys, names.keyTexts) {
        let term = key.ordering
        from = from.order { _ in term }
        clauses.ordering.append(text)
      }
      return select(limited(from, &clauses), clauses, chosen)
    }
    return select(from, clauses, chosen)
  }

  private mutating func ordering(_ term: Ordering) -> (Ordering, String) {
    let column = TypedExpression<Int?>(term.expression, Coding())
    switch grower.pick(5) {
    case 0: return (column.descending, " DESC")
    case 1: return (column.ascending.nullsLast, " ASC NULLS LAST")
    case 2: return (column.descending.nullsFirst, " DESC NULLS FIRST")
    default: return (term, "")
    }
  }

  private mutating func limited<Columns, Output>(
    _ from: From<Columns, Output>, _ clauses: inout Clauses
  ) -> From<Columns, Output> {
    guard chance(60) else { return from }
    let (count, offset) = (grower.pick(9), grower.pick(3))
    clauses.limit = " LIMIT \(count) OFFSET \(offset)"
    return from.limit(count, offset: offset)
  }

  private mutating func grown() -> any Selectable {
    let depth = 1 + grower.pick(2)
    switch grower.pick(5) {
    case 0:
      let twin = grower.integer(depth)
      return OneValue.value(twin.expression, twin.text)
    case 1:
      let twin = grower.nullable(depth)
      return OneValue.value(twin.expression, twin.text)
    case 2:
      let twin = grower.text(depth)
      return OneValue.value(twin.expression, twin.text)
    case 3:
      let twin = grower.nullableText(depth)
      return OneValue.value(twin.expression, twin.text)
    default:
      // A condition can be NULL, and `Bool` cannot.
      let twin = grower.condition(depth)
      return OneValue.value(twin.expression, twin.text)
    }
  }

  /// Returns an aggregate over a group or over all rows.
  private mutating func aggregate(_ names: Names) -> any Selectable {
    grower.leaves = names.leaves
    let operand = grower.nullable(grower.pick(2))
    let isDistinct = chance(30)
    var filter: (any SQLCondition)?
    var suffix = ""
    if chance(30) {
      let condition = condition(names, depth: 1)
      (filter, suffix) = (condition.expression, " FILTER (WHERE \(condition.text))")
    }
    let inside = (isDistinct ? "DISTINCT " : "") + operand.text
    switch grower.pick(9) {
    case 0: return OneValue.value(SQL.count(filter: filter), "count(*)\(suffix)")
    case 1:
      return OneValue.value(
        operand.expression.count(distinct: isDistinct, filter: filter), "count(\(inside))\(suffix)")
    case 2:
      return OneValue.value(
        operand.expression.sum(distinct: isDistinct, filter: filter), "sum(\(inside))\(suffix)")
    case 3:
      return OneValue.value(
        operand.expression.average(distinct: isDistinct, filter: filter),
        "avg(\(inside))\(suffix)")
    case 4:
      return OneValue.value(
        operand.expression.total(distinct: isDistinct, filter: filter),
        "total(\(inside))\(suffix)")
    case 5:
      return OneValue.value(operand.expression.min(filter: filter), "min(\(operand.text))\(suffix)")
    case 6:
      return OneValue.value(operand.expression.max(filter: filter), "max(\(operand.text))\(suffix)")
    case 7:
      let text = grower.nullableText(0)
      return OneValue.value(text.expression.max(filter: filter), "max(\(text.text))\(suffix)")
    default:
      let text = grower.nullableText(0)
      guard let key = names.keys.first?.ordering, names.keys.count == 1 else {
        return OneValue.value(text.expression.count(), "count(\(text.text))")
      }
      return OneValue.value(
        text.expression.groupConcat(separator: "|", orderBy: key.ordering, filter: filter),
        "group_concat(\(text.text), '|' ORDER BY \(names.keyTexts[0]))\(suffix)")
    }
  }

  private mutating func grouped<Columns, Output>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ names: Names
  ) -> GeneratedQuery {
    var (from, clauses) = (from, clauses)
    var keys = names.parts.compactMap { $0 as? any SingleSelectable }
    keys.shuffle(using: &grower.random)
    let chosen = Array(keys.prefix(1 + grower.pick(2)))
    for key in chosen {
      let term = key.grouping
      from = from.group { _ in term }
    }
    clauses.grouping = chosen.flatMap(\.groupingTexts)
    for _ in 0..<grower.pick(2) {
      let (part, n) = (aggregate(names), grower.pick(3))
      if let single = part as? any SingleSelectable {
        let condition = single.isMore(than: n)
        from = from.having { _ in condition.expression }
        clauses.having.append("(\(condition.text))")
      }
    }
    if chance(60) {
      for key in chosen {
        let term = key.grouping.ordering
        from = from.order { _ in term }
      }
      (clauses.ordering, clauses.isTotal) = (clauses.grouping, true)
      from = limited(from, &clauses)
    }
    var parts: [any Selectable] = chosen.prefix(grower.pick(3)).map { $0 }
    while parts.count < 2 || (parts.count < 3 && chance(50)) { parts.append(aggregate(names)) }
    return select(from, clauses, parts)
  }

  /// Aggregates over all rows, giving a single row.
  private mutating func aggregated<Columns, Output>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ names: Names
  ) -> GeneratedQuery {
    let parts = (0..<(1 + grower.pick(3))).map { _ in aggregate(names) }
    return select(from, clauses, parts)
  }

  private mutating func windowed<Columns, Output>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ names: Names
  ) -> GeneratedQuery {
    var parts = names.parts.compactMap { $0 as? any SingleSelectable }
    parts.shuffle(using: &grower.random)
    grower.leaves = names.leaves
    let operand = grower.nullable(grower.pick(2))
    let partition = grower.nullable(0)
    let isPartitioned = chance(60)
    let before = grower.pick(3)
    let frames: [(WindowFrame?, String)] = [
      (nil, ""), (nil, " RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"),
      (.rows(.preceding(before)), " ROWS BETWEEN \(before) PRECEDING AND CURRENT ROW"),
      (
        .rows(.preceding(1), .following(before)),
        " ROWS BETWEEN 1 PRECEDING AND \(before) FOLLOWING"
      ),
      (
        .groups(.unboundedPreceding, .currentRow, exclude: .currentRow),
        " GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW"
      ),
    ]
    let (frame, frameText) = grower.pick(frames)
    let order = names.keys.map(\.ordering)
    // The keys form a single term, because a parameter pack has a fixed length.
    let term = Ordering(
      expression: .joined(order.map(\.sql), separator: ", "), direction: "", column: nil)
    let window =
      isPartitioned
      ? WindowDefinition(partitionBy: partition.expression, orderBy: term, frame: frame)
      : WindowDefinition(orderBy: term, frame: frame)
    let over =
      " OVER (" + (isPartitioned ? "PARTITION BY \(partition.text) " : "")
      + "ORDER BY " + names.keyTexts.joined(separator: ", ") + frameText + ")"
    func inline<Value>(_ function: WindowFunction<Value>) -> TypedExpression<Value> {
      isPartitioned
        ? function.over(partitionBy: partition.expression, orderBy: term, frame: frame)
        : function.over(orderBy: term, frame: frame)
    }
    let isNamed = chance(50)
    func place<Value>(_ function: WindowFunction<Value>) -> TypedExpression<Value> {
      isNamed ? function.over("w") : inline(function)
    }
    let part: any Selectable
    switch grower.pick(8) {
    case 0: part = OneValue.value(place(SQL.rowNumber()), "row_number()" + over)
    case 1: part = OneValue.value(place(SQL.rank()), "rank()" + over)
    case 2: part = OneValue.value(place(operand.expression.lag()), "lag(\(operand.text))" + over)
    case 3:
      part = OneValue.value(place(operand.expression.lead(2)), "lead(\(operand.text), 2)" + over)
    case 4:
      part = OneValue.value(
        place(operand.expression.firstValue()), "first_value(\(operand.text))" + over)
    case 5:
      part = OneValue.value(
        place(operand.expression.nthValue(2)), "nth_value(\(operand.text), 2)" + over)
    case 6:
      part = OneValue.value(
        place(WindowFunction("sum", [operand.expression.sql], Coding<Int?>())),
        "sum(\(operand.text))" + over)
    default:
      part = OneValue.value(
        place(WindowFunction("count", [operand.expression.sql], Coding<Int>())),
        "count(\(operand.text))" + over)
    }
    let chosen: [any Selectable] = parts.prefix(1 + grower.pick(2)).map { $0 } + [part]
    return select(isNamed ? from.window("w") { _ in window } : from, clauses, chosen)
  }

  // MARK: SELECT

  private func select<Columns, Output>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ parts: [any Selectable],
    _ other: Other<Columns, Output>? = nil
  ) -> GeneratedQuery {
    switch parts.count {
    case 1: one(from, clauses, other, parts[0])
    case 2: two(from, clauses, other, parts[0], parts[1])
    default: three(from, clauses, other, parts[0], parts[1], parts[2])
    }
  }

  private func one<Columns, Output, A: Selectable>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ other: Other<Columns, Output>?, _ a: A
  ) -> GeneratedQuery {
    let query = from.select { _ in a.selected }
    guard let other else { return made(query, clauses.text([a]), clauses, [a]) }
    return made(
      other.compound(query, other.from.select { _ in a.selected }),
      "\(clauses.text([a])) \(other.name) \(other.clauses.text([a]))", clauses, [a])
  }

  private func two<Columns, Output, A: Selectable, B: Selectable>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ other: Other<Columns, Output>?, _ a: A,
    _ b: B
  ) -> GeneratedQuery {
    let query = from.select { _ in (a.selected, b.selected) }
    guard let other else { return made(query, clauses.text([a, b]), clauses, [a, b]) }
    return made(
      other.compound(query, other.from.select { _ in (a.selected, b.selected) }),
      "\(clauses.text([a, b])) \(other.name) \(other.clauses.text([a, b]))", clauses, [a, b])
  }

  private func three<Columns, Output, A: Selectable, B: Selectable, C: Selectable>(
    _ from: From<Columns, Output>, _ clauses: Clauses, _ other: Other<Columns, Output>?, _ a: A,
    _ b: B, _ c: C
  ) -> GeneratedQuery {
    let query = from.select { _ in (a.selected, b.selected, c.selected) }
    guard let other else { return made(query, clauses.text([a, b, c]), clauses, [a, b, c]) }
    return made(
      other.compound(query, other.from.select { _ in (a.selected, b.selected, c.selected) }),
      "\(clauses.text([a, b, c])) \(other.name) \(other.clauses.text([a, b, c]))", clauses,
      [a, b, c])
  }

  private func made<Output>(
    _ query: Select<Output>, _ text: String, _ clauses: Clauses, _ parts: [any Selectable]
  ) -> GeneratedQuery {
    GeneratedQuery(
      sql: query.sql.text, text: text,
      isOrdered: clauses.isTotal,
      rows: { db in try query.fetchAll(in: db).map { String(reflecting: $0) } },
      described: { values in
        var described: [String] = []
        var start = 0
        for part in parts {
          let end = start + part.texts.count
          described.append(part.described(Array(values[start..<end])))
          start = end
        }
        return described.count == 1 ? described[0] : "(\(described.joined(separator: ", ")))"
      })
  }
}

/// The clauses of the SQL text.
struct Clauses {
  let from: String
  var conditions: [String]
  var isDistinct = false
  var grouping: [String] = []
  var having: [String] = []
  var ordering: [String] = []
  var limit = ""
  /// True if the order leaves no ties.
  var isTotal = false

  init(from: String, conditions: [String]) { (self.from, self.conditions) = (from, conditions) }

  /// Wraps a term that could be a bare number: in ORDER BY, SQLite reads a number as a column
  /// index.
  static func noPosition(_ text: String) -> String { "coalesce(\(text), NULL)" }

  func text(_ parts: [any Selectable]) -> String {
    let columns = parts.flatMap { $0.texts }
    return "SELECT \(isDistinct ? "DISTINCT " : "")\(columns.joined(separator: ", ")) FROM \(from)"
      + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
      + (grouping.isEmpty ? "" : " GROUP BY \(grouping.joined(separator: ", "))")
      + (having.isEmpty ? "" : " HAVING \(having.joined(separator: " AND "))")
      + (ordering.isEmpty ? "" : " ORDER BY \(ordering.joined(separator: ", "))")
      + limit
  }
}

/// A part with a single value, which can serve as a key.
protocol SingleSelectable: Selectable {
  associatedtype Value
  var value: TypedExpression<Value> { get }
}

extension Single: SingleSelectable {
  var value: TypedExpression<Value> { selected }
}

extension SingleSelectable {
  var term: Ordering { value.ordering }
  var grouping: TypedExpression<Int?> { TypedExpression<Int?>(value.sql, Coding()) }
  var groupingTexts: [String] { texts }

  func isMore(than n: Int) -> TwinExpression<Bool?> {
    TwinExpression(TypedExpression<Int?>(value.sql, Coding()) > n, "\(texts[0]) > \(n)")
  }
}
