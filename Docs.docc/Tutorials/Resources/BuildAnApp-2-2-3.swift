import Foundation
import MiniORM

struct Importer {
  var ids: [String: Category.ID] = [:]

  mutating func id(
    _ name: String, in db: isolated Connection
  ) throws -> Category.ID {
    if let id = ids[name] { return id }
    let id = try Category.named(name, in: db).id
    ids[name] = id
    return id
  }

  mutating func draft(
    _ line: Substring, in db: isolated Connection
  ) throws -> Expense.Draft? {
    let parts = line.split(separator: ",", maxSplits: 3)
    guard parts.count == 4, let date = Date(day: parts[0]),
      let amount = Decimal(money: parts[1])
    else { return nil }
    return Expense.Draft(
      date: date, amount: amount, note: String(parts[3]),
      categoryID: try id(String(parts[2]), in: db))
  }
}
