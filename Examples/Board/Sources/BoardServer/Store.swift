import Foundation
import MiniORM

/// The contents of the board, in an encrypted file.
struct Store: Sendable {
  let database: Database

  /// Opens or creates the file, and migrates its tables.
  /// - Parameter key: Returns the key. Called once, and only if the file can be opened.
  init(path: String, key: @escaping @Sendable () async throws -> Key) async throws {
    var configuration = Configuration()
    configuration.readerTimeout = .seconds(10)
    configuration.trace = StatementTrace(slowerThan: .milliseconds(500)) {
      FileHandle.standardError.write(Data("slow: \($0)\n".utf8))
    }
    database = try await Database(
      path: path, configuration: configuration, key: key)
    do {
      try await database.migrate(schema)
    } catch {
      try? await database.close()
      throw error
    }
  }

  /// The cards as the page shows them: all cards, or the cards that contain words with these
  /// beginnings.
  static func summaries(matching words: String = "") -> Select<CardSummary> {
    var found = cards.order { ($0.position, $0.id) }
    if !words.isEmpty {
      let match = Match(words: words, prefix: true)
      found = found.where { $0.id.isIn(cards.matching(cardText, match).select { $0.id }) }
    }
    return found.leftJoin(people).select { card, person in
      CardSummary.Columns(
        id: card.id, title: card.title, notes: card.notes, lane: card.lane, person: person.name,
        remarks: remarks.where { $0.cardID == card.id }.select { $0.id.count() }.scalar() ?? 0,
        version: card.version)
    }
  }

  /// Returns the cards that contain the words. A search that takes longer than 5 seconds fails.
  func search(_ words: String) async throws -> [CardSummary] {
    try await withTimeLimit(.seconds(5)) {
      try await Store.summaries(matching: words).fetchAll(in: database)
    }
  }

  /// Adds a card below the other cards of its lane.
  func add(_ request: NewCard) async throws -> Card {
    try await database.write { db in
      let lane = request.lane ?? .todo
      return try cards.insert(
        Card.Draft(
          title: try Field.title.checked(request.title),
          notes: try Field.notes.checked(request.notes ?? ""), lane: lane,
          position: try position(in: lane, before: nil, in: db),
          personID: try personID(named: request.person, in: db)),
        in: db)
    }
  }

  /// Changes a card, unless the card has changed since the page read it.
  func change(_ id: Card.ID, _ request: CardChange) async throws -> Card {
    try await database.write { db in
      var card = try current(id, request.version, in: db)
      if let title = request.title { card.title = try Field.title.checked(title) }
      if let notes = request.notes { card.notes = try Field.notes.checked(notes) }
      if let person = request.person { card.personID = try personID(named: person, in: db) }
      if request.lane != nil || request.before != nil {
        card.lane = request.lane ?? card.lane
        card.position = try position(in: card.lane, before: request.before, in: db)
      }
      card.version += 1
      try cards.update(card, in: db)
      return card
    }
  }

  /// Deletes a card, unless the card has changed since the page read it.
  func delete(_ id: Card.ID, version: Int) async throws {
    try await database.write { db in
      _ = try cards.delete(try current(id, version, in: db), in: db)
    }
  }

  func addRemark(_ text: String, to id: Card.ID) async throws -> Remark {
    do {
      return try await remarks.insert(
        Remark.Draft(cardID: id, text: try Field.text.checked(text)), in: database)
    } catch let error as DatabaseError where error.code == .constraintForeignKey {
      throw BoardError.notFound
    }
  }

  /// Copies the file while requests read and write. The copy has the same key.
  func backUp() async throws {
    try await database.backup(to: database.path + ".backup", replacing: true)
  }

  /// Returns a card that has the version that the page shows.
  private func current(
    _ id: Card.ID, _ version: Int, in db: isolated Connection
  ) throws -> Card {
    guard let card = try cards.find(id, in: db) else { throw BoardError.notFound }
    guard card.version == version else { throw BoardError.changedMeanwhile }
    return card
  }

  /// Returns the key of the person with this name, and adds a new person. An empty name gives nil.
  private func personID(named name: String?, in db: isolated Connection) throws -> Person.ID? {
    guard let name, !name.isEmpty else { return nil }
    if let person = try people.where({ $0.name == name }).fetchOne(in: db) { return person.id }
    return try people.insert(Person.Draft(name: try Field.person.checked(name)), in: db).id
  }

  /// Returns the position before a card of the lane, or below all cards of the lane.
  private func position(
    in lane: Lane, before next: Card.ID?, in db: isolated Connection
  ) throws -> Int {
    let lane = cards.where { $0.lane == lane }
    guard let next else { return (try lane.max(of: { $0.position }, in: db) ?? 0) + 1 }
    guard let place = try lane.where({ $0.id == next }).fetchOne(in: db)?.position else {
      throw BoardError.changedMeanwhile
    }
    try lane.where { $0.position >= place }.update { $0.position += 1 }.run(in: db)
    return place
  }
}

/// A request that the board refuses.
enum BoardError: Error {
  case notFound
  case changedMeanwhile
  case invalid(Field)
  case blank(Field)
}

extension DatabaseError {
  /// The status of the response to a request that failed with this error.
  var httpStatus: Int {
    switch code.primary {
    case .busy, .interrupt: 503
    case .constraint: code == .constraintUnique ? 409 : 422
    default: 500
    }
  }
}
