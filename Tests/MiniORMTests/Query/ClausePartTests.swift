import Testing

@testable import MiniORM

/// A clause of a part of a query.
private enum PartClause: CaseIterable {
  case filter, order, limit, distinct

  func of(_ products: Table<Product>) -> Table<Product> {
    switch self {
    case .filter: products.where { $0.price > 1 }
    case .order: products.order { $0.price.descending }
    case .limit: products.order { $0.price.descending }.limit(1)
    case .distinct: products.distinct()
    }
  }
}

/// A way to make products a part of a query, with the resulting keys for each clause.
private struct Combination: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The keys for each clause, or the start of the error's message. In order only for `order`.
  let expected: [String]
  let keys: @Sendable (Table<Product>, isolated Connection) throws -> [Int64?]

  init(
    _ name: String, _ expected: String...,
    keys: @escaping @Sendable (Table<Product>, isolated Connection) throws -> [Int64?]
  ) {
    (testDescription, self.expected, self.keys) = (name, expected, keys)
  }

  static let lost = "order(_:) before"
  static let unused = "order(_:) has no effect"
  static let notDistinct = "distinct() has no effect"

  static let all = [
    Combination("join, right", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try makers.join(part).fetchAll(in: db).map(\.1.id)
    },
    Combination("join, left", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try part.join(makers).fetchAll(in: db).map(\.0.id)
    },
    Combination("join, both", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try makers.order { $0.name }.join(part).fetchAll(in: db).map(\.1.id)
    },
    Combination("join, third", "1", "1 2 2", "", "1 2 2") { part, db in
      try stores.join(sales).join(part).fetchAll(in: db).map(\.2.id)
    },
    Combination("leftJoin", "- - 1 3", "3 1 2 -", "- - 3", "- 1 2 3") { part, db in
      try makers.leftJoin(part).fetchAll(in: db).map(\.1?.id)
    },
    Combination("rightJoin", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try makers.rightJoin(part).fetchAll(in: db).map(\.1.id)
    },
    Combination("fullJoin", "- - 1 3", "3 1 2 -", "- - 3", "- 1 2 3") { part, db in
      try makers.fullJoin(part).fetchAll(in: db).map(\.1?.id)
    },
    Combination("crossJoin", "1 1 3 3", "3 3 1 1 2 2", "3 3", "1 1 2 2 3 3") { part, db in
      try stores.crossJoin(part).fetchAll(in: db).map(\.1.id)
    },
    Combination("including", "1 3", "3 1 2", "2 3", "1 2 3") { part, db in
      try makers.order { $0.id }.including(part).fetchAll(in: db).flatMap { $0.1.map(\.id) }
    },
    Combination("including, on", "1 3", "3 1 2", "2 3", "1 2 3") { part, db in
      try makers.order { $0.id }.including(part, on: { $0.makerID }).fetchAll(in: db)
        .flatMap { $0.1.map(\.id) }
    },
    Combination("including, nested", "1 3", "3 1 2", "2 3", "1 2 3") { part, db in
      try makers.order { $0.id }.including(part.including(sales)).fetchAll(in: db)
        .flatMap { $0.1.map(\.0.id) }
    },
    Combination("including, through", "1", "1 2 2", "1 2", "1 2 2") { part, db in
      try stores.order { $0.id }.including(part, through: sales).fetchAll(in: db)
        .flatMap { $0.1.map(\.id) }
    },
    Combination("parent rows", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try part.including(sales).fetchAll(in: db).map(\.0.id)
    },
    Combination("union, left", "1 2 3", lost, "2 3", "1 2 3") { part, db in
      try part.union(products.where { $0.id == 2 }).fetchAll(in: db).map(\.id)
    },
    Combination("unionAll, right", "1 2 3", lost, "2 3", "1 2 2 3") { part, db in
      try products.where { $0.id == 2 }.unionAll(part).fetchAll(in: db).map(\.id)
    },
    Combination("intersect", "1 3", lost, "3", "1 2 3") { part, db in
      try part.intersect(products).fetchAll(in: db).map(\.id)
    },
    Combination("except", "2", lost, "1 2", "") { part, db in
      try products.except(part).fetchAll(in: db).map(\.id)
    },
    Combination("alias", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try part.alias("p").fetchAll(in: db).map(\.id)
    },
    Combination("alias of an alias", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try part.alias("p").alias("q").fetchAll(in: db).map(\.id)
    },
    Combination("join of an alias", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try makers.join(part.alias("p")) { $0.id == $1.makerID }.fetchAll(in: db).map(\.1.id)
    },
    Combination("alias of a model's query", "1 3", lost, "3", "1 2 3") { part, db in
      try part.select { $0 }.alias("s").fetchAll(in: db).map(\.id)
    },
    Combination("alias of a value's query", "1 3", lost, "3", "1 2 3") { part, db in
      try part.select { $0.id }.alias("s").fetchAll(in: db).map(Optional.init)
    },
    Combination("where after select", "1 3", lost, "3", "1 2 3") { part, db in
      try part.select { $0 }.where { $0.id > 0 }.fetchAll(in: db).map(\.id)
    },
    Combination("common table expression", "1 3", lost, "3", "1 2 3") { part, db in
      try CommonTableExpression("c", as: part).fetchAll(in: db).map(\.id)
    },
    Combination("update from", "1", unused, "", "1 2 2") { part, db in
      try sales.update(from: part) { sale, _ in sale.pieces = 7 }.run(in: db)
      return try sales.where { $0.pieces == 7 }.fetchAll(in: db).map(\.productID)
    },
    Combination("update", "1 3", "1 2 3", "3", notDistinct) { part, db in
      try part.update { $0.price = 7 }.run(in: db)
      return try products.where { $0.price == 7 }.fetchAll(in: db).map(\.id)
    },
    Combination("update, returning", "1 3", unused, "3", notDistinct) { part, db in
      try part.update { $0.price = 7 }.returning { $0.id }.fetchAll(in: db).map(Optional.init)
    },
    Combination("delete", "2", "", "1 2", notDistinct) { part, db in
      try sales.deleteAll(in: db)
      try part.deleteAll(in: db)
      return try products.fetchAll(in: db).map(\.id)
    },
    Combination("delete, returning", "1 3", unused, "3", notDistinct) { part, db in
      try sales.deleteAll(in: db)
      return try part.delete().returning().fetchAll(in: db).map(\.id)
    },
    Combination("insert from", "1 3", "3 1 2", "3", "1 2 3") { part, db in
      try products.insert(from: part, assigningRowIDs: true).run(in: db)
      return try products.where { $0.id > 3 }.order { $0.id }.fetchAll(in: db).map { new in
        Product.some.first { $0.name == new.name }?.id
      }
    },
    Combination("isIn", "1", "1 2", "1", "1 2") { part, db in
      try makers.where { $0.id.isIn(part.select { $0.makerID }) }.fetchAll(in: db).map(\.id)
    },
    Combination("exists", "1", "1 2", "1 2", "1 2") { part, db in
      try makers.where { maker in part.where { $0.makerID == maker.id }.exists() }.fetchAll(in: db)
        .map(\.id)
    },
    Combination("count", "2", "3", "1", "3") { part, db in [Int64(try part.count(in: db))] },
    Combination("sum", "4", "6", "3", "6") { part, db in [try part.sum(of: { $0.id }, in: db)] },
  ]
}

