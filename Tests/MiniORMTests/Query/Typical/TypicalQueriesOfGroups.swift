import Foundation
import MiniORM

// Compiled and measured only: see TypicalQueriesOfOneTable.swift.

extension Market {
  static func aggregates(_ given: Given) {
    _ = customers.select { _ in SQL.count() }
    _ = customers.select { $0.credit.sum() }
    _ = customers.select { ($0.credit.min(), $0.credit.max(), $0.credit.average()) }
    _ = customers.select { ($0.cityID.count(distinct: true), $0.joined.min(), $0.joined.max()) }
    _ = customers.select { SQL.count(filter: $0.isActive && $0.credit > 0) }
    _ = customers.select { ($0.credit.sum(filter: $0.isActive) ?? 0) - 5 }
    _ = customers.select { $0.name.groupConcat(separator: ", ", orderBy: $0.name) }
    _ = articles.select { ($0.price * 2).sum() }
    _ = articles.select { ($0.stock.sum() ?? 0, $0.price.total(), $0.weight.average() ?? 0) }
    _ = articles.where { $0.stock > 0 }.select { ($0.price.average(), SQL.count()) }
    _ = purchases.select { $0.discount.max() ?? 0 }
    _ = items.select { ($0.price.sum(), $0.pieces.sum(), $0.articleID.count(distinct: true)) }
  }

  static func groups(_ given: Given) {
    _ = customers.group { $0.cityID }.select { ($0.cityID, SQL.count()) }
    _ = customers.group { $0.cityID }.having { _ in SQL.count() > 2 }.select { $0.cityID }
    _ = customers.group { ($0.cityID, $0.isActive) }
      .select { ($0.cityID, $0.isActive, SQL.count(), $0.credit.sum()) }
    _ = customers.group { $0.joined.strftime("%Y") }
      .select { ($0.joined.strftime("%Y"), SQL.count()) }
    _ = customers.where { $0.isActive }.group { $0.cityID }.having { $0.credit.sum() > 100 }
      .order { $0.credit.sum().descending }.select { ($0.cityID, $0.credit.sum() ?? 0) }
    _ = articles.group { $0.category }.select { ($0.category, $0.price.average()) }
    _ = articles.group { $0.category }.order { $0.price.average().descending }.limit(3)
      .select { ($0.category ?? "none", $0.price.average() ?? 0, $0.stock.sum() ?? 0) }
    _ = articles.group { $0.category }.having { $0.price.max() > 100 && $0.stock.min() >= 0 }
      .select { ($0.category, $0.price.max(), $0.stock.min()) }
    _ = articles.group { Case.when($0.price < 10, then: "cheap").else("dear") }
      .select { (Case.when($0.price < 10, then: "cheap").else("dear"), SQL.count()) }
    _ = articles.group { ($0.category, $0.madeBy) }
      .select { ($0.category, $0.madeBy, $0.price.min(), $0.price.max(), SQL.count()) }
    _ = purchases.group { $0.status }.select { ($0.status, SQL.count()) }
    _ = purchases.group { $0.placed.date() }.order { $0.placed.date() }
      .select { ($0.placed.date(), SQL.count(), $0.discount.average()) }
    _ = purchases.group { ($0.placed.strftime("%Y-%m"), $0.status) }
      .having { _ in SQL.count() > given.number }
      .select { ($0.placed.strftime("%Y-%m"), $0.status, SQL.count()) }
    _ = purchases.group { $0.customerID }.having { $0.placed.max() < given.day }
      .select { ($0.customerID, $0.placed.max(), $0.placed.min()) }
    _ = items.group { $0.articleID }.order { $0.pieces.sum().descending }.limit(10)
      .select { ($0.articleID, $0.pieces.sum()) }
    _ = items.group { $0.purchaseID }.having { $0.price.sum() > 100 && SQL.count() > 1 }
      .select { ($0.purchaseID, $0.price.sum() ?? 0, $0.line.max()) }
    _ = customers.join(cities).group { $1.id }.select { ($1.name, SQL.count(), $0.credit.sum()) }
    _ = customers.join(cities).group { $1.country }.having { $0.0.credit.average() > 10 }
      .order { customer, city in customer.credit.average().descending }
      .select { ($1.country, $0.credit.average() ?? 0, $0.id.count()) }
    _ = customers.leftJoin(purchases) { $0.id == $1.customerID }.group { $0.0.id }
      .select { ($0.name, $1.id.count(), $1.placed.max()) }
    _ = customers.leftJoin(purchases) { $0.id == $1.customerID }.group { $0.0.id }
      .having { customer, purchase in purchase.id.count() == 0 }.select { $0.0.name }
    _ = items.join(articles).group { $1.category }
      .select { ($1.category, ($0.price * 2).sum(), $0.pieces.sum() ?? 0) }
    _ = items.join(articles).group { $1.id }
      .select { Sum.Columns(name: $1.name, purchases: SQL.count(), total: $0.price.sum()) }
    _ = items.join(purchases).join(customers) { $1.customerID == $2.id }.group { $2.id }
      .order { $0.0.price.sum().descending }.limit(10)
      .select { ($2.name, $0.price.sum(), $1.id.count(distinct: true)) }
    _ = items.join(purchases).group { $1.placed.strftime("%Y-%m") }
      .order { $0.1.placed.strftime("%Y-%m") }
      .select { ($1.placed.strftime("%Y-%m"), $0.price.sum() ?? 0, $0.price.max() ?? 0) }
    _ = branches.leftJoin(purchases).group { $0.0.id }.having { $1.id.count() < 3 }
      .select { Sum.Columns(name: $0.name, purchases: $1.id.count(), total: $1.discount.sum()) }
  }

