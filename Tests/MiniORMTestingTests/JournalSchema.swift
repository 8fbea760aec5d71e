import Foundation
import MiniORM

// The schema of an app in its sixth version. Schemas/ has the snapshots of all versions.

@Table("person") struct Person: Identifiable {
  let id: Int64
  @Column(.unique) var name: String
}

@Table("note") struct Note: Identifiable {
  let id: Int64
  var title: String
  @Column(renamedFrom: "body") var text: String
  var created: Date
  var size: Int?
  var modified: Date?
  @Column(.references(Person.self)) var personID: Person.ID
  var words: Int
}

enum Journal {
  static let touched = Trigger(
    "note_touched", .after, update: Table<Note>(), of: { $0.text }
  ) { _, new in
    ["UPDATE note SET modified = datetime('now', 'subsec') WHERE id = \(new.id)"]
  }

  static let text = FullTextIndex<Note>("note_text") { ($0.title, $0.text) }

  static let schema = DatabaseSchema(
    version: 6, Person.self, Note.self, objects: [touched, text],
    steps: [
      DatabaseSchema.Step(
        to: 3, "writers in a table of their own",
        .createTable(
          "person", .column("id", Int64.self, .primaryKey),
          .column("name", String.self, .unique)),
        .sql("INSERT INTO person (name) SELECT DISTINCT writer FROM note"),
        .addColumn("personID", Int64?.self, .references(table: "person"), to: "note"),
        .sql("UPDATE note SET personID = (SELECT id FROM person WHERE name = note.writer)"),
        .dropColumn("writer", from: "note")),
      DatabaseSchema.Step(
        to: 5, "the number of words",
        .addColumn("words", Int?.self, to: "note"),
        .backfill("note") { row in
          guard case .text(let title)? = row["title"] else { return [:] }
          return ["words": title.split(separator: " ").count]
        }),
      DatabaseSchema.Step(to: 6, "no moods", .dropColumn("mood", from: "note")),
    ])
}
