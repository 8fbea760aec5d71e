import MiniORM

extension DatabaseSchema {
  static let journal = DatabaseSchema(
    version: 4, Category.self, Expense.self, Attachment.self,
    objects: [Expense.text],
    steps: [
      Step(to: 4, "budgets from last year's spending",
        .addColumn("budget",
          ScaledDecimal<DecimalScales.S2>?.self, to: "category"),
        .sql(
          """
          UPDATE category SET budget =
            (SELECT sum(amount) / 12 FROM expense
            WHERE categoryID = category.id)
          """))
    ])
}
