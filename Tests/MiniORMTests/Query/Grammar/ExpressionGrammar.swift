import MiniORM

// Each call is a row of Docs.docc/Grammar.md: see Grammar.swift.

extension Market {
  @Sendable
  static func expressionGrammar(_ grammar: inout Grammar) {
    // - literal-value, bind-parameter
    grammar.article { $0.stock == 3 }
    // - literal-value where an expression is expected
    grammar.article { _ in SQL.value("text") }
    // - literal-value: `NULL`
    grammar.article { _ in SQL.value(nil as Int?) }
    // - literal-value: `CURRENT_TIMESTAMP`
    grammar.article { _ in SQL.now }
    // - table-name`.`column-name
    grammar.article { $0.name }
    // - `rowid`
    grammar.article { _ in SQL.rowID(of: Article.self) }
    // - raw SQL, its values bound
    grammar.article { SQLExpression<Int>("length(\($0.name)) + \(1)") }
    // - unary-operator: `-`
    grammar.article { -$0.stock }
    // - unary-operator: `+` – it has no effect
    // - unary-operator: `~`
    grammar.article { ~$0.flags }
    // - unary-operator: `NOT`
    grammar.article { !($0.stock == 3) }
    // - binary-operator: `||`
    grammar.article { $0.name.appending($0.madeBy) }
    // - binary-operator: `->>`
    grammar.customer { $0.interests.json("$[0]", as: String.self) }
    // - binary-operator: `->`
    grammar.customer { $0.interests.json("$", as: JSON<[String]>.self) }
    // - binary-operator: `*`
    grammar.article { $0.price * 2 }
    // - binary-operator: `/`
    grammar.article { $0.price / 2 }
    // - binary-operator: `%`
    grammar.article { $0.stock % 12 }
    // - binary-operator: `+`
    grammar.article { $0.stock + $0.flags }
    // - binary-operator: `-`
    grammar.article { 100 - $0.price }
    // - binary-operator: `&`
    grammar.article { $0.flags & 4 }
    // - binary-operator: `|`
    grammar.article { $0.flags | 4 }
    // - binary-operator: `<<`
    grammar.article { $0.flags << 1 }
    // - binary-operator: `>>`
    grammar.article { $0.flags >> 1 }
    // - binary-operator: `<`
    grammar.article { $0.price < 10 }
    // - binary-operator: `<=`
    grammar.article { $0.price <= $0.weight }
    // - binary-operator: `>`
    grammar.article { $0.name > $0.madeBy }
    // - binary-operator: `>=`
    grammar.article { $0.stock >= 5 }
    // - binary-operator: `=`, `==`
    grammar.article { $0.name == "Anvil" }
    // - binary-operator: `<>`, `!=`
    grammar.article { $0.name != "Anvil" }
    // - binary-operator: `IS`, `IS NOT DISTINCT FROM`
    grammar.article { $0.category == "tools" }
    // - binary-operator: `IS NOT`, `IS DISTINCT FROM`
    grammar.article { $0.category != "tools" }
    // - binary-operator: `AND`
    grammar.article { $0.stock > 0 && $0.price < 10 }
    // - binary-operator: `OR`
    grammar.article { $0.stock > 0 || $0.price < 10 }
    // - function-name`(`expr`)`
    grammar.article { $0.name.upper() }
    // - function-name`(`expr`,` expr`)`
    grammar.article { $0.name.substr(1, 3) }
    // - function-name`()`
    grammar.article { _ in SQL.random() }
    // - function-name`(*)`
    grammar.article { _ in SQL.count() }
    // - function-name`(DISTINCT` expr`)`
    grammar.article { $0.category.count(distinct: true) }
    // - function-name`(`expr `ORDER BY` ordering-term`)`
    grammar.article { $0.name.groupConcat(separator: ", ", orderBy: $0.price.descending) }
    // - filter-clause
    grammar.article { $0.price.sum(filter: $0.stock > 0) }
    // - over-clause: `OVER ()`
    grammar.article { $0.price.sum().over() }
    // - over-clause: `OVER` window-name
    grammar.query {
      articles.window("w") { WindowDefinition(orderBy: $0.id) }.select { $0.price.sum().over("w") }
    }
    // - over-clause: `PARTITION BY`, `ORDER BY`
    grammar.article { SQL.rank().over(partitionBy: $0.category, orderBy: $0.price.descending) }
    // - frame-spec: `ROWS BETWEEN` … `AND` …
    grammar.article {
      $0.price.average().over(orderBy: $0.id, frame: .rows(.preceding(3), .following(1)))
    }
    // - frame-spec: `RANGE`
    grammar.article {
      SQL.count().over(orderBy: $0.price, frame: .range(.preceding(0.5), .currentRow))
    }
    // - frame-spec: `GROUPS`
    grammar.article {
      SQL.count().over(orderBy: $0.price, frame: .groups(.unboundedPreceding, .unboundedFollowing))
    }
    // - frame-spec: `EXCLUDE`
    grammar.article {
      $0.price.sum().over(orderBy: $0.id, frame: .rows(.preceding(1), exclude: .currentRow))
    }
    // - `(`expr`)`
    grammar.article { ($0.price + 1) * 2 }
    // - `(`expr`,` expr`)`
    grammar.article { RowValue($0.price, $0.id) > (9.5, 3) }
    // - `CAST (`expr `AS` type-name`)`
    grammar.article { $0.price.cast(to: Int.self) }
    // - expr `COLLATE` collation-name
    grammar.article { $0.name.collate(.nocase) == "anvil" }
    // - expr `LIKE` expr
    grammar.article { $0.name.like("A%") }
    // - expr `LIKE` expr `ESCAPE` expr
    grammar.article { $0.name.like("100!%", escape: "!") }
    // - expr `NOT LIKE` expr
    grammar.article { !$0.name.like("A%") }
    // - expr `GLOB` expr
    grammar.article { $0.name.glob("A*") }
    // - expr `REGEXP` expr, with a function named regexp
    grammar.article { $0.name.regexp("^A") }
    // - expr `MATCH` expr – as a query: `articles.matching(articleText, "iron")`, see <doc:FullTextSearch>
    // - expr `ISNULL`
    grammar.article { $0.category == nil }
    // - expr `NOTNULL`, expr `NOT NULL`
    grammar.article { $0.category != nil }
    // - expr `BETWEEN` expr `AND` expr
    grammar.article { $0.price.between(5, and: 10) }
    // - expr `NOT BETWEEN` expr `AND` expr
    grammar.article { !$0.price.between(5, and: 10) }
    // - expr `IN (`expr`,` …`)`, of values
    grammar.article { $0.id.isIn([1, 2, 3]) }
    // - expr `IN (`expr`,` …`)`, of expressions
    grammar.article { $0.stock.isIn($0.flags, $0.flags + 1) }
    // - expr `NOT IN (`expr`,` …`)`
    grammar.article { !$0.id.isIn([1, 2, 3]) }
    // - `(`expr`,` expr`) IN (`rows`)`
    grammar.article { RowValue($0.stock, $0.flags).isIn([(1, 2), (3, 4)]) }
    // - expr `IN (`select-stmt`)`
    grammar.article { $0.id.isIn(items.select { $0.articleID }) }
    // - expr `NOT IN (`select-stmt`)`
    grammar.article { !$0.id.isIn(items.select { $0.articleID }) }
    // - `(`expr`,` expr`) IN (`select-stmt`)`
    grammar.article { RowValue($0.id, $0.price).isIn(items.select { ($0.articleID, $0.price) }) }
    // - expr `IN` table-name – as a select-stmt of its column
    // - `EXISTS (`select-stmt`)`
    grammar.article { article in items.where { $0.articleID == article.id }.exists() }
    // - `NOT EXISTS (`select-stmt`)`
    grammar.article { article in !items.where { $0.articleID == article.id }.exists() }
    // - `(`select-stmt`)`
    grammar.article { $0.price - (items.select { $0.price.average() }.scalar() ?? 0) }
    // - `(`select-stmt`)`, correlated
    grammar.article { article in
      items.where { $0.articleID == article.id }.select { $0.pieces.sum() }.scalar()
    }
    // - `CASE WHEN` expr `THEN` expr `ELSE` expr `END`
    grammar.article { Case.when($0.stock == 0, then: "none").else("some") }
    // - `CASE WHEN` expr `THEN` expr `END`
    grammar.article { Case.when($0.stock == 0, then: $0.name).end() }
    // - `CASE` expr `WHEN` expr `THEN` expr `END`
    grammar.article { Case($0.stock).when(0, then: "none").when(1, then: "one").else("some") }
    // - `ifnull`, `coalesce`
    grammar.article { $0.category ?? "none" }
    // - `nullif`
    grammar.article { $0.stock.nullif(0) }
    // - `iif`
    grammar.article { ($0.stock > 0).iif("yes", else: "no") }
    // - date functions
    grammar.customer { $0.joined.strftime("%Y-%m") }
    // - date functions: modifiers
    grammar.customer { $0.joined.applying(.startOfMonth, .months(1)) }
    // - `RAISE (`…`)` – in the raw SQL of a trigger
  }
}
