import Foundation
import MiniORM

@Table("expense")
struct Expense: Identifiable {
  let id: Int64
  var date: Date
  var note = ""
}
