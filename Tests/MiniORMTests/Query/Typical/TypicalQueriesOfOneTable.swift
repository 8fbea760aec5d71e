import Foundation
import MiniORM

// Queries typical of applications. They never run: every build compiles them, and
// scripts/maintainer/compile-times measures the compile time of each `_ =`.

extension Market {
  /// Absorbs the compiler's setup time per module, so that no measurement includes it.
  private static func warmUp(_ given: Given) {
    _ = customers.where { $0.name == given.text && $0.credit > 1 }.order { ($0.name, $0.id) }
    _ = customers.join(cities).where { $0.cityID == $1.id }.group { $1.id }
      .select { (SQL.count(), $1.name, $0.credit.sum()) }
    _ = articles.update { $0.price = $0.price * 2 + 1 }
  }

  static func conditions(_ given: Given) {
    _ = customers.where { $0.email == given.text }
    _ = customers.where { $0.isActive && $0.credit > 100 }
    _ = customers.where { !$0.isActive || $0.credit < 0 }
    _ = customers.where { $0.nickname == nil && $0.cityID != nil }
    _ = customers.where { $0.nickname == given.maybe }
    _ = customers.where { $0.cityID == given.maybeKey && $0.name.like(given.pattern) }
    _ = customers.where { $0.id.isIn(given.keys) }
    _ = customers.where { !$0.id.isIn([3, 5, 8]) && $0.name.isIn(given.words) }
    _ = customers.where {
      $0.joined >= given.day && $0.joined < given.day.addingTimeInterval(86_400)
    }
    _ = customers.where { $0.name.hasPrefix("Mc") || $0.name.hasSuffix("sen") }
    _ = customers.where { $0.name.contains(given.text, caseInsensitive: true) }
    _ = customers.where { $0.email.lower() == given.text.lowercased() }
    _ = customers.where { ($0.nickname ?? $0.name).length() > 12 }
    _ = customers.where { $0.name.collate(.nocase) == "ada" }
    _ = customers.where { $0.invitedBy == $0.id }
    _ = customers.where { $0.joined.strftime("%Y") == "2026" }
    _ = customers.where { $0.joined.applying(.startOfMonth) > SQL.now }
    _ = customers.where { $0.interests == ["chess"] }
    _ = articles.where { $0.price.between(5, and: 10) }
    _ = articles.where { $0.price * 1.2 > 100 }
    _ = articles.where { $0.price * Double(given.number) - 5 >= $0.price / 2 }
    _ = articles.where { $0.stock - 5 < 0 && $0.stock >= 0 }
    _ = articles.where { $0.flags & 4 == 4 || $0.flags | 1 == 7 }
    _ = articles.where { ($0.weight ?? 0) * 2 + 1 > 10 }
    _ = articles.where { $0.stock % 12 == 0 && $0.category != "food" }
    _ = articles.where { $0.price.round(1) == 9.9 || $0.price.floor() == 9 }
    _ = articles.where { -$0.stock > -10 && $0.stock.abs() < 10 }
    _ = articles.where { $0.category.isIn(["tools", "garden", nil]) }
    _ = articles.where { $0.name.trim().substr(1, 3) == "Big" }
    _ = articles.where { RowValue($0.price, $0.id) > (given.price, given.key) }
    _ = purchases.where { $0.status == .open }
    _ = purchases.where { $0.status != .paid && $0.status != .sent }
    _ = purchases.where { $0.status.isIn([.open, .returned]) }
    _ = purchases.where { $0.placed < given.day && $0.branchID == nil }
    _ = purchases.where { ($0.discount ?? 0) > 0.25 || $0.note.like("%urgent%") }
    _ = purchases.where { $0.note.length() > 3 }
    _ = branches.where { $0.closed == nil || $0.closed > SQL.now }
    _ = branches.where { $0.opened.applying(.years(1)) < $0.closed }
    _ = items.where { $0.pieces > 1 && $0.price * 2 < 10 }
    _ = items.where { RowValue($0.purchaseID, $0.line).isIn([(1, 1), (1, 2)]) }
    _ = articles.where(sql: "length(name) > \(given.number)")
    _ = articles.where { SQLExpression<Int>("length(\($0.name))") > given.number }
  }

