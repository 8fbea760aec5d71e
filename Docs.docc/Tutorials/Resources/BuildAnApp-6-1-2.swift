import MiniORM

struct Rule {
  let text: String
  let category: String

  init?(_ line: Substring) {
    let parts = line.split(separator: "=")
    guard parts.count == 2 else { return nil }
    (text, category) = (String(parts[0]), String(parts[1]))
  }

  func apply(in db: isolated Connection) throws -> Int {
    let new = try Category.named(category, in: db)
    return try Table<Expense>()
      .where {
        $0.note.contains(text) && $0.categoryID != new.id
      }
      .update { $0.categoryID = new.id }
      .run(in: db)
  }
}
