import MiniORM

@Table("company")
struct Company: Identifiable {
  let id: Int64
  @Column(.unique) var name: String
  @Column("staff", renamedFrom: "employeeCount")
  var employeeCount = 0
  var founded: Int?
  var isActive = true
  @Column(.references(City.self, onDelete: .setNull))
  var cityID: City.ID?
}
