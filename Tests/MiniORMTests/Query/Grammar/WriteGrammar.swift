import MiniORM

// Each call is a line of Docs.docc/Grammar.md: see Grammar.swift.

extension Market {
  @Sendable
  static func writeGrammar(_ grammar: inout Grammar) {
    // - `UPDATE` table-name `SET` column-name `=` expr
    grammar.update { articles.update { $0.stock = 0 } }
    // - `SET` several columns
    grammar.update { articles.update { ($0.stock, $0.category) = (0, nil) } }
    // - `SET` column-name `=` an expression of the row as it was
    grammar.update { articles.update { $0.price = $0.price * 1.1 } }
    // - `UPDATE` … `WHERE` expr
    grammar.update { articles.where { $0.category == nil }.update { $0.category = "other" } }
    // - `UPDATE` … `ORDER BY` … `LIMIT`
    grammar.update { articles.order { $0.price }.limit(3).update { $0.stock += 1 } }
    // - `UPDATE` schema-name`.`table-name
    grammar.update { Table<Article>(in: "main").update { $0.stock = 0 } }
  }
}
