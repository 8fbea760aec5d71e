import MiniORM

@Table("company")
struct Company: Identifiable {
  let id: Int64
  var name: String
}