@Suite("Clauses of the parts of a query")
struct ClausePartTests {
  @Test(
    "Every clause of a part has its effect, or an error names the clause",
    arguments: Combination.all)
  fileprivate func table(combination: Combination) async throws {
    for (clause, expected) in zip(PartClause.allCases, combination.expected) {
      let found = try await withTrade { database in
        try await database.write { db in
          do {
            var keys = try combination.keys(clause.of(products), db)
              .map { $0.map(String.init) ?? "-" }
            if clause != .order { keys.sort() }
            return keys.joined(separator: " ")
          } catch let error as DatabaseError {
            return String(error.message.prefix(expected.count))
          }
        }
      }
      #expect(found == expected, "\(combination.testDescription), \(clause)")
    }
  }

  @Test("The order of a linking table sorts the related rows; its limit is refused")
  func links() async throws {
    try await withTrade { database throws in
      func related(_ links: Table<Sale>, _ others: Table<Product> = products) async throws
        -> [[Int64]]
      {
        let rows = try await stores.order { $0.id }.including(others, through: links)
          .fetchAll(in: database)
        return rows.map { $0.1.map(\.id) }
      }
      // Swift 6.3.1 confuses closures within #expect with closures of the same function outside.
      let ascending = sales.order { $0.pieces }
      let descending = sales.order { $0.pieces.descending }
      let most = sales.where { $0.pieces > 50 }.distinct()
      let byKey = products.order { $0.id }
      #expect(try await related(ascending) == [[1, 2], [2]])
      #expect(try await related(descending) == [[2, 1], [2]])
      #expect(try await related(descending, products.limit(1)) == [[2], [2]])
      #expect(try await related(ascending, products.limit(1)) == [[1], [2]])
      #expect(try await related(descending, byKey) == [[1, 2], [2]])
      #expect(try await related(most) == [[2], []])
      #expect(
        try await failure { _ = try await related(sales.limit(1)) }.summary
          == "prepare 21 -.- -: limit(_:) of the linking table would count the links of all rows "
          + "together: limit the related rows of each row, as in including(others.limit(1), "
          + "through: links)")
    }
  }

  @Test("A negative limit is an error in each kind of query")
  func negativeLimit() async throws {
    try await withTrade { database throws in
      let message =
        "The limit is negative: give a number of 0 or more, or remove limit(_:) to select all rows"
      let few = products.limit(-1)
      let queries: [@Sendable (isolated Connection) throws -> Void] = [
        { db in _ = try few.fetchAll(in: db) },
        { db in _ = try few.fetchOne(in: db) },
        { db in _ = try few.count(in: db) },
        { db in _ = try few.deleteAll(in: db) },
        { db in _ = try few.update { $0.price = 7 }.run(in: db) },
        { db in _ = try few.join(makers).fetchAll(in: db) },
        { db in _ = try makers.including(few).fetchAll(in: db) },
        { db in _ = try few.including(sales).fetchOne(in: db) },
        { db in _ = try few.alias("p").fetchAll(in: db) },
        { db in _ = try products.alias("p").limit(.min).fetchAll(in: db) },
        { db in _ = try products.select { $0.id }.limit(-1).fetchOne(in: db) },
      ]
      for query in queries {
        #expect(
          try await failure { try await database.write { db in try query(db) } }.message == message)
      }
      let page = PreparedQuery(Int.self) { products.order { $0.id }.limit($0) }
      #expect(try await page.fetchAll(2, in: database).map(\.id) == [1, 2])
      let error = try await failure { try await page.fetchAll(-1, in: database) }
      #expect(
        error.summary
          == "step 20 -.- -: datatype mismatch: the limit must be an integer of 0 or more, and the "
          + "offset an integer")
      #expect(try await products.count(in: database) == 3)
    }
  }
}

