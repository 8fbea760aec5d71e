import Foundation
import MiniORM

@Selection
struct Month {
  let month: String?
  let count: Int
  @Column(as: .decimal(scale: 2)) let amount: Decimal?
}
