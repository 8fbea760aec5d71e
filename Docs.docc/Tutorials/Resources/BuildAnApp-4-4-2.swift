import Foundation
import MiniORM

@Selection
struct Share {
  let month: String?
  let category: String
  @Column(as: .decimal(scale: 2)) let amount: Decimal?
  let rank: Int

  static func all(_ expenses: Table<Expense>) -> Select<Share> {
    expenses.join(Table<Category>())
      .group { ($0.month, $1.id) }
      .select { Share.Columns(
        month: $0.month, category: $1.name,
        amount: $0.amount.sum(),
        rank: SQL.rank().over(
          partitionBy: $0.month,
          orderBy: $0.amount.sum().descending)) }
  }
}
