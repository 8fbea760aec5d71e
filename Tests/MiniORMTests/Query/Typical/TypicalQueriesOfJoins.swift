import Foundation
import MiniORM

// Compiled and measured only: see TypicalQueriesOfOneTable.swift.

extension Market {
  static func joinsOfTwo(_ given: Given) {
    _ = customers.join(cities)
    _ = customers.join(cities) { $0.cityID == $1.id }
    _ = customers.join(cities) { customer, city in customer.cityID == city.id }
    _ = customers.join(cities).where { $1.country == "NL" && $0.isActive }
    _ = customers.join(cities).where { customer, city in city.name == given.text }
    _ = customers.join(cities).order { ($1.name, $0.name) }
    _ = customers.join(cities).order { customer, city in (city.country, customer.name.descending) }
    _ = customers.join(cities).select { ($0.name, $1.name) }
    _ = customers.join(cities).select { ($0, $1.name, $1.country) }
    _ = customers.leftJoin(cities).select { ($0.name, $1.name) }
    _ = customers.leftJoin(cities).where { $1.id == nil }.select { $0.0.name }
    _ = customers.leftJoin(cities).where { ($1.population ?? 0) > 100_000 }
    _ = customers.leftJoin(cities).select { ($0.name, $1.name ?? "nowhere") }
    _ = customers.rightJoin(cities).where { $0.0.id == nil }.select { $1.name }
    _ = customers.fullJoin(cities).select { ($0.name, $1.name) }
    _ = customers.crossJoin(branches).where { $0.cityID == $1.cityID }
    _ = customers.crossJoin(branches).where { $0.id < 3 && $1.closed == nil }.limit(100)
    _ = customers.join(customers.alias("host")) { $0.invitedBy == $1.id }
    _ = customers.join(customers.alias("host")) { $0.invitedBy == $1.id }
      .select { ($0.name, $1.name) }
    _ = customers.leftJoin(customers.alias("host")) { guest, host in guest.invitedBy == host.id }
      .order { ($1.name, $0.name) }.select { ($0.name, $1.name ?? "-") }
    _ = items.join(articles).where { $0.price < $1.price * 0.5 }
    _ = items.join(articles).select { ($1.name, $0.price - $1.price, $0.pieces) }
    _ = items.join(articles).where { $1.category == "tools" }.select { ($1.name, $0.pieces) }
    _ = purchases.join(customers).where { $0.status == .open && $1.credit < 0 }
    _ = purchases.join(customers).where { $0.placed < $1.joined }.select { ($1.name, $0.placed) }
    _ = purchases.join(customers.where { $0.isActive }).limit(10)
    _ = purchases.leftJoin(branches).where { $1.closed != nil || $1.id == nil }
    _ = purchases.where { $0.status == .paid }.join(branches.where { $0.closed == nil })
      .order { ($1.name, $0.placed.descending) }
    _ = branches.join(cities).select { ($0.name, $1.name, $0.opened.strftime("%Y")) }
    _ = branches.join(cities).where { $1.population > 50_000 && $0.opened < given.day }.distinct()
  }

  static func joinsOfThree(_ given: Given) {
    _ = purchases.join(customers).join(branches)
    _ = purchases.join(customers).leftJoin(branches) { $0.branchID == $2.id }
    _ = purchases.join(customers).leftJoin(branches) { $0.branchID == $2.id }
      .select { ($0.id, $1.name, $2.name) }
    _ = items.join(articles).join(purchases) { $0.purchaseID == $2.id }
      .where { $2.status == .paid && $1.price > 10 }
    _ = items.join(purchases).join(customers) { $1.customerID == $2.id }
      .where { item, purchase, customer in customer.isActive && item.pieces > 2 }
      .select { item, purchase, customer in (customer.name, purchase.placed, item.price) }
    _ = items.join(purchases).join(customers) { $1.customerID == $2.id }
      .order { ($2.name, $1.placed.descending, $0.line) }
    _ = purchases.join(customers).leftJoin(cities) { $1.cityID == $2.id }
      .where { $2.country == "NL" || $2.country == nil }.select { ($1.name, $2.name ?? "?") }
    _ = customers.leftJoin(purchases) { $0.id == $1.customerID }
      .leftJoin(branches) { $1.branchID == $2.id }.select { ($0.name, $1.placed, $2.name) }
    _ = cities.join(branches).join(customers) { $0.id == $2.cityID }
      .select { ($0.name, $1.name, $2.name) }.distinct()
    _ = cities.join(branches).leftJoin(customers) { $0.id == $2.cityID && $2.isActive }
      .where { $0.0.population > 1000 }.order { ($0.name, $2.name) }.limit(given.number)
  }

