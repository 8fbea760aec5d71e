import MiniORM

extension Atlas {
  /// `atlas build`.
  static func build(_ file: String?) async throws -> Status {
    let database = try await Store.open(file)
    let count = try await Store.fill(database, progress: ProgressLine())
    print("\(grouped(count)) scalars in \(database.path)")
    try await database.close()
    return .success
  }

  /// `atlas search WORD …`.
  static func search(_ words: [String], limit: Int, in file: String?) async throws -> Status {
    let database = try await Store.openFilled(file)
    let matches = Table<Scalar>().named(words)
    let count = try await matches.count(in: database)
    for scalar in try await matches.limit(limit).fetchAll(in: database) { print(line(scalar)) }
    try await database.close()
    if count == 0 { complain("No name holds \(words.joined(separator: " and ")).") }
    if count > limit { print("… and \(grouped(count - limit)) more: see --limit.") }
    return count == 0 ? .failure : .success
  }

  /// `atlas show CODE`.
  static func show(_ codePoint: UInt32, in file: String?) async throws -> Status {
    let database = try await Store.openFilled(file)
    let scalar = try await Table<Scalar>().find(codePoint, in: database)
    try await database.close()
    guard let scalar else {
      complain("\(Scalar.label(codePoint)) is not assigned.")
      return .failure
    }
    for (name, value) in facts(scalar) { print(name.padded(to: 16) + value) }
    return .success
  }

  /// A scalar in one line of a list. The glyph stands last: terminals do not agree on how wide it
  /// is.
  static func line(_ scalar: Scalar) -> String {
    scalar.label.padded(to: 10) + scalar.category.rawValue.padded(to: 4)
      + (scalar.age?.description ?? "").padded(to: 6)
      + scalar.title.cut(to: 50).padded(to: 52) + scalar.glyph
  }

  /// All about a scalar, each with its name.
  static func facts(_ scalar: Scalar) -> [(String, String)] {
    var facts = [
      ("Code point", scalar.label),
      ("Name", scalar.title),
      ("Character", scalar.glyph),
      ("Category", "\(scalar.category.rawValue), \(scalar.category.title)"),
      ("Since Unicode", scalar.age?.description ?? "unknown"),
    ]
    if let number = scalar.numericValue { facts.append(("Numeric value", number.short)) }
    facts.append(("Emoji", scalar.isEmoji ? "yes" : "no"))
    facts.append(("Uppercase", scalar.uppercase ?? "itself"))
    facts.append(("Lowercase", scalar.lowercase ?? "itself"))
    facts.append(("Titlecase", scalar.titlecase ?? "itself"))
    return facts.filter { !$0.1.isEmpty }
  }
}