  static func longConditions(_ given: Given) {
    _ = customers.where {
      $0.isActive && $0.credit > 10 && $0.credit < 500 && $0.name != "" && $0.nickname == nil
        && $0.cityID != nil && $0.invitedBy == nil && $0.joined > given.day && $0.id > 10
        && $0.email.like("%.com")
    }
    _ = customers.where {
      $0.name == given.text || $0.nickname == given.text || $0.email == given.text
        || $0.name.like(given.pattern) || $0.nickname.like(given.pattern)
        || $0.email.like(given.pattern) || $0.id == given.key || $0.cityID == given.key
        || $0.invitedBy == given.key || $0.credit == given.price
    }
    _ = articles.where {
      ($0.price > 5 && $0.price < 10) || ($0.price > 50 && $0.price < 100)
        || ($0.stock > 5 && $0.stock < 10) || ($0.stock > 50 && $0.stock < 100)
        || ($0.weight > 1 && $0.weight < 2)
    }
    _ = articles.where {
      $0.price + 1 > 2 && $0.price - 1 < 20 && $0.price * 2 > 5 && $0.price / 2 < 100
        && $0.stock + 1 > 2 && $0.stock - 1 < 20 && $0.stock * 2 > 5 && $0.stock / 2 < 100
        && $0.flags & 1 == 1 && $0.flags >> 1 == 3
    }
    _ = purchases.where {
      $0.status == .open && $0.placed > given.day && $0.discount == nil && $0.note == nil
        && $0.branchID != nil && $0.customerID != given.key && !$0.customerID.isIn(given.keys)
        && $0.id > 100 && $0.id < 10_000 && $0.id % 2 == 0
    }
    _ = purchases.where {
      !($0.status == .returned) && !($0.note == "x") && !($0.discount > 0.5) && !($0.branchID == 3)
        && !($0.customerID == 4) && !($0.placed < given.day) && !($0.id == 7) && !($0.id == 8)
        && !($0.id == 9) && !($0.id == 10)
    }
    _ = articles.where {
      $0.name.lower() == "a" && $0.name.upper() == "A" && $0.name.trim() == "a"
        && $0.name.length() == 1 && $0.category.lower() != "b" && $0.category.length() > 1
        && $0.madeBy.hasPrefix("a") && $0.madeBy.contains("b")
        && $0.madeBy.replace("a", with: "") == ""
        && $0.madeBy.instr("c") > 3
    }
    _ = customers.where {
      (given.isOn ? $0.isActive : !$0.isActive) && $0.credit >= 1.5 && $0.credit <= 2.5
        && $0.name >= "a" && $0.name < "m" && $0.email > $0.name && $0.nickname != $0.name
        && $0.id != $0.invitedBy && $0.joined < SQL.now && $0.joined.date() == "2026-01-01"
    }
  }

  static func ordersAndLimits(_ given: Given) {
    _ = articles.order { $0.name }
    _ = articles.order { $0.price.descending }
    _ = articles.order { ($0.category, $0.price.descending, $0.name) }
    _ = articles.order { ($0.category.ascending.nullsLast, $0.id) }
    _ = articles.order { ($0.weight ?? 0).descending }
    _ = articles.order { ($0.name.collate(.nocase), $0.stock * 2, $0.price.round().descending) }
    _ = articles.where { $0.stock > 0 }.order { $0.name }.limit(20, offset: given.number * 20)
    _ = articles.where { RowValue($0.name, $0.id) > (given.text, given.key) }
      .order { ($0.name, $0.id) }.limit(50)
    _ = customers.where { $0.isActive }.where { $0.credit > 5 }.order { $0.joined }.distinct()
    _ = customers.order { Case.when($0.isActive, then: 0).else(1) }.limit(10)
    _ = purchases.order { ($0.status, $0.placed.descending.nullsFirst) }.limit(1)
    _ = purchases.where { $0.status == .open }.order { $0.placed.applying(.startOfDay).descending }
  }

  static func projections(_ given: Given) {
    _ = customers.select { $0.name }
    _ = customers.select { ($0.id, $0.name) }
    _ = customers.select { ($0.name, $0.nickname ?? $0.name, $0.cityID) }
    _ = customers.select { $0.cityID }.distinct()
    _ = customers.select { ($0.name.upper(), $0.email.lower(), $0.joined.date()) }
    _ = customers.select { ($0, $0.name.length()) }
    _ = customers.select { $0.name.appending(" <").appending($0.email).appending(">") }
    _ = customers.select { SQL.format("%s (%d)", $0.name, $0.id) }
    _ = customers.select { SQL.concat($0.name, $0.nickname, $0.email, separator: ", ") }
    _ = articles.select { ($0.name, $0.price * 1.2, $0.price * 0.2) }
    _ = articles.select { ($0.name, Case.when($0.stock == 0, then: "none").else("some")) }
    _ = articles.select {
      (
        $0.name,
        Case.when($0.price < 10, then: "cheap").when($0.price < 100, then: "fair").else("dear")
      )
    }
    _ = articles.select { Case($0.category).when("a", then: 1).when("b", then: 2).else(0) }
    _ = articles.select { ($0.name, ($0.stock > 0).iif("yes", else: "no")) }
    _ = articles.select { ($0.price.cast(to: Int.self), $0.flags.hex(), $0.weight.typeof()) }
    _ = articles.select { ($0.name, $0.weight.coalesce($0.price.optional), $0.stock.nullif(0)) }
    _ = articles.select { ($0.price.max(5), $0.stock.min($0.flags), $0.price.sign()) }
    _ = articles.select { ($0.price.pow(2), $0.price.apply(.sqrt), $0.price.log(base: 2)) }
    _ = articles.where { $0.stock > 3 }.order { $0.name }.limit(3).select { ($0.id, $0.name) }
    _ = articles.select { ($0.price * Double(given.number) + 1, $0.price / 3 - 1) }
    _ = purchases.select { ($0.id, $0.placed, $0.status) }
    _ = purchases.select { ($0.placed.strftime("%Y-%m"), $0.discount ?? 0) }
    _ = items.select { ($0.purchaseID, Double(1) * $0.price, $0.pieces) }
    _ = articles.select { ($0.stock * 2 + 1, $0.price * 2 + 1, $0.flags - 1) }
    _ = articles.select { (($0.price * 2 - 1).max(3) + 2 * $0.price.min(3), $0.price * 2 + 1) }
    _ = articles.select { $0.stock * 2 + $0.flags * 3 - 1 }
    _ = articles.select { Sum.Columns(name: $0.name, purchases: $0.stock, total: $0.weight) }
    _ = articles.select {
      Sum.Columns(name: $0.name, purchases: $0.stock * 2 + 1, total: ($0.price * 2).optional)
    }
  }
}
