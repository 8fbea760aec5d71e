import MiniORM

struct Rule {
  let text: String
  let category: String

  init?(_ line: Substring) {
    let parts = line.split(separator: "=")
    guard parts.count == 2 else { return nil }
    (text, category) = (String(parts[0]), String(parts[1]))
  }
}
