import MiniORM

@Table("city")
struct City: Identifiable {
  let id: Int64
  @Column(.unique) var name: String
}