  static func windows(_ given: Given) {
    _ = customers.select { ($0.name, SQL.rowNumber().over(orderBy: $0.credit.descending)) }
    _ = customers.select {
      ($0.name, SQL.rank().over(partitionBy: $0.cityID, orderBy: $0.credit.descending))
    }
    _ = customers.select { ($0.name, $0.credit.sum().over(partitionBy: $0.cityID)) }
    _ = customers.select { ($0.name, $0.credit - ($0.credit.average().over() ?? 0)) }
    _ = customers.select { $0.credit.lag(1, default: 0).over(orderBy: $0.joined) }
    _ = articles.select {
      ($0.name, SQL.denseRank().over(partitionBy: $0.category, orderBy: $0.price, $0.name))
    }
    _ = articles.select {
      ($0.name, $0.price.firstValue().over(partitionBy: $0.category, orderBy: $0.price.descending))
    }
    _ = articles.select { ($0.name, SQL.ntile(4).over(orderBy: $0.price), $0.price) }
    _ = articles.select { ($0.price - $0.price.lag(default: 0).over(orderBy: $0.id), $0.name) }
    _ = articles.select {
      ($0.name, $0.stock.sum().over(orderBy: $0.name, frame: .rows(.unboundedPreceding)) ?? 0)
    }
    _ = purchases.select {
      (
        $0.id, SQL.rowNumber().over(partitionBy: $0.customerID, orderBy: $0.placed),
        $0.placed.lag().over(partitionBy: $0.customerID, orderBy: $0.placed)
      )
    }
    _ = purchases.select {
      SQL.count().over(orderBy: $0.placed, frame: .rows(.preceding(6), .currentRow))
    }
    _ = items.select {
      ($0.purchaseID, $0.price.total().over(partitionBy: $0.purchaseID, orderBy: $0.line))
    }
    _ = items.select {
      ($0.price.average().over(orderBy: $0.line, frame: .range(.preceding(2), .following(2))))
    }
    _ = items.join(purchases).select {
      ($1.customerID, $0.price.sum().over(partitionBy: $1.customerID, orderBy: $1.placed, $0.line))
    }
    _ = items.join(articles).group { $1.category }.select {
      ($1.category, $0.price.sum(), SQL.rank().over(orderBy: $0.price.sum().descending))
    }
    _ = customers.join(cities).select {
      (
        $0.name, $1.name, SQL.percentRank().over(partitionBy: $1.country, orderBy: $0.credit),
        $0.credit.max().over(partitionBy: $1.country)
      )
    }
  }

  static func cases(_ given: Given) {
    _ = customers.where { Case.when($0.isActive, then: $0.credit).else(0) > 10 }
    _ = customers.select { Case.when($0.nickname == nil, then: $0.name).else("-") }
    _ = customers.select {
      Case.when($0.credit < 0, then: "debt").when($0.credit == 0, then: "even")
        .when($0.credit < 100, then: "some").when($0.credit < 1000, then: "more").else("rich")
    }
    _ = purchases.select { Case($0.status).when(.open, then: 1).when(.paid, then: 2).end() }
    _ = purchases.order { Case($0.status).when(.open, then: 0).when(.paid, then: 1).else(2) }
    _ = articles.select {
      Case.when($0.stock == 0, then: 0).when($0.stock < 5, then: $0.stock * 2).else(10).sum()
    }
    _ = articles.select {
      (
        Case.when($0.price > 100, then: $0.price * 0.9).else($0.price),
        ($0.stock > 0 && $0.price < 5).iif($0.name, else: $0.madeBy)
      )
    }
    _ = articles.where { ($0.category == nil).iif(1, else: 2) == 1 && $0.stock > 0 }
  }

  static func writes(_ given: Given) {
    _ = customers.update { $0.isActive = false }
    _ = customers.where { $0.credit < 0 }.update { $0.credit = 0 }
    _ = customers.where { $0.id == given.key }.update { $0.name = given.text }
    _ = customers.where { $0.id == given.key }.update { $0.credit += given.price }
    _ = customers.update { $0.credit = $0.credit * 1.1 + 5 }
    _ = customers.where { $0.nickname == "" }.update { $0.nickname = nil }
    _ = customers.where { $0.nickname == nil }.update { $0.nickname = $0.name.lower().optional }
    _ = customers.where { $0.joined < given.day && !$0.isActive }.update { $0.cityID = nil }
    _ = customers.where { $0.id.isIn(given.keys) }.update { $0.interests = ["chess", "go"] }
    _ = articles.where { $0.category == "tools" && $0.stock > 0 }.update { $0.stock -= 1 }
    _ = articles.update { $0.price = Case.when($0.price > 100, then: 100).else($0.price) }
    _ = articles.update { $0.weight = (($0.weight ?? 1) * 2 + 1).optional }
    _ = articles.where { $0.flags & 1 == 0 }.update { $0.flags = $0.flags | 1 }
    _ = purchases.where { $0.status == .open }.update { $0.status = .paid }
    _ = purchases.where { $0.placed < given.day }.update { $0.placed = given.day }
    _ = items.where { $0.pieces > 10 }.update { $0.price = $0.price * 0.9 }
    _ = articles.order { $0.stock.descending }.limit(5).update { $0.stock *= 2 }
    _ = branches.where { $0.closed == nil }.update { $0.closed = given.day }
  }
}
