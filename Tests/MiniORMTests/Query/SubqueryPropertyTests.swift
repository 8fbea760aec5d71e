import Testing

@testable import MiniORM

@Table("node")
private struct Node: Equatable {
  let id: Int
  var a: Int
  var b: Int?
  var s: String
  var parent: Int?
}

@Table("leaf")
private struct Leaf: Equatable {
  let id: Int
  var node: Int
  var x: Int
  var y: Int?
}

@Selection
private struct Pair: Equatable {
  let first: Int
  let second: Int?
}

private typealias Expr<Value> = MiniORM.SQLExpression<Value>
private typealias NodeColumns = AliasedColumns<Node.Columns>
private typealias LeafColumns = AliasedColumns<Leaf.Columns>

/// A query built with MiniORM, and the same query as SQL text with literals.
private struct Twin: Sendable {
  let query: Select<Int?>
  let text: String
}

private struct Condition {
  let expression: Expr<Bool?>
  let text: String

  init(expression: any SQLCondition, text: String) {
    (self.expression, self.text) = (expression.condition, text)
  }
}

/// Grows random queries with a single column.
private struct Grower {
  var random: SeededRandom
  private var names = 0

  init(seed: UInt64) { random = SeededRandom(seed) }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func number() -> Int { Int.random(in: -2...5, using: &random) }
  private mutating func name(_ letter: String) -> String {
    names += 1
    return "\(letter)\(names)"
  }

  // MARK: Conditions

  private mutating func node(_ c: NodeColumns, _ n: String, _ depth: Int) -> Condition {
    let k = number()
    guard depth > 0 else {
      switch pick(6) {
      case 0: return Condition(expression: c.a > k, text: "\(n).a > \(k)")
      case 1: return Condition(expression: c.b == nil, text: "\(n).b ISNULL")
      case 2: return Condition(expression: c.b <= k, text: "NOT \(n).b > \(k)")
      case 3: return Condition(expression: c.s != "é", text: "\(n).s NOT IN ('é')")
      case 4: return Condition(expression: c.a != c.b, text: "\(n).a IS NOT \(n).b")
      default: return Condition(expression: c.parent != nil, text: "\(n).parent NOTNULL")
      }
    }
    switch pick(11) {
    case 0:
      let (left, right) = (node(c, n, depth - 1), node(c, n, depth - 1))
      return Condition(
        expression: left.expression && right.expression,
        text: "CASE WHEN \(left.text) THEN \(right.text) WHEN (\(left.text)) IS NULL AND NOT "
          + "((\(right.text)) IS 0) THEN NULL ELSE 0 END")
    case 1:
      let (left, right) = (node(c, n, depth - 1), node(c, n, depth - 1))
      return Condition(
        expression: left.expression || right.expression, text: "((\(left.text)) OR (\(right.text)))"
      )
    case 2:
      let operand = node(c, n, depth - 1)
      return Condition(expression: !operand.expression, text: "(\(operand.text)) = 0")
    case 3:
      let l = name("l")
      let leaves = Table<Leaf>().alias(l)
      let inner = leaf(leaves.from.columns, l)
      return Condition(
        expression: leaves.where { $0.node == c.id && inner.expression }.exists(),
        text: "\(n).id IN (SELECT node FROM leaf \(l) WHERE \(inner.text))")
    case 4:
      let list = query(depth - 1)
      return Condition(
        expression: c.b.isIn(list.query), text: "\(n).b IN (SELECT * FROM (\(list.text)))")
    case 5:
      let list = query(depth - 1)
      return Condition(
        expression: !c.a.isIn(list.query), text: "\(n).a NOT IN (\(list.text))")
    case 6:
      let l = name("l")
      let sum = Table<Leaf>().alias(l).where { $0.node == c.id }.select { $0.x.sum() }.scalar()
      return Condition(
        expression: c.a < sum,
        text: "(SELECT sum(\(l).x) FROM leaf AS \(l) WHERE \(n).id = \(l).node) > \(n).a")
    case 7:
      let l = name("l")
      let count = Table<Leaf>().alias(l).where { $0.x > c.a }.select { _ in SQL.count() }.scalar()
      return Condition(
        expression: count >= k,
        text: "(SELECT count(*) FROM leaf \(l) WHERE \(n).a < \(l).x) >= \(k)")
    case 8:
      let any = query(depth - 1)
      return Condition(
        expression: any.query.exists(), text: "(SELECT count(*) FROM (\(any.text))) > 0")
    case 9:
      let (l, m) = (name("l"), name("m"))
      let pairs = Table<Leaf>().alias(l).select { ($0.node, $0.x) }
        .union(Table<Node>().alias(m).where { $0.a > k }.select { ($0.id, $0.a) })
      return Condition(
        expression: RowValue(c.id, c.a).isIn(pairs),
        text: "(EXISTS (SELECT 1 FROM leaf WHERE node = \(n).id AND x = \(n).a) OR \(n).a > \(k))")
    default:
      let m = name("m")
      let inner = node(Table<Node>().alias(m).from.columns, m, depth - 1)
      return Condition(
        expression: Table<Node>().alias(m).where { $0.parent == c.id && inner.expression }.exists(),
        text: "0 < (SELECT count(*) FROM node \(m) WHERE \(m).parent = \(n).id AND (\(inner.text)))"
      )
    }
  }

