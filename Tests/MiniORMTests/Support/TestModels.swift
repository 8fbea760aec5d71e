import Foundation
import MiniORM

@Table("city")
struct City: Identifiable, Equatable {
  let id: Int64
  var name: String
}

@Table("company_master", columns: .snakeCase)
struct Company: Identifiable, Equatable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String
  var employeeCount = 0
  var founded: Date?
  @Column(.references(City.self, onDelete: .setNull)) var cityID: City.ID?
  @Column(as: .json) var tags: [String] = []
  @Transient var isSelected = false
}
