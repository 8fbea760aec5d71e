import MiniORM

extension DatabaseSchema {
  static let journal = DatabaseSchema(
    version: 4, Category.self, Expense.self, Attachment.self,
    objects: [Expense.text])
}
