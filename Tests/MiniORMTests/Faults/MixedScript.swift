import Foundation

@testable import MiniORM
@testable import MiniORMRepair

/// Typical work of an application, in atomic steps.
final class MixedScript {
  enum Step: String, CaseIterable {
    case open, create, insert, query, observe, insertObserved, nextObserved, migrate, follow
    case attach, writeAttached, detach, changeKey, queryAgain, backup, update, replaceBackup, delete
    case restore, export, vacuum, checkpoint, check, close, decrypt, encrypt, salvage, verify
    case reopen, read, insertLast, closeLast, remove
  }

  /// A violated expectation.
  struct Wrong: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  @Table("author") struct Author {
    let id: Int64
    @Column(.unique) var name: String
  }

  @Table("note") struct Note {
    let id: Int64
    @Column(.references(Author.self, onDelete: .cascade)) var authorID: Int64
    var text: String
    var size: Int
  }

  @Table("note") struct CheckedNote {
    let id: Int64
    @Column(.references(Author.self, onDelete: .cascade)) var authorID: Int64
    var text: String
    @Column(.check("size >= 0")) var size: Int
    var isOpen = true
  }

  static let keys: [Key] = [
    .raw(testKeyBytes), .raw(testKeyBytes.reversed()), .raw([UInt8](repeating: 9, count: 32)),
  ]
  static let files = ["main.db", "archive.db", "backup.db", "export.db", "salvaged.db"]

  let folder: String
  let configuration: Configuration
  private var database: Database?
  private var values: DatabaseValues<Int>.AsyncIterator?

  init(folder: String, _ configuration: Configuration) {
    self.folder = folder
    self.configuration = configuration
  }

  private func path(_ name: String) -> String { folder + "/" + name }
  private var main: String { path("main.db") }

  private var opened: Database {
    get throws {
      guard let database else { throw Wrong("no database is open") }
      return database
    }
  }

  private var counts: DatabaseValues<Int> {
    get throws { try opened.values { db in try Table<Note>().count(in: db) } }
  }

  private func open(_ key: Key) async throws -> Database {
    try await Database(path: main, key: key, configuration: configuration)
  }

  /// Runs a step.
  /// - Returns: A description of the values that the step read.
  func run(_ step: Step) async throws -> String {
    switch step {
    case .open, .create, .insert, .observe, .insertObserved, .nextObserved, .migrate, .follow:
      return try await begin(step)
    case .query, .queryAgain, .read, .check, .checkpoint, .vacuum, .update, .delete, .insertLast:
      return try await goOn(step)
    case .attach: try await opened.attach(path("archive.db"), as: "archive", key: Self.keys[2])
    case .detach: try await opened.detach("archive")
    case .writeAttached:
      // In WAL mode, a transaction is atomic within each file but not across files.
      try await opened.write { db in
        try db.execute(
          script: "CREATE TABLE archive.old(a); INSERT INTO archive.old VALUES (1), (2);")
      }
    case .changeKey: try await opened.changeKey(to: Self.keys[1])
    case .backup: try await opened.backup(to: path("backup.db"))
    case .replaceBackup: try await opened.backup(to: path("backup.db"), replacing: true)
    case .restore: try await opened.restore(from: path("backup.db"), key: Self.keys[1])
    case .export: try await opened.export(to: path("export.db"), key: Self.keys[2])
    case .close, .closeLast:
      try await opened.close()
      database = nil
    case .decrypt:
      try await Database.decrypt(path: main, key: Self.keys[1], configuration: configuration)
    case .encrypt:
      try await Database.encrypt(path: main, key: Self.keys[0], configuration: configuration)
    case .salvage:
      let report = try await Database.salvage(
        path: main, key: Self.keys[0], to: path("salvaged.db"), configuration: configuration)
      return "\(report)"
    case .verify:
      let report = try await Database.verify(
        path: path("salvaged.db"), key: Self.keys[0], configuration: configuration)
      return "\(report)"
    case .reopen: database = try await open(Self.keys[0])
    case .remove: try Database.delete(path: path("export.db"))
    }
    return ""
  }

  private func begin(_ step: Step) async throws -> String {
    switch step {
    case .open: database = try await open(Self.keys[0])
    case .create: try await opened.migrate(DatabaseSchema(version: 1, Author.self, Note.self))
    case .insert:
      try await opened.write { db in
        for id in 1...5 {
          try Table<Author>().insert(Author(id: Int64(id), name: "Author \(id)"), in: db)
        }
        for id in 1...40 {
          let text = String(repeating: "text \(id) ", count: id * id)
          try Table<Note>().insert(
            Note(id: Int64(id), authorID: Int64(id % 5 + 1), text: text, size: id), in: db)
        }
      }
    case .observe:
      var iterator = try counts.makeAsyncIterator()
      let first = try await iterator.next()
      values = iterator
      return "\(first ?? -1)"
    case .insertObserved:
      try await Table<Note>().insert(Note(id: 41, authorID: 1, text: "seen", size: 1), in: opened)
    case .nextObserved:
      // A failed sequence has ended. A new sequence starts with the current count.
      var iterator = try values ?? counts.makeAsyncIterator()
      values = nil
      let next = try await iterator.next()
      return "\(next ?? -1)"
    case .migrate:
      // Rebuilds the table.
      try await opened.migrate(
        DatabaseSchema(
          version: 2,
          steps: [
            DatabaseSchema.Step(
              to: 2, "sizes",
              .rebuildTable(
                "note", .column("id", Int64.self, .primaryKey),
                .column(
                  "authorID", Int64.self, .references(table: "author", "id", onDelete: .cascade)),
                .column("text", String.self), .column("size", Int.self, .check("size >= 0"))),
              .sql("UPDATE note SET size = size + 1"))
          ]))
    case .follow:
      try await opened.migrate(DatabaseSchema(version: 3, Author.self, CheckedNote.self))
    default: throw Wrong("\(step) is none of these")
    }
    return ""
  }

  private func goOn(_ step: Step) async throws -> String {
    switch step {
    case .query, .queryAgain, .read:
      let rows = try await opened.read { db in
        try db.query(
          """
          SELECT author.name, count(*), sum(length(text)), min(text) FROM author
          JOIN note ON authorID = author.id GROUP BY author.id ORDER BY author.id
          """)
      }
      return rows.map { "\($0.values.dropLast())" }.joined()
    case .check: return try await "\(opened.integrityReport())"
    case .checkpoint: _ = try await opened.checkpoint(.truncate)
    case .vacuum: try await opened.vacuum()
    case .update:
      try await opened.write { db in
        try Table<CheckedNote>().where { $0.size > 20 }.update { $0.isOpen = false }.run(in: db)
        try Table<CheckedNote>().where { $0.id == 3 }.delete().run(in: db)
        // A nested transaction that is rolled back.
        do {
          try db.transaction { db in
            try Table<Author>().delete().run(in: db)
            throw Wrong("undone")
          }
        } catch is Wrong {}
        try Table<Author>().upsert(
          Author(id: 6, name: "Author 6"), onConflict: { $0.id }, in: db)
      }
    case .delete: try await Table<Author>().where { $0.id == 2 }.delete().run(in: opened)
    case .insertLast:
      try await Table<Author>().insert(Author(id: 7, name: "Author 7"), in: opened)
    default: throw Wrong("\(step) is none of these")
    }
    return ""
  }

  /// Closes everything that a run left open.
  func abandon() async {
    values = nil
    try? await database?.close()
    database = nil
  }
}