  static func joinsOfFour(_ given: Given) {
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }.select { ($3.name, $2.name, $0.pieces, $0.price) }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }
      .where { $3.isActive && $2.price > 10 && $1.status == .paid && $0.pieces > 1 }
      .order { ($3.name, $1.placed.descending, $0.line) }
      .select { ($3.name, $1.placed, $2.name, $0.price * 2) }
    _ = items.join(purchases).join(articles) { item, purchase, article in
      item.articleID == article.id
    }
    .join(customers) { item, purchase, article, customer in purchase.customerID == customer.id }
    .where { item, purchase, article, customer in
      customer.isActive && article.price > given.price && purchase.status != .returned
    }
    .select { item, purchase, article, customer in
      (customer.name, article.name, item.pieces, item.price * (purchase.discount ?? 1))
    }
    _ = purchases.join(customers).leftJoin(branches) { $0.branchID == $2.id }
      .leftJoin(cities) { $2.cityID == $3.id }
      .select { ($0.id, $1.name, $2.name, $3.name ?? "-") }
    _ = purchases.join(customers).leftJoin(cities) { $1.cityID == $2.id }
      .leftJoin(branches) { $0.branchID == $3.id }.where { $3.closed == nil && $2.country == "NL" }
      .order { ($0.2.name, $0.1.name) }.limit(20)
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }.group { $3.id }
      .select { ($3.name, $0.price.sum(), $0.pieces.sum(), SQL.count()) }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }
      .where { item, purchase, article, customer in
        purchase.status == .paid && purchase.placed > given.day
      }
      .group { ($3.id, $2.category) }
      .having { $0.0.price.sum() > 100 }.order { $0.0.price.sum().descending }
      .select { ($3.name, $2.category, $0.price.sum() ?? 0) }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .leftJoin(branches) { $1.branchID == $3.id }.group { $3.id }
      .select { ($3.name ?? "online", $0.price.average(), $1.id.count(distinct: true)) }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }.leftJoin(cities) { $3.cityID == $4.id }
      .select {
        Receipt.Columns(
          customer: $3.name, city: $4.name, article: $2.name, pieces: $0.pieces,
          amount: $0.price * 1.2)
      }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }.leftJoin(cities) { $3.cityID == $4.id }
      .where { item, purchase, article, customer, city in
        city.country == "NL" && article.stock > item.pieces && purchase.note == nil
      }
      .order { item, purchase, article, customer, city in (customer.name, item.line) }
    _ = articles.leftJoin(items).leftJoin(purchases) { $1.purchaseID == $2.id }
      .leftJoin(customers) { $2.customerID == $3.id }.where { $3.id == nil }.select { $0.0.name }
    _ = cities.leftJoin(customers).leftJoin(purchases) { $1.id == $2.customerID }
      .leftJoin(items) { $2.id == $3.purchaseID }.group { $0.0.id }
      .select { Sum.Columns(name: $0.name, purchases: $2.id.count(), total: $3.price.sum()) }
    _ = customers.join(customers.alias("host")) { $0.invitedBy == $1.id }
      .join(cities) { $0.cityID == $2.id }.join(cities.alias("home")) { $1.cityID == $3.id }
      .where { $2.id != $3.id }.select { ($0.name, $2.name, $1.name, $3.name) }
    _ = customers.crossJoin(branches).crossJoin(cities)
      .where { $0.cityID == $2.id && $1.cityID == $2.id }.limit(5)
  }

  static func longJoins(_ given: Given) {
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }
      .where {
        $0.pieces > 1 && $0.price < 100 && $1.status == .paid && $1.placed > given.day
          && $1.discount == nil && $2.stock > 0 && $2.category != nil && $3.isActive
          && $3.credit >= 0 && $3.name.like(given.pattern)
      }
      .order { ($3.name, $1.placed, $0.line) }.limit(50, offset: given.number)
      .select { ($3.name, $1.placed, $2.name, $0.pieces, $0.price) }
    _ = items.join(purchases).join(articles) { $0.articleID == $2.id }
      .join(customers) { $1.customerID == $3.id }
      .where { item, purchase, article, customer in
        item.price * 2 > article.price && item.price < article.price * 3
          && (purchase.discount ?? 0) < 0.5 && (customer.nickname ?? customer.name) != given.text
      }
      .group { item, purchase, article, customer in (customer.id, article.category) }
      .having { item, purchase, article, customer in SQL.count() > 2 && item.price.sum() > 10 }
      .order { item, purchase, article, customer in (customer.name, item.price.sum().descending) }
      .select { item, purchase, article, customer in
        Sum.Columns(name: customer.name, purchases: SQL.count(), total: item.price.sum())
      }
  }
}
