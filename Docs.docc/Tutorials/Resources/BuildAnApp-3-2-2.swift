import MiniORM

extension DatabaseSchema {
  static let journal = DatabaseSchema(
    version: 2, Category.self, Expense.self,
    objects: [Expense.text])
}
