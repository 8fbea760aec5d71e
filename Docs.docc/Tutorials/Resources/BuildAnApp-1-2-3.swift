import Foundation
import MiniORM

@Table("expense")
struct Expense: Identifiable {
  let id: Int64
  var date: Date
  @Column(.check("amount > 0"), as: .decimal(scale: 2))
  var amount: Decimal
  var note = ""
}
