import Foundation
import MiniORM

// Compiled and measured only: see TypicalQueriesOfOneTable.swift.

extension Market {
  static func subqueries(_ given: Given) {
    _ = articles.where { $0.price > (items.select { $0.price.average() }.scalar() ?? 0) }
    _ = articles.where { $0.id.isIn(items.where { $0.pieces > 10 }.select { $0.articleID }) }
    _ = articles.where { !$0.id.isIn(items.select { $0.articleID }) && $0.stock > 0 }
    _ = articles.where { article in items.where { $0.articleID == article.id }.exists() }
    _ = customers.where { customer in
      !purchases.where { $0.customerID == customer.id && $0.placed > given.day }.exists()
        && customer.isActive && customer.credit > 10
    }
    _ = customers.select { customer in
      (
        customer.name,
        purchases.where { $0.customerID == customer.id }.select { _ in SQL.count() }.scalar() ?? 0
      )
    }
    _ = customers.order { customer in
      purchases.where { $0.customerID == customer.id }.select { $0.placed.max() }.scalar()
    }
    _ = customers.where {
      RowValue($0.id, $0.credit).isIn(customers.alias("c").select { ($0.id, $0.credit) })
    }
    _ = articles.order { $0.price.descending }.limit(10).alias("dear").where { $0.stock > 0 }
    _ = customers.join(
      items.join(purchases).group { $1.customerID }
        .select {
          Sum.Columns(name: $1.note.min() ?? "", purchases: SQL.count(), total: $0.price.sum())
        }
        .alias("sums")
    ) { $0.name == $1.name }
    .select { ($0.name, $1.total) }
  }

  static func compounds(_ given: Given) {
    _ = cities.select { $0.name }.union(branches.select { $0.name }).order { $0.descending }
    _ = articles.where { $0.stock == 0 }.unionAll(articles.order { $0.price }.limit(3))
      .order { ($0.name, $0.price) }
    _ = customers.select { ($0.name, $0.cityID) }.except(
      customers.where { !$0.isActive }.select { ($0.name, $0.cityID) })
    _ = cities.select { $0.name }.intersect(branches.select { $0.name }).limit(5)
  }

  static func commonTables(_ given: Given) {
    let dear = CommonTableExpression("dear", as: articles.where { $0.price > 100 })
    _ = dear.where { $0.stock > 0 }.order { $0.name }
    _ = items.join(dear) { $0.articleID == $1.id }.select { ($1.name, $0.pieces) }
    _ = items.where { $0.articleID.isIn(dear.select { $0.id }) && $0.pieces > 1 }
    _ = CommonTableExpression("guests", startingWith: customers.where { $0.id == 1 }) { guests in
      customers.join(guests) { $0.invitedBy == $1.id }.select { customer, _ in customer }
    }
    .order { $0.name }.limit(100)
  }

  static func values(_ given: Given) {
    _ = CommonTableExpression("n", startingWith: SQL.select { SQL.value(1) }) { n in
      n.where { $0 < 100 }.select { $0 + 1 }
    }
    _ = items.select { $0.articleID }.distinct().alias("sold").rightJoin(articles) { $0 == $1.id }
      .where { sold, _ in sold == nil }
  }

  static func changes(_ given: Given) {
    _ = cities.insert(City.Draft(name: given.text, country: "NL")).or(.ignore)
    _ = cities.insert(from: cities.where { $0.country == "FR" }, assigningRowIDs: true)
    _ = cities.insert(
      into: { ($0.name, $0.country) }, from: branches.select { ($0.name, $0.name.upper()) })
    _ = cities.insert(City(id: 9, name: "Nice", country: "FR"))
      .onConflict {
        $0.id
      } update: { row, new in
        row.name = new.name
        row.population = new.population
      } where: { row, new in
        row.country == new.country && new.name != ""
      }
    _ = items.update(from: articles) { item, article in item.price = article.price }
    _ = items.where { $0.pieces > 1 }.update(from: articles.where { $0.stock > 0 }) {
      item, article in item.price = article.price * 0.9
    }
    _ = articles.where { $0.stock == 0 }.delete().returning { ($0.id, $0.name) }
    _ = articles.update { $0.stock += 1 }.returning { ($0.name, $0.stock * 2) }
    _ = purchases.where { purchase in !items.where { $0.purchaseID == purchase.id }.exists() }
      .delete()
    _ = articles.update { $0.price = items.select { $0.price.max() }.scalar() ?? $0.price }
  }

  static func related(_ given: Given) {
    _ = customers.where { $0.isActive }.including(purchases.order { $0.placed.descending }.limit(3))
    _ = purchases.including(items.where { $0.pieces > 1 }).including(items)
  }
}