@Table("line") private struct ViewRow: Equatable {
  let id: Int64
  var name: String
}

@Suite("Rows of a view with INSTEAD OF triggers")
struct ViewChangeTests {
  @Test("A change by key reports whether the triggers changed a row")
  func changes() async throws {
    let script = """
      CREATE TABLE base (key INTEGER PRIMARY KEY, text TEXT);
      INSERT INTO base VALUES (1, 'a'), (2, 'b'), (3, 'c');
      CREATE VIEW line AS SELECT key AS id, text AS name FROM base;
      CREATE TRIGGER change INSTEAD OF UPDATE ON line BEGIN
        UPDATE base SET text = NEW.name WHERE key = NEW.id;
      END;
      CREATE TRIGGER removal INSTEAD OF DELETE ON line BEGIN
        DELETE FROM base WHERE key = OLD.id;
      END
      """
    let lines = Table<ViewRow>()
    try await withTemporaryDatabase(script: script) { database throws in
      #expect(try await lines.update(ViewRow(id: 1, name: "x"), in: database))
      #expect(try await !lines.update(ViewRow(id: 9, name: "x"), in: database))
      let rows = [1, 2, 9].map { ViewRow(id: $0, name: "y") }
      #expect(try await lines.update(contentsOf: rows, in: database) == 2)
      #expect(try await lines.delete(1, in: database))
      #expect(try await !lines.delete(1, in: database))
      #expect(try await lines.delete(keys: [1, 2], in: database) == 1)
      #expect(try await lines.fetchAll(in: database) == [ViewRow(id: 3, name: "c")])
    }
    // A trigger that ignores a row of a table changes nothing that counts.
    let ignoring = """
      CREATE TABLE line (id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE log (id INTEGER);
      INSERT INTO line VALUES (1, 'a');
      CREATE TRIGGER change BEFORE UPDATE ON line BEGIN
        INSERT INTO log VALUES (NEW.id);
        SELECT RAISE(IGNORE);
      END
      """
    try await withTemporaryDatabase(script: ignoring) { database throws in
      #expect(try await !lines.update(ViewRow(id: 1, name: "x"), in: database))
    }
  }
}
