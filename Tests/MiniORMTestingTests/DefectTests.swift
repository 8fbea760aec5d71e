import Foundation
import MiniORM
import Synchronization
import Testing

@testable import MiniORMTesting

@Table("customer") private struct Customer: Identifiable {
  let id: Int64
  var first: String
  var last: String
  @Column(.unique) var mail: String?
}

@Table("payment") private struct Payment: Identifiable {
  let id: Int64
  @Column(.references(Customer.self)) var customerID: Customer.ID
  @Column(as: .decimal(scale: 2)) var amount: Decimal
  @Column(as: .unixSeconds) var paid: Date
  @Column(.check("currency IN ('EUR', 'CHF')")) var currency: String
  var hours: Int
}

private let logged = Trigger("payment_logged", .after, insertInto: Table<Payment>()) { new in
  [Table<Customer>().where { $0.id == new.customerID }.update { $0.last = $0.last }.sql]
}
private let named = DatabaseView("customer_name", as: Table<Customer>().where { $0.first != "" })
private let objects: [any SchemaObject] = [logged, named]

private enum Shop {
  static let released = DatabaseSchema(Customer.self, Payment.self, objects: objects)
}

/// The second version of the schema, with a defective step or model.
private struct Defect: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// Parts of the message.
  let message: [String]
  let released: DatabaseSchema
  let schema: DatabaseSchema

  /// - Parameter objects: The objects of the defective schema; empty for both schemas if SQL of the
  ///   step cannot run with views.
  init(
    _ title: String, _ message: String..., released: DatabaseSchema? = nil,
    models: [any Model.Type]? = nil, objects: [any SchemaObject] = objects,
    steps: DatabaseSchema.Operation..., foreignKeysEnabled: Bool = true
  ) {
    (testDescription, self.message) = (title, message)
    let plain = DatabaseSchema(Customer.self, Payment.self)
    self.released = released ?? (objects.isEmpty ? plain : Shop.released)
    schema = DatabaseSchema(
      version: 2, models ?? [Customer.self, Payment.self], objects: objects,
      steps: steps.isEmpty
        ? []
        : [
          DatabaseSchema.Step(
            to: 2, "defective", foreignKeysEnabled: foreignKeysEnabled, operations: steps)
        ])
  }
}

/// A rebuild of the customers in SQL.
private func customers(_ columns: String, from source: String) -> DatabaseSchema.Operation {
  .sql(
    """
    CREATE TABLE new_customer (
      id INTEGER PRIMARY KEY NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL, mail TEXT UNIQUE
    ) STRICT;
    INSERT OR IGNORE INTO new_customer SELECT \(columns) FROM \(source);
    DROP TABLE customer;
    ALTER TABLE new_customer RENAME TO customer;
    """)
}

@Suite("Defects of migrations")
struct DefectTests {
  @Table("customer") fileprivate struct WithRank: Identifiable {
    let id: Int64
    var first: String
    var last: String
    @Column(.unique) var mail: String?
    @Column(.check("rank > 0")) var rank = 0
  }

  @Table("customer") fileprivate struct WithRequired: Identifiable {
    let id: Int64
    var first: String
    var last: String
    @Column(.unique) var mail: String
  }

  @Table("customer") fileprivate struct WithUnique: Identifiable {
    let id: Int64
    @Column(.unique) var first: String
    var last: String
    @Column(.unique) var mail: String?
  }

  @Table("customer") fileprivate struct WithUniqueNames: Identifiable {
    let id: Int64
    var first: String
    var last: String
    @Column(.unique) var mail: String?

    static var indexes: [Index<WithUniqueNames>] {
      [Index("customer_names", unique: true) { ($0.first, $0.last) }]
    }
  }

  @Table("customer") fileprivate struct WithoutMail: Identifiable {
    let id: Int64
    var first: String
    var last: String
  }

  @Table("payment") fileprivate struct Milliseconds: Identifiable {
    let id: Int64
    @Column(.references(Customer.self)) var customerID: Customer.ID
    @Column(as: .decimal(scale: 2)) var amount: Decimal
    @Column(as: .unixMilliseconds) var paid: Date
    @Column(.check("currency IN ('EUR', 'CHF')")) var currency: String
    var hours: Int
  }

  @Table("payment") fileprivate struct Texts: Identifiable {
    let id: Int64
    @Column(.references(Customer.self)) var customerID: Customer.ID
    @Column(as: .decimal(scale: 2)) var amount: Decimal
    var paid: Date
    @Column(.check("currency IN ('EUR', 'CHF')")) var currency: String
    var hours: Int
  }