  private mutating func leaf(_ c: LeafColumns, _ n: String) -> Condition {
    let k = number()
    switch pick(3) {
    case 0: return Condition(expression: c.x >= k, text: "\(n).x >= \(k)")
    case 1: return Condition(expression: c.y == k, text: "\(n).y IS \(k)")
    default: return Condition(expression: c.y.isNil, text: "\(n).y IS NULL")
    }
  }

  // MARK: Queries

  mutating func query(_ depth: Int) -> Twin {
    let n = name("n")
    let nodes = Table<Node>().alias(n)
    let c = nodes.from.columns
    guard depth > 0 else {
      let l = name("l")
      let condition = leaf(Table<Leaf>().alias(l).from.columns, l)
      return Twin(
        query: Table<Leaf>().alias(l).where { _ in condition.expression }.select { $0.y },
        text: "SELECT y FROM leaf AS \(l) WHERE \(condition.text)")
    }
    let condition = node(c, n, depth - 1)
    let source = "FROM node \(n) WHERE \(condition.text)"
    let chosen = nodes.where { _ in condition.expression }
    let k = number()
    switch pick(11) {
    case 0: return Twin(query: chosen.select { $0.a.optional }, text: "SELECT a \(source)")
    case 1:
      return Twin(query: chosen.select { $0.b }.distinct(), text: "SELECT DISTINCT b \(source)")
    case 2:
      return Twin(
        query: chosen.group { $0.a }.having { _ in SQL.count() < k + 4 }.select { $0.b.max() },
        text: #"""
          SELECT m
          FROM (SELECT a, max(b) AS m, count(*) AS k \#(source)
            GROUP BY a)
          WHERE k < \#(k + 4)
          """#.onOneLine)
    case 3:
      let other = query(depth - 1)
      let this = chosen.select { $0.b }
      let (compound, name): (Select<Int?>, String) =
        switch pick(4) {
        case 0: (this.union(other.query), "UNION")
        case 1: (this.unionAll(other.query), "UNION ALL")
        case 2: (this.intersect(other.query), "INTERSECT")
        default: (this.except(other.query), "EXCEPT")
        }
      return Twin(
        query: compound, text: "SELECT b \(source) \(name) SELECT * FROM (\(other.text))")
    case 4:
      let (left, right) = (query(depth - 1), query(depth - 1))
      return Twin(
        query: left.query.unionAll(right.query).order { $0.descending }.limit(6, offset: 1),
        text:
          #"""
          SELECT *
          FROM (SELECT *
            FROM (\#(left.text))
            UNION ALL
            SELECT *
            FROM (\#(right.text)))
          ORDER BY 1 DESC
          LIMIT 1, 6
          """#.onOneLine)
    case 5:
      let cte = CommonTableExpression(
        name("c"), materialized: [nil, true, false][pick(3)], as: chosen)
      let twice = cte.join(cte.alias(name("d"))) { $0.id == $1.parent }
      return Twin(
        query: twice.where { one, _ in one.a > k }.select { _, two in two.b },
        text: #"""
          SELECT q.b
          FROM (SELECT * \#(source)) p, (SELECT * \#(source)) q
          WHERE q.parent = p.id AND p.a > \#(k)
          """#.onOneLine)
    case 6:
      let pairs = chosen.select { Pair.Columns(first: $0.a, second: $0.b) }
      return Twin(
        query: pairs.alias(name("d")).where { $0.first > k }.select { $0.second },
        text: "SELECT b FROM (SELECT a, b \(source)) WHERE a > \(k)")
    case 7:
      return Twin(
        query: chosen.order { ($0.a.descending, $0.id) }.select { $0.b }.limit(k + 3, offset: 2),
        text: "SELECT b \(source) ORDER BY a DESC, id LIMIT \(k + 3) OFFSET 2")
    case 8:
      let r = name("r")
      let m = name("m")
      let below = CommonTableExpression(
        name("t"),
        startingWith: chosen.select { Pair.Columns(first: $0.id, second: $0.a.optional) },
        distinct: true
      ) { found in
        Table<Node>().alias(m).join(found) { $0.parent == $1.first.optional }
          .select { Pair.Columns(first: $0.id, second: $1.second) }
      }
      return Twin(
        query: below.select { $0.second + $0.first.optional },
        text: #"""
          WITH RECURSIVE \#(r)(i, v) AS (SELECT id, a \#(source)
            UNION SELECT node.id, \#(r).v
            FROM \#(r), node
            WHERE node.parent = \#(r).i)
          SELECT v + i
          FROM \#(r)
          """#.onOneLine)
    case 9:
      let l = name("l")
      let largest = Table<Leaf>().alias(l).where { $0.node == c.id }.select { $0.y.max() }.scalar()
      return Twin(
        query: chosen.select { _ in largest },
        text: "SELECT (SELECT y FROM leaf WHERE node = \(n).id ORDER BY y DESC LIMIT 1) \(source)")
    default:
      let pairs = Table<Leaf>().group { $0.node }.select {
        Pair.Columns(first: $0.node, second: $0.x.sum())
      }
      return Twin(
        query: chosen.leftJoin(pairs.alias(name("d"))) { $0.id == $1.first }
          .select { node, pair in pair.second ?? node.b },
        text: "SELECT ifnull((SELECT sum(x) FROM leaf WHERE node = \(n).id), b) \(source)")
    }
  }
}

@Suite("Generated subqueries, compounds and common table expressions")
struct SubqueryPropertyTests {
  @Test(
    "1,200 random queries return the same rows as hand-written SQL",
    arguments: 0..<4)
  func random(seed: Int) async throws {
    var grower = Grower(seed: UInt64(seed) + 900)
    let twins = (0..<300).map { grower.query(1 + $0 % 4) }
    func number(_ random: inout SeededRandom) -> Int { .random(in: -2...6, using: &random) }
    let nodes = (1...14).map { id in
      Node(
        id: id, a: number(&grower.random), b: id % 4 == 0 ? nil : number(&grower.random),
        s: ["a", "é", ""].randomElement(using: &grower.random) ?? "",
        parent: id % 5 == 0 ? nil : .random(in: 1...14, using: &grower.random))
    }
    let leaves = (1...20).map { id in
      Leaf(
        id: id, node: .random(in: 1...14, using: &grower.random), x: number(&grower.random),
        y: id % 3 == 0 ? nil : number(&grower.random))
    }
    try await withFile(DatabaseSchema(Node.self, Leaf.self)) { database throws in
      try await Table<Node>().insert(contentsOf: nodes, in: database)
      try await Table<Leaf>().insert(contentsOf: leaves, in: database)
      let (different, empty) = try await database.read { db in
        var (different, empty): ([String], Int) = ([], 0)
        for twin in twins {
          let expected = try db.query(SQL(raw: twin.text)).map { "\($0.values[0])" }.sorted()
          let values = try twin.query.fetchAll(in: db)
          let found = try values.map { "\(try DatabaseValue(storing: $0))" }.sorted()
          let count = try twin.query.count(in: db)
          if found != expected || count != expected.count {
            different.append("\(twin.query.sql.text)\n\(twin.text)")
          }
          if expected.isEmpty { empty += 1 }
        }
        return (different, empty)
      }
      #expect(different == [])
      #expect(empty < twins.count / 2)
    }
  }
}
