import Foundation
import MiniORM

@Selection
struct Share {
  let month: String?
  let category: String
  @Column(as: .decimal(scale: 2)) let amount: Decimal?
  let rank: Int
}
