import MiniORM

extension DatabaseSchema {
  static let journal = DatabaseSchema(
    version: 1, Category.self, Expense.self)
}
