import Foundation
import MiniORM

/// A column of the board.
enum Lane: String, CaseIterable, Codable, ColumnValue {
  case todo, doing, done
}

@Table("person")
struct Person: Identifiable, Codable, Equatable {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String
}

extension Person {
  static var constraints: [TableConstraint<Person>] { [.check { Field.person.limits($0.name) }] }
}

@Table("card", columns: .snakeCase)
struct Card: Identifiable, Equatable {
  // AUTOINCREMENT: a page that still shows a deleted card must not change another card.
  @Column(.primaryKey(autoincrement: true)) let id: Int64
  var title: String
  var notes = ""
  var lane: Lane
  /// The order in the lane. A card that moves before another card takes its position, and the cards
  /// from there on move down.
  var position: Int
  @Column(.references(Person.self, onDelete: .setNull)) var personID: Person.ID?
  /// Grows with each change, so that two people do not overwrite each other's changes.
  var version = 1
  @Column(.default(.now)) var created: Date
}

extension Card {
  static var indexes: [Index<Card>] {
    [Index { ($0.lane, $0.position) }, Index { $0.personID }]
  }
  static var constraints: [TableConstraint<Card>] {
    [.check { Field.title.limits($0.title) }, .check { Field.notes.limits($0.notes) }]
  }
}

/// A comment on a card.
@Table("remark", columns: .snakeCase)
struct Remark: Identifiable, Codable, Equatable {
  let id: Int64
  @Column(.references(Card.self, onDelete: .cascade)) var cardID: Card.ID
  var text: String
  @Column(.default(.now)) var created: Date
}

extension Remark {
  static var indexes: [Index<Remark>] { [Index { $0.cardID }] }
  static var constraints: [TableConstraint<Remark>] { [.check { Field.text.limits($0.text) }] }
}

/// A text of a request, and its allowed length.
enum Field: String, CaseIterable {
  case title, notes, person, text

  /// The allowed number of bytes in UTF-8.
  var bytes: ClosedRange<Int> {
    switch self {
    case .title: 1...600
    case .notes: 0...12_000
    case .person: 1...240
    case .text: 1...6_000
    }
  }

  /// The same limit as a constraint. `length()` would stop at a NUL character.
  func limits(_ column: SQLExpression<String>) -> any SQLCondition {
    column.octetLength().between(bytes.lowerBound, and: bytes.upperBound)
  }

  /// Returns a text that is stored, or throws an error that names the field.
  func checked(_ text: String) throws(BoardError) -> String {
    guard bytes.contains(text.utf8.count) else { throw .invalid(self) }
    guard bytes.lowerBound == 0 || text.contains(where: { !$0.isWhitespace }) else {
      throw .blank(self)
    }
    return text
  }
}

/// A card as the page shows it.
@Selection
struct CardSummary: Codable, Equatable, Identifiable {
  var id: Int64
  var title: String
  var notes: String
  var lane: Lane
  var person: String?
  var remarks: Int
  var version: Int
}

/// The words of titles and notes.
let cardText = FullTextIndex(
  "card_text", of: Card.self, tokenizer: .unicode61(removeDiacritics: 2), prefixes: [2]
) { ($0.title, $0.notes) }

let schema = DatabaseSchema(
  version: 3, Person.self, Card.self, Remark.self, objects: [cardText],
  steps: [
    // Version 1 stored fractions.
    DatabaseSchema.Step(
      to: 2, "whole positions",
      .convertColumn(
        "position", to: Int.self, in: "card",
        using: """
          (SELECT count(*) FROM card AS other WHERE other.lane = card.lane
            AND (other.position, other.id) <= (card.position, card.id))
          """)),
    // Version 1 stored times without a fraction of a second, which comparisons miss.
    DatabaseSchema.Step(
      to: 3, "equal texts of equal times",
      .convertColumn("created", to: Date.self, in: "card"),
      .convertColumn("created", to: Date.self, in: "remark")),
  ])

let people = Table<Person>()
let cards = Table<Card>()
let remarks = Table<Remark>()
