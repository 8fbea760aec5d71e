import Foundation
import MiniORM

@Table("expense")
struct Expense: Identifiable {
  let id: Int64
  var date: Date
  @Column(.check("amount > 0"), as: .decimal(scale: 2))
  var amount: Decimal
  @Column("purpose", renamedFrom: "note") var note = ""
  @Column(.references(Category.self))
  var categoryID: Category.ID
}

extension Expense {
  static var indexes: [Index<Expense>] {
    [Index { $0.date }, Index { $0.categoryID }]
  }

  static let text = FullTextIndex<Expense>(
    "expense_text", prefixes: [2, 3]
  ) { $0.note }
}
