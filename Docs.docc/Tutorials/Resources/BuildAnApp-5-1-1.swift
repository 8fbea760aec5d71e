import Foundation
import MiniORM

@Table("attachment")
struct Attachment: Identifiable {
  let id: Int64
  var name: String
  var content: Data
  @Column(.references(Expense.self, onDelete: .cascade))
  var expenseID: Expense.ID
}
