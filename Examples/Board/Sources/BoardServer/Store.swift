import MiniORM

/// What the board keeps, in one encrypted file, and what can be done with it.
struct Store: Sendable {
  let database: Database

  /// Opens the file, or creates it, and brings its tables up to date.
  ///
  /// - Parameter key: Asked once, and only where the file can use a key.
  init(path: String, key: @escaping @Sendable () async throws -> Key) async throws {
    database = try await Database(path: path, key: key)
    do {
      try await database.migrate(schema)
    } catch {
      try? await database.close()
      throw error
    }
  }

  /// The cards as the page shows them: all of them, or those with words that begin like these.
  static func summaries(matching words: String = "") -> Select<CardSummary> {
    var found = cards.order { ($0.position, $0.id) }
    if !words.isEmpty {
      let match = Match(words: words, prefix: true)
      found = found.where { $0.id.isIn(cards.matching(cardText, match).select { $0.id }) }
    }
    return found.leftJoin(people).select { card, person in
      CardSummary.Columns(
        id: card.id, title: card.title, notes: card.notes, lane: card.lane,
        position: card.position, person: person.name,
        remarks: remarks.where { $0.cardID == card.id }.select { $0.id.count() }.scalar() ?? 0,
        version: card.version)
    }
  }

  /// Hangs a card below the others of its lane.
  func add(_ request: NewCard) async throws -> Card {
    try await database.write { db in
      let lane = request.lane ?? .todo
      let last = try cards.where { $0.lane == lane }.max(of: { $0.position }, in: db)
      return try cards.insert(
        Card.Draft(
          title: request.title, notes: request.notes ?? "", lane: lane,
          position: (last ?? 0) + 1, personID: try personID(named: request.person, in: db)),
        in: db)
    }
  }

  /// Changes a card, if nobody has changed it since the page read it.
  ///
  /// - Throws: ``BoardError/notFound``, ``BoardError/changedMeanwhile``.
  func change(_ id: Card.ID, _ request: CardChange) async throws -> Card {
    try await database.write { db in
      guard var card = try cards.find(id, in: db) else { throw BoardError.notFound }
      guard card.version == request.version else { throw BoardError.changedMeanwhile }
      if let title = request.title { card.title = title }
      if let notes = request.notes { card.notes = notes }
      if let person = request.person { card.personID = try personID(named: person, in: db) }
      if request.lane != nil || request.before != nil {
        card.lane = request.lane ?? card.lane
        card.position = try position(in: card.lane, before: request.before, of: id, in: db)
      }
      card.version += 1
      try cards.update(card, in: db)
      return card
    }
  }

  func delete(_ id: Card.ID) async throws {
    guard try await cards.delete(id, in: database) else { throw BoardError.notFound }
  }

  func addRemark(_ text: String, to id: Card.ID) async throws -> Remark {
    do {
      return try await remarks.insert(
        Remark.Draft(cardID: id, text: text), in: database)
    } catch let error as DatabaseError where error.code == .constraintForeignKey {
      throw BoardError.notFound
    }
  }

  /// Copies the file while others read and write. The copy has the same key.
  func backUp() async throws -> String {
    let path = database.path + ".backup"
    try await database.backup(to: path, replacing: true)
    return path
  }

  /// The key of the person with this name, who is added where nobody has it.
  private func personID(named name: String?, in db: isolated Connection) throws -> Person.ID? {
    guard let name, !name.isEmpty else { return nil }
    if let person = try people.where({ $0.name == name }).fetchOne(in: db) { return person.id }
    return try people.insert(Person.Draft(name: name), in: db).id
  }

  /// A place before a card of the lane, or below all of them.
  private func position(
    in lane: Lane, before next: Card.ID?, of moved: Card.ID, in db: isolated Connection
  ) throws -> Double {
    let others = cards.where { $0.lane == lane && $0.id != moved }
    guard let next, let below = try others.where({ $0.id == next }).fetchOne(in: db) else {
      return (try others.max(of: { $0.position }, in: db) ?? 0) + 1
    }
    let above = try others.where { $0.position < below.position }
      .max(of: { $0.position }, in: db)
    return ((above ?? below.position - 2) + below.position) / 2
  }
}

/// What a request may ask that the board cannot do.
enum BoardError: Error {
  case notFound
  case changedMeanwhile
}
