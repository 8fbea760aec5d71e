import Foundation

@testable import MiniORM

// The models of the corpus. Never change a model of an existing file: add a model and a file.

@Table("entry") struct CorpusEntry {
  let id: Int64
  @Column(.unique, .collate(.nocase)) var name: String
  var size: Int?
}

@Table("entry") struct CorpusRenamedEntry {
  let id: Int64
  @Column(.unique, .collate(.nocase), renamedFrom: "name") var title: String
  var size: Int?
}

@Table("value") struct CorpusValues {
  let id: Int64
  @Column(as: .unixSeconds) var at: Date
  @Column(as: .decimal(scale: 2)) var price: Decimal
  var key: UUID
}

/// The same columns in other formats.
@Table("value") struct CorpusConvertedValues {
  let id: Int64
  @Column(as: .unixMilliseconds) var at: Date
  @Column(as: .decimal(scale: 3)) var price: Decimal
  @Column(as: .uuidBytes) var key: UUID
}

@Table("parent") struct CorpusParent {
  let id: Int64
  var name: String
  static var indexes: [Index<CorpusParent>] {
    [Index("parent_top", unique: true, where: { $0.id > 90 }) { $0.name.lower() }]
  }
}

@Table("child") struct CorpusChild {
  let id: Int64
  @Column(.references(CorpusParent.self, onDelete: .cascade)) var parentID: Int64?
  @Column(.check("length(text) < 100")) var text: String
  var rank = 3
}

@Table("day", primaryKey: ["year", "number"], options: [.strict, .withoutRowID])
struct CorpusDay {
  let year: Int
  let number: Int
  var note: String
}

@Table("loose", options: []) struct CorpusLoose {
  let id: Int64
  @Column(.type("VARCHAR(9)")) var code: String
  @Column(.generated("length(code)")) var length: Int?
}

@Selection struct CorpusPostal {
  var street: String
  @Column("town") var city: String
}

@Table("client", columns: .snakeCase) struct CorpusClient {
  let id: Int64
  @Embedded var homeAddress: CorpusPostal
  @Embedded("work_") var work: CorpusPostal?
  @Column(as: .json) var tags: [String] = []
}

@Table("place") struct CorpusPlace {
  let id: Int64
  var west: Double
  var east: Double
}

@Selection struct CorpusName { let name: String }

enum CorpusObjects {
  private static let entries = Table<CorpusEntry>()
  static let text = FullTextIndex(
    "entry_text", of: CorpusEntry.self, tokenizer: .unicode61(removeDiacritics: 2), prefixes: [2]
  ) { $0.name }
  static let view = DatabaseView(
    "large", as: entries.where { $0.size > 1 }.select { CorpusName.Columns(name: $0.name) })
  /// The view with another condition, and the same rows.
  static let changedView = DatabaseView(
    "large", as: entries.where { $0.size >= 2 }.select { CorpusName.Columns(name: $0.name) })
  static let trigger = Trigger("counted", .after, insertInto: entries) { new in
    [entries.where { $0.id == new.id }.update { $0.size += 1 }.sql]
  }
  static let map = SpatialIndex("place_map", of: CorpusPlace.self) { [.from($0.west, to: $0.east)] }
}
