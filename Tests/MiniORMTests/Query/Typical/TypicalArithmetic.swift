import Foundation
import MiniORM

// Compiled and measured only: see TypicalQueriesOfOneTable.swift.

extension Market {
  /// Arithmetic without a contextual result type.
  static func arithmetic(_ given: Given, _ db: isolated Connection) throws {
    _ = articles.select {
      ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) + 4 / $0.price
    }
    _ = articles.order {
      ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) + 4 / $0.price
    }
    _ = articles.order {
      (($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) + 4 / $0.price).descending
    }
    _ = articles.group {
      ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) + 4 / $0.price
    }
    _ = articles.where { ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) + 4 / $0.price > 3 }
    _ = articles.select { ($0.name, ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price)) }
    _ = articles.select { ($0, ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price)) }
    _ = articles.order { (($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price), $0.name.descending) }
    _ = articles.group { ($0.price * 2 + 1 - $0.price / 3, $0.stock * 2 + 1) }
    _ = items.join(articles).select { item, article in
      (item.price * 2 + 1 - article.price / 3) * (1 - item.price)
    }
    _ = items.join(articles).order { ($0.price * 2 + 1 - $1.price / 3) * (1 - $0.price) }
    _ = articles.update { $0.price = ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) }
    _ = try articles.max(
      of: { ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) + 4 / $0.price }, in: db)
    _ = try articles.max(of: { ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) }, in: db)
    _ = try articles.min(of: { ($0.weight ?? 0) * 2 + 1 - $0.price / 3 }, in: db)
    _ = try articles.sum(of: { ($0.price * 2 + 1 - $0.price / 3) * (1 - $0.price) }, in: db)
    _ = articles.where { ($0.weight / $0.price) * 100 > 3 && $0.stock / $0.flags < 4 }
    _ = articles.select { $0.weight < $0.price && $0.stock > 3 || $0.category.like("a%") }
  }
}
