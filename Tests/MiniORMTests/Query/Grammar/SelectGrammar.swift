import MiniORM

// Each call is a row of Docs.docc/Grammar.md: see Grammar.swift.

extension Market {
  @Sendable
  static func selectGrammar(_ grammar: inout Grammar) {
    // - `SELECT` the columns of a table
    grammar.query { articles }
    // - `SELECT DISTINCT`
    grammar.query { articles.select { $0.category }.distinct() }
    // - `SELECT ALL` – the default, and never written
    // - result-column: expr
    grammar.query { articles.select { $0.price * 2 } }
    // - result-column: several
    grammar.query { articles.select { ($0.name, $0.price * 2) } }
    // - result-column: expr `AS` column-alias
    grammar.query {
      articles.select { Sum.Columns(name: $0.name, purchases: $0.stock, total: $0.weight) }
    }
    // - result-column: table-name`.*`
    grammar.query { items.join(articles).select { ($1, $0.pieces) } }
    // - table-or-subquery: schema-name`.`table-name
    grammar.query { Table<Article>(in: "main").where { $0.stock > 0 } }
    // - table-or-subquery: table-name `AS` table-alias
    grammar.query { articles.alias("a").where { $0.stock > 0 } }
    // - table-or-subquery: `(` select-stmt `) AS` table-alias
    grammar.query {
      articles.order { $0.price.descending }.limit(3).alias("dear").where { $0.stock > 0 }
    }
    // - table-or-subquery: `(` select-stmt `) AS` table-alias, of a `@Selection`
    grammar.query {
      articles.group { $0.category }.select {
        Sum.Columns(name: $0.madeBy.min() ?? "", purchases: SQL.count(), total: $0.price.sum())
      }
      .alias("sums").where { $0.total > 100 }
    }
    // - table-or-subquery: `(` select-stmt `) AS` table-alias, of a value
    grammar.query {
      articles.group { $0.category }.select { $0.price.max() }.alias("most").where { $0 > 100 }
    }
    // - table-or-subquery: table-function-name`(`expr`)`, of JSON
    grammar.query { customers.join { $0.interests.jsonEach() }.select { ($0.name, $1.value) } }
    // - table-or-subquery: a table and its full-text index
    grammar.query { articles.matching(articleText, "iron").order { $0.rank } }
    // - table-or-subquery: `INDEXED BY`, `NOT INDEXED` – SQLite chooses the index: `queryPlan(in:)` tells which
    // - table-or-subquery: `(` join-clause `)` – joins go from left to right
    // - join-clause: `,` and `CROSS JOIN`
    grammar.query { cities.crossJoin(branches).where { $0.id == $1.cityID } }
    // - join-clause: `JOIN`, `INNER JOIN`
    grammar.query { customers.join(cities) { $0.cityID == $1.id } }
    // - join-clause: `LEFT JOIN`
    grammar.query { customers.leftJoin(cities) { $0.cityID == $1.id } }
    // - join-clause: `RIGHT JOIN`
    grammar.query { customers.rightJoin(cities) { $0.cityID == $1.id } }
    // - join-clause: `FULL JOIN`
    grammar.query { customers.fullJoin(cities) { $0.cityID == $1.id } }
    // - join-clause: several joins
    grammar.query {
      items.join(purchases).join(customers) { $1.customerID == $2.id }
        .select { ($2.name, $1.placed, $0.price) }
    }
    // - join-clause: `NATURAL` – columns that happen to have one name join nothing
    // - join-constraint: `ON` expr
    grammar.query { items.join(articles) { $0.articleID == $1.id && $0.price < $1.price } }
    // - join-constraint: `ON`, by the foreign key
    grammar.query { items.join(articles) }
    // - join-constraint: `USING (`column-name`)` – `ON` with both columns
    // - `WHERE` expr
    grammar.query { articles.where { $0.stock == 0 } }
    // - `GROUP BY` expr
    grammar.query { articles.group { $0.category }.select { ($0.category, SQL.count()) } }
    // - `GROUP BY` several
    grammar.query { articles.group { ($0.category, $0.madeBy) }.select { $0.price.max() } }
    // - `HAVING` expr
    grammar.query {
      articles.group { $0.category }.having { $0.price.max() > 9 }.select { $0.category }
    }
    // - `WINDOW` window-name `AS` window-defn
    grammar.query {
      articles.window("dear") {
        WindowDefinition(partitionBy: $0.category, orderBy: $0.price.descending)
      }
      .select { ($0.name, SQL.rank().over("dear")) }
    }
    // - window-defn: base-window-name
    grammar.query {
      articles.window("w") { WindowDefinition(partitionBy: $0.category) }
        .window("v") { WindowDefinition(extending: "w", orderBy: $0.price) }
        .select { _ in SQL.rowNumber().over("v") }
    }
    // - `ORDER BY` ordering-term
    grammar.query { articles.order { $0.name } }
    // - ordering-term: several
    grammar.query { articles.order { ($0.category, $0.price * 2) } }
    // - ordering-term: `COLLATE`
    grammar.query { articles.order { $0.name.collate(.nocase) } }
    // - ordering-term: `ASC`
    grammar.query { articles.order { $0.name.ascending } }
    // - ordering-term: `DESC`
    grammar.query { articles.order { $0.name.descending } }
    // - ordering-term: `NULLS FIRST`
    grammar.query { articles.order { $0.weight.descending.nullsFirst } }
    // - ordering-term: `NULLS LAST`
    grammar.query { articles.order { $0.weight.ascending.nullsLast } }
    // - compound-operator: `UNION`
    grammar.query { cities.select { $0.name }.union(branches.select { $0.name }) }
    // - compound-operator: `UNION ALL`
    grammar.query { cities.select { $0.name }.unionAll(branches.select { $0.name }) }
    // - compound-operator: `INTERSECT`
    grammar.query { cities.select { $0.name }.intersect(branches.select { $0.name }) }
    // - compound-operator: `EXCEPT`
    grammar.query { cities.select { $0.name }.except(branches.select { $0.name }) }
    // - compound: `ORDER BY`, `LIMIT` of the whole
    grammar.query {
      cities.select { $0.name }.union(branches.select { $0.name }).order { $0.descending }.limit(9)
    }
    // - compound: `ORDER BY`, `LIMIT` of a part
    grammar.query {
      articles.where { $0.stock == 0 }.unionAll(articles.order { $0.price }.limit(3))
    }
    // - `VALUES (`expr`)` as a query – only in `INSERT`
    // - `WITH` common-table-expression
    grammar.query {
      CommonTableExpression("dear", as: articles.where { $0.price > 100 }).where { $0.stock > 0 }
    }
    // - common-table-expression: `AS MATERIALIZED`
    grammar.query {
      CommonTableExpression("dear", materialized: true, as: articles.where { $0.price > 100 })
        .order { $0.name }
    }
    // - common-table-expression: `AS NOT MATERIALIZED`
    grammar.query {
      CommonTableExpression("dear", materialized: false, as: articles.where { $0.price > 100 })
        .order { $0.name }
    }
    // - common-table-expression in a subquery
    grammar.query {
      items.where {
        $0.articleID.isIn(
          CommonTableExpression("dear", as: articles.where { $0.price > 100 }).select { $0.id })
      }
    }
    // - `WITH RECURSIVE` …, `UNION ALL`
    grammar.query {
      CommonTableExpression("guests", startingWith: customers.where { $0.id == 1 }) { guests in
        customers.join(guests) { $0.invitedBy == $1.id }.select { customer, _ in customer }
      }
      .order { $0.name }
    }
    // - `WITH RECURSIVE` …, `UNION`
    grammar.query {
      CommonTableExpression("guests", startingWith: customers.where { $0.id == 1 }, distinct: true)
      {
        guests in
        customers.join(guests) { $0.invitedBy == $1.id }.select { customer, _ in customer }
      }
      .select { $0.name }
    }
    // - `WITH RECURSIVE` …, of a value
    grammar.query {
      CommonTableExpression("n", startingWith: SQL.select { SQL.value(1) }) { n in
        n.where { $0 < 9 }.select { $0 + 1 }
      }
      .order { $0.descending }
    }
    // - `LIMIT` expr
    grammar.query { articles.limit(10) }
    // - `LIMIT` expr `OFFSET` expr
    grammar.query { articles.limit(10, offset: 20) }
  }
}
