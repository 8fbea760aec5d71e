import MiniORM

@Table("category")
struct Category: Identifiable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String
}
