import Foundation
import MiniORM

/// Where a card hangs.
enum Lane: String, CaseIterable, Codable, ColumnValue {
  case todo, doing, done
}

@Table("person")
struct Person: Identifiable, Codable, Equatable {
  let id: Int64
  @Column(.unique, .collate(.nocase), .check("length(name) BETWEEN 1 AND 80")) var name: String
}

@Table("card", columns: .snakeCase)
struct Card: Identifiable, Equatable {
  let id: Int64
  @Column(.check("length(title) BETWEEN 1 AND 200")) var title: String
  var notes = ""
  var lane: Lane
  /// Cards hang in the order of their positions. One that is moved between two others gets the
  /// middle of theirs, so that a single row is written.
  var position: Double
  @Column(.references(Person.self, onDelete: .setNull)) var personID: Person.ID?
  /// Grows with each change, so that nobody overwrites what somebody else has changed meanwhile.
  var version = 1
  @Column(.default(.now)) var created: Date
}

extension Card {
  static var indexes: [Index<Card>] {
    [Index { ($0.lane, $0.position) }, Index { $0.personID }]
  }
}

/// What somebody has said about a card.
@Table("remark", columns: .snakeCase)
struct Remark: Identifiable, Codable, Equatable {
  let id: Int64
  @Column(.references(Card.self, onDelete: .cascade)) var cardID: Card.ID
  @Column(.check("length(text) BETWEEN 1 AND 2000")) var text: String
  @Column(.default(.now)) var created: Date
}

extension Remark {
  static var indexes: [Index<Remark>] { [Index { $0.cardID }] }
}

/// A card as the page shows it.
@Selection
struct CardSummary: Codable, Equatable, Identifiable {
  var id: Int64
  var title: String
  var notes: String
  var lane: Lane
  var position: Double
  var person: String?
  var remarks: Int
  var version: Int
}

/// The words of titles and notes.
let cardText = FullTextIndex(
  "card_text", of: Card.self, tokenizer: .unicode61(removeDiacritics: 2), prefixes: [2]
) { ($0.title, $0.notes) }

let schema = DatabaseSchema(Person.self, Card.self, Remark.self, objects: [cardText])

let people = Table<Person>()
let cards = Table<Card>()
let remarks = Table<Remark>()