  @Table("payment") fileprivate struct Doubles: Identifiable {
    let id: Int64
    @Column(.references(Customer.self)) var customerID: Customer.ID
    var amount: Double
    @Column(as: .unixSeconds) var paid: Date
    @Column(.check("currency IN ('EUR', 'CHF')")) var currency: String
    var hours: Int
  }

  @Table("payment") fileprivate struct Times: Identifiable {
    let id: Int64
    @Column(.references(Customer.self)) var customerID: Customer.ID
    @Column(as: .decimal(scale: 2)) var amount: Decimal
    @Column(as: .unixSeconds) var paid: Date
    @Column(.check("currency IN ('EUR', 'CHF')")) var currency: String
    @Column(as: .unixSeconds) var hours: Date
  }

  @Test(
    "A defective migration is reported with its place",
    arguments: [
      Defect(
        "swapped columns", "table customer, column first: the row with id = ",
        objects: [], steps: customers("id, last, first || '', mail", from: "customer"),
        foreignKeysEnabled: false),
      Defect(
        "a condition that loses rows", "table payment: lost the row with id = 2",
        steps: .sql("DELETE FROM payment WHERE id = 2")),
      Defect(
        "rows that a join doubles", "table customer: added or doubled the row with id = ",
        objects: [],
        steps: customers(
          "customer.id + 1000 * (other.id - 1), customer.first, customer.last, NULL",
          from: "customer JOIN customer AS other ON other.id < 3"),
        foreignKeysEnabled: false),
      Defect(
        "a join that loses rows", "table customer: lost the row with id =",
        objects: [],
        steps: customers(
          "customer.id, first, last, mail",
          from: "customer JOIN payment ON payment.customerID = customer.id AND payment.id < 3"),
        .sql("DELETE FROM payment WHERE customerID NOT IN (SELECT id FROM customer)"),
        foreignKeysEnabled: false),
      Defect(
        "a wrong unit", "table payment, column paid: the row with id = ",
        "as unixSeconds)", models: [Customer.self, Milliseconds.self],
        steps: .convertColumn("paid", to: UnixMilliseconds.self, in: "payment", using: "paid * 100")
      ),
      Defect(
        "dates with another spelling", "column payment.paid: ", "another text than MiniORM writes",
        models: [Customer.self, Texts.self],
        steps: .convertColumn(
          "paid", to: Date.self, in: "payment", using: "datetime(paid, 'unixepoch')")),
      Defect(
        "a rounded number", "column amount", "no exact equivalent as double",
        models: [Customer.self, Doubles.self]),
      Defect(
        "a number that becomes a time", "column hours", "no exact equivalent as unixSeconds",
        models: [Customer.self, Times.self]),
      Defect("a lost trigger", "trigger payment_logged is lost", objects: [named]),
      Defect("a lost view", "view customer_name is lost", objects: [logged]),
      Defect(
        "a lost unique index", "index customer_names is lost",
        released: DatabaseSchema(WithUniqueNames.self, Payment.self), objects: []),
      Defect(
        "a default that breaks a CHECK", "add column customer.rank: CHECK constraint failed",
        models: [WithRank.self, Payment.self]),
      Defect(
        "a column that becomes NOT NULL", "NULL in column mail, which becomes NOT NULL",
        models: [WithRequired.self, Payment.self]),
      Defect(
        "a column that becomes unique", "customer.first", models: [WithUnique.self, Payment.self]),
      Defect(
        "a forgotten column", "Column customer.mail would be lost",
        models: [WithoutMail.self, Payment.self], objects: []),
      Defect(
        "a column that a rebuild in SQL forgets", "table customer: column mail is lost",
        models: [WithoutMail.self, Payment.self], objects: [],
        steps: .sql(
          """
          CREATE TABLE new_customer (
            id INTEGER PRIMARY KEY NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL
          ) STRICT;
          INSERT INTO new_customer SELECT id, first, last FROM customer;
          DROP TABLE customer;
          ALTER TABLE new_customer RENAME TO customer;
          """), foreignKeysEnabled: false),
      Defect(
        "a table that is left", "table old_customer is left, but a new file does not have it",
        steps: .sql("CREATE TABLE old_customer AS SELECT * FROM customer")),
      Defect(
        "rows without parents", "no such row in customer",
        steps: .sql("DELETE FROM customer"), foreignKeysEnabled: false),
      Defect(
        "an UPDATE without a condition", "table payment, column currency: the row with id = ",
        "expected", steps: .sql("UPDATE payment SET currency = 'EUR'")),
      Defect(
        "shortened texts", "table customer, column first:", "long",
        steps: .sql("UPDATE customer SET first = substr(first, 1, 20)")),
      Defect(
        "a text that ends at NUL", "table customer, column last:", "\"a\\0b\"",
        steps: .sql("UPDATE customer SET last = printf('%s', last)")),
      Defect(
        "a step whose result varies", "after a cancellation and a repetition, table customer",
        "column last: the row with", steps: .sql("UPDATE customer SET last = hex(randomblob(8))")),
    ])
  private func defects(_ defect: Defect) async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(defect.released)
      let messages = try await issues { try await snapshots.expectMigrations(to: defect.schema) }
      #expect(
        messages.contains { message in
          message.contains("Version 1 → 2: ")
            && defect.message.allSatisfy { message.contains($0) }
        }, "\(messages.joined(separator: "\n"))")
    }
  }

  @Table("sketch") fileprivate struct Sketch: Identifiable {
    let id: Int64
    var text: String
  }

  @Table("letter") fileprivate struct Letter: Identifiable {
    let id: Int64
    var text: String
  }

  @Test("Rows of a middle version that a cancelled step loses are reported")
  func middleVersion() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(DatabaseSchema(Customer.self))
      try await snapshots.record(DatabaseSchema(version: 2, Customer.self, Sketch.self))
      // The defect: the rollback of the second step does not restore this memory.
      let texts = Mutex<[String]>([])
      let collection = DatabaseSchema.Step(
        to: 3, "sketches leave their table",
        .run { db in
          let tables = try db.query(String.self, "SELECT name FROM sqlite_schema")
          guard tables.contains("sketch") else { return }
          let rows = try db.query(String.self, "SELECT text FROM sketch")
          texts.withLock { $0 += rows }
        }, .dropTable("sketch"))
      let insertion = DatabaseSchema.Step(
        to: 4, "sketches are letters",
        .createTable(
          "letter", .column("id", Int64.self, .primaryKey), .column("text", String.self)),
        .run { db in
          let rows = texts.withLock { texts in
            defer { texts = [] }
            return texts
          }
          for row in rows { try db.execute("INSERT INTO letter (text) VALUES (\(row))") }
        })
      var letters: [Int] = []
      let messages = try await issues {
        try await snapshots.expectMigrations(
          to: DatabaseSchema(
            version: 4, Customer.self, Letter.self, steps: [collection, insertion])
        ) { _, database in letters.append(try await Table<Letter>().count(in: database)) }
      }
      #expect(letters == [0, 16])
      #expect(
        messages.count == 1
          && messages[0].hasPrefix(
            "Version 2 → 4: after a cancellation and a repetition, table letter: lost the row with"),
        "\(messages)")
    }
  }

  @Test("Intended changes are not reported")
  func intended() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(Shop.released)
      let update = DatabaseSchema.Step(
        to: 2, "lowercase mails and no small payments",
        .sql("UPDATE customer SET mail = 'x' || mail"), .sql("DELETE FROM payment WHERE id = 2"),
        .sql("DROP TRIGGER IF EXISTS payment_logged"))
      try await snapshots.expectMigrations(
        to: DatabaseSchema(version: 2, Customer.self, Payment.self, steps: [update]),
        changing: ["customer.mail", "payment", "customer_name"])
    }
  }

  @Table("client", renamedFrom: "customer") fileprivate struct Client: Identifiable {
    let id: Int64
    @Column(renamedFrom: "first") var given: String
    var last: String
    @Column(.unique) var mail: String?
  }

  @Test(
    "Values of renamed tables and columns are compared",
    arguments: [
      [],
      [.renameTable("customer", to: "client"), .renameColumn("first", to: "given", in: "client")],
      [.sql("ALTER TABLE customer RENAME TO client; ALTER TABLE client RENAME first TO given")],
      [
        .sql("ALTER TABLE \"customer\" RENAME COLUMN \"first\" TO \"given\""),
        .renameTable("customer", to: "client"),
      ],
    ] as [[DatabaseSchema.Operation]])
  func renamed(_ operations: [DatabaseSchema.Operation]) async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(DatabaseSchema(Customer.self))
      func schema(_ operations: [DatabaseSchema.Operation]) -> DatabaseSchema {
        let step = DatabaseSchema.Step(
          to: 2, "renamed", foreignKeysEnabled: true, operations: operations)
        return DatabaseSchema(
          version: 2, [Client.self], objects: [], steps: operations.isEmpty ? [] : [step])
      }
      try await snapshots.expectMigrations(to: schema(operations))
      let update = "UPDATE customer SET first = 'x' WHERE id = 1"
      let messages = try await issues {
        try await snapshots.expectMigrations(to: schema([.sql(update)] + operations))
      }
      #expect(
        messages.count == 1
          && messages[0].contains("table client, column given: the row with id = 1 has 'x'"),
        "\(messages)")
    }
  }

  // `migrate` fills a declared index again after a step, and does not know this index.
  @Test("A full-text index of another program that lost its entries is reported")
  func fullText() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(Shop.released)
      let file = snapshots.folder.appendingPathComponent("1.sql")
      let text =
        try String(contentsOf: file, encoding: .utf8) + """

          -- Created by another program
          CREATE VIRTUAL TABLE words USING fts5(first, content = 'customer', content_rowid = 'id');

          -- Created by another program
          CREATE TRIGGER words_added AFTER INSERT ON customer BEGIN
            INSERT INTO words (rowid, first) VALUES (new.id, new.first);
          END;
          """
      let known = try #require(text.lines.first { $0.hasPrefix(SchemaText.checksum) })
      try text.replacing(known, with: SchemaText.checksum + SchemaText.checksum(of: text))
        .write(to: file, atomically: true, encoding: .utf8)
      let message = "full-text index words does not match its text"
      for (sql, isFound) in [
        ("INSERT INTO words (words) VALUES ('delete-all')", true), ("SELECT 1", false),
      ] {
        let step = DatabaseSchema.Step(to: 2, "defective", .sql(sql))
        let messages = try await issues {
          try await snapshots.expectMigrations(
            to: DatabaseSchema(
              version: 2, Customer.self, Payment.self, objects: objects, steps: [step]))
        }
        #expect(messages.contains { $0.contains(message) } == isFound, "\(messages)")
      }
    }
  }

  @Test("An edited snapshot is reported with its path")
  func edited() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(Shop.released)
      let file = snapshots.folder.appendingPathComponent("1.sql")
      let text = try String(contentsOf: file, encoding: .utf8)
      try text.replacing("'CHF'", with: "'USD'").write(to: file, atomically: true, encoding: .utf8)
      let messages = try await issues { try await snapshots.expectMigrations(to: Shop.released) }
      #expect(
        messages.contains {
          $0.contains("\(file.path) is not the snapshot of version 1, or was edited")
        })
      // Line ends and indentation may change.
      try text.replacing("\n", with: "\r\n").write(to: file, atomically: true, encoding: .utf8)
      try await snapshots.expectMigrations(to: Shop.released)
      try await snapshots.expectCurrent(Shop.released)
    }
  }

  @Test("A snapshot of a later version is reported")
  func later() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(
        DatabaseSchema(version: 3, Customer.self, Payment.self, objects: objects))
      let messages = try await issues { try await snapshots.expectMigrations(to: Shop.released) }
      #expect(
        messages == ["Version 3 → 1: raise the version, or delete the unreleased snapshot"])
    }
  }

  @Test("A schema that changes without a new version is reported with its lines")
  func changed() async throws {
    try await withSnapshots { snapshots in
      let first = try await issues { try await snapshots.expectCurrent(Shop.released) }
      #expect(first.count == 1 && first[0].contains("1.sql: review and commit the file"))
      try await snapshots.expectCurrent(Shop.released)
      let second = try await issues {
        try await snapshots.expectCurrent(
          DatabaseSchema(WithRequired.self, Payment.self, objects: objects))
      }
      #expect(
        second.count == 1
          && second[0].contains("+ 8:   \"mail\" TEXT NOT NULL UNIQUE -- text")
          && second[0].contains("raise the version"),
        "\(second)")
    }
  }

  @Test("Recording replaces a different snapshot")
  func recording() async throws {
    try await withSnapshots { snapshots in
      try await snapshots.record(Shop.released)
      var recording = snapshots
      recording.records = true
      let changed = DatabaseSchema(WithoutMail.self, Payment.self)
      try await recording.expectCurrent(changed)
      try await snapshots.expectCurrent(changed)
    }
  }

  @Test("Without snapshots, the test fails")
  func missing() async throws {
    try await withSnapshots { snapshots in
      let messages = try await issues { try await snapshots.expectMigrations(to: Shop.released) }
      #expect(
        messages.count == 1
          && messages[0].contains("has no valid snapshot: run a test with expectCurrent first"))
    }
  }
}

/// Calls a closure with the snapshots of a new folder.
func withSnapshots(_ body: (SchemaSnapshots) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("MiniORM-\(UUID().uuidString)").path
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try await body(SchemaSnapshots(in: folder, besides: #filePath))
}

extension SchemaSnapshots {
  /// Writes the snapshot of a schema.
  func record(_ schema: DatabaseSchema) async throws {
    _ = try await issues { try await expectCurrent(schema) }
  }
}

/// Returns the messages of the issues that a closure records at the call in this file.
func issues(_ body: () async throws -> Void) async throws -> [String] {
  let messages = Mutex<[String]>([])
  try await withKnownIssue {
    try await body()
  } matching: { issue in
    messages.withLock { $0 += issue.comments.map(\.rawValue) }
    return issue.error == nil && issue.sourceLocation?.fileName.hasSuffix("Tests.swift") ?? false
  }
  return messages.withLock { $0 }
}
