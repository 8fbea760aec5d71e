import MiniORM

@Table("company")
struct Company: Identifiable {
  let id: Int64
  @Column(.unique) var name: String
  var employeeCount = 0
  var founded: Int?
  @Column(.references(City.self, onDelete: .setNull))
  var cityID: City.ID?
}
