import MiniORM

// Each call is a row of Docs.docc/Grammar.md: see Grammar.swift.

extension Market {
  @Sendable
  static func writeGrammar(_ grammar: inout Grammar) {
    // - `INSERT INTO` table-name `VALUES (`expr`)`
    grammar.change { cities.insert(City.Draft(name: "Reims", country: "FR")) }
    // - `INSERT INTO` … several rows
    grammar.change {
      cities.insert(contentsOf: ["Ghent", "Ypres"].map { City.Draft(name: $0, country: "BE") })
    }
    // - `INSERT INTO` schema-name`.`table-name
    grammar.change { Table<City>(in: "main").insert(City.Draft(name: "Pau", country: "FR")) }
    // - `INSERT INTO` … `DEFAULT VALUES`
    grammar.change { visits.insertDefaultValues() }
    // - `INSERT INTO` table-name select-stmt
    grammar.change {
      cities.insert(from: cities.where { $0.country == "FR" }, assigningRowIDs: true)
    }
    // - `INSERT INTO` table-name `(`column-name`)` select-stmt
    grammar.change {
      cities.insert(into: { ($0.name, $0.country) }, from: branches.select { ($0.name, $0.name) })
    }
    // - `INSERT OR IGNORE`
    grammar.change { cities.insert(City.Draft(name: "Lille", country: "FR")).or(.ignore) }
    // - `INSERT OR REPLACE`, `REPLACE`
    grammar.change { cities.insert(City(id: 9, name: "Nice", country: "FR")).or(.replace) }
    // - `INSERT OR ABORT`
    grammar.change { cities.insert(City(id: 10, name: "Nancy", country: "FR")).or(.abort) }
    // - `INSERT OR FAIL`
    grammar.change { cities.insert(City(id: 11, name: "Metz", country: "FR")).or(.fail) }
    // - `INSERT OR ROLLBACK`
    grammar.change { cities.insert(City(id: 12, name: "Brest", country: "FR")).or(.rollback) }
    // - upsert-clause: `ON CONFLICT DO NOTHING`
    grammar.change { cities.insert(City(id: 9, name: "Nice", country: "FR")).onConflictDoNothing() }
    // - upsert-clause: `ON CONFLICT (`indexed-column`) DO NOTHING`
    grammar.change {
      cities.insert(City(id: 9, name: "Nice", country: "FR")).onConflictDoNothing { $0.id }
    }
    // - upsert-clause: `ON CONFLICT (`indexed-column`) DO UPDATE SET`
    grammar.change {
      cities.insert(City(id: 9, name: "Nice", country: "FR"))
        .onConflict {
          $0.id
        } update: { row, new in
          row.name = new.name
        }
    }
    // - upsert-clause: `DO UPDATE SET` … `WHERE` expr
    grammar.change {
      cities.insert(City(id: 9, name: "Nice", country: "FR"))
        .onConflict {
          $0.id
        } update: { row, new in
          row.name = new.name
        } where: { row, new in
          row.country == new.country
        }
    }
    // - upsert-clause: several
    grammar.change {
      cities.insert(City(id: 9, name: "Nice", country: "FR"))
        .onConflict {
          $0.id
        } update: { row, new in
          row.name = new.name
        }.onConflictDoNothing()
    }
    // - upsert-clause: `ON CONFLICT (`indexed-column`) WHERE` expr, for a partial index
    grammar.change {
      visits.insert { $0.day = 7 }
        .onConflict {
          $0.day
        } targetWhere: {
          $0.isCounted
        } update: { visit, _ in
          visit.count += 1
        }
    }
    // - `INSERT` … returning-clause
    grammar.returning {
      cities.insert(City.Draft(name: "Reims", country: "FR")).returning { $0.id }
    }
    // - `UPDATE` table-name `SET` column-name `=` expr
    grammar.change { articles.update { $0.stock = 0 } }
    // - `SET` column-name `=` an expression of the row as it was
    grammar.change { articles.update { $0.price = $0.price * 1.1 } }
    // - `SET` column-name `=` `(`select-stmt`)`
    grammar.change {
      articles.update { $0.price = items.select { $0.price.max() }.scalar() ?? $0.price }
    }
    // - `SET` several columns
    grammar.change {
      articles.update {
        $0.stock = 0
        $0.category = nil
      }
    }
    // - `SET (`column-name`,` column-name`) =` expr – as assignments to each
    // - `UPDATE` schema-name`.`table-name
    grammar.change { Table<Article>(in: "main").update { $0.stock = 0 } }
    // - `UPDATE` … `INDEXED BY` – SQLite chooses the index
    // - `UPDATE` … `WHERE` expr
    grammar.change { articles.where { $0.category == nil }.update { $0.category = "other" } }
    // - `UPDATE` … `FROM` table-or-subquery
    grammar.change {
      items.update(from: articles) { item, article in item.price = article.price }
    }
    // - `UPDATE` … `FROM` join-clause
    grammar.change {
      items.update(
        from: purchases.join(customers), on: { item, joined in item.purchaseID == joined.0.id }
      ) { item, joined in
        item.price = item.price * 0.9
      }
    }
    // - `UPDATE` … `ORDER BY` … `LIMIT`
    grammar.change { articles.order { $0.price }.limit(3).update { $0.stock += 1 } }
    // - `UPDATE OR` …
    grammar.change { customers.update { $0.email = $0.email.lower() }.or(.ignore) }
    // - `UPDATE` … returning-clause
    grammar.returning { articles.update { $0.stock += 1 }.returning { ($0.name, $0.stock) } }
    // - `DELETE FROM` table-name
    grammar.change { items.delete() }
    // - `DELETE FROM` … `WHERE` expr
    grammar.change { articles.where { $0.stock == 0 }.delete() }
    // - `DELETE` … `ORDER BY` … `LIMIT`
    grammar.change { articles.order { $0.price }.limit(3).delete() }
    // - `DELETE` … returning-clause
    grammar.returning { articles.where { $0.stock == 0 }.delete().returning() }
    // - `WITH` … `INSERT`
    grammar.change {
      cities.insert(
        from: CommonTableExpression("old", as: cities.where { $0.id < 9 }).select { $0 },
        assigningRowIDs: true)
    }
    // - `WITH` … `UPDATE`
    grammar.change {
      articles.where {
        $0.id.isIn(CommonTableExpression("sold", as: items).select { $0.articleID })
      }
      .update { $0.stock -= 1 }
    }
    // - `WITH` … `DELETE`
    grammar.change {
      articles.where {
        !$0.id.isIn(CommonTableExpression("sold", as: items).select { $0.articleID })
      }
      .delete()
    }
  }
}
