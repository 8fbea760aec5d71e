import Foundation
import MiniORM

// What applications do beside reading and inserting: deleting, upserts of models, RETURNING, aggregates,
// keys of two columns, wide tables, large values, common table expressions, full-text search.

@Table("membership", primaryKey: ["userID", "groupID"], options: [.strict, .withoutRowID])
struct Membership {
  let userID: Int64
  let groupID: Int64
  var role: String

  static let count: Int64 = 20_000
  static let keys = (0..<10_000).map { Int64($0 * 7919 % Int(count)) }
  static func user(_ n: Int64) -> Int64 { n / 10 }
  static func group(_ n: Int64) -> Int64 { n % 10 }
}

/// Sixty columns.
@Table("wide")
struct Wide: Identifiable {
  let id: Int64
  var i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15, i16, i17, i18,
    i19, i20, i21, i22, i23, i24, i25, i26, i27, i28, i29: Int64
  var t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14: String
  var r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, r10, r11, r12, r13: Double

  static let count: Int64 = 2_000
}

@Table("image")
struct Image: Identifiable {
  let id: Int64
  var data: Data

  static let count: Int64 = 20
  static let some = (1...count).map { n in
    Image(id: n, data: Data(repeating: UInt8(truncatingIfNeeded: n), count: 1_000_000))
  }
}

@Table("word")
struct Word: Identifiable {
  let id: Int64
  var text: String

  static let count: Int64 = 100_000
}

@Table("page")
struct Page: Identifiable {
  let id: Int64
  var text: String

  static let count: Int64 = 2_000
}

@Table("document")
struct Document: Identifiable {
  let id: Int64
  var title: String
  var body: String

  static let count: Int64 = 5_000
  static let found = 50
  static let text = FullTextIndex<Document>("document_text") { ($0.title, $0.body) }
}

extension Stock {
  /// Half of them are of names that are there already.
  static let models = (0..<10_000).map { Stock.Draft(name: "Stock \($0 % 5_000)", size: $0) }
  static let drafts = (0..<10_000).map { Stock.Draft(name: "Stock \($0)", size: $0) }
}

/// A piece of work.
enum Everyday {
  case fillStock, insertOneByOne, joinEach
  case deleteByKey, deleteByCondition, upsertModels, updateReturning
  case aggregate, findByTwoKeys, fetchWide, insertBlobs, fetchBlobs, fetchShortTexts, fetchLongTexts
  case commonTable, search
}

/// Who does it.
protocol EverydayContender: Contender {
  /// Returns how many rows were touched.
  func run(_ work: Everyday) async throws -> Int
}

extension Everyday {
  static let tables = """
    CREATE TABLE membership (
      userID INTEGER NOT NULL, groupID INTEGER NOT NULL, role TEXT NOT NULL,
      PRIMARY KEY (userID, groupID)) STRICT, WITHOUT ROWID;
    CREATE TABLE wide (id INTEGER PRIMARY KEY NOT NULL, \(wideColumns)) STRICT;
    CREATE TABLE image (id INTEGER PRIMARY KEY NOT NULL, data BLOB NOT NULL) STRICT;
    CREATE TABLE word (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT;
    CREATE TABLE page (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT;
    CREATE TABLE document (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL) STRICT;
    CREATE VIRTUAL TABLE document_text USING fts5(title, body, content = 'document', content_rowid = 'id');
    """
  private static let wideColumns =
    ((0..<30).map { "i\($0) INTEGER NOT NULL" } + (0..<15).map { "t\($0) TEXT NOT NULL" }
    + (0..<14).map { "r\($0) REAL NOT NULL" }).joined(separator: ", ")

  /// Fills what is only read. In SQL, since what is measured is not the filling.
  static let rows = """
    INSERT INTO membership
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(Membership.count))
      SELECT i / 10, i % 10, 'member ' || i FROM n;
    INSERT INTO wide
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Wide.count))
      SELECT i, \((0..<30).map { "i * \($0 + 1)" }.joined(separator: ", ")),
        \((0..<15).map { "'text ' || (i + \($0))" }.joined(separator: ", ")),
        \((0..<14).map { "i * \($0).5" }.joined(separator: ", ")) FROM n;
    INSERT INTO image
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Image.count))
      SELECT i, zeroblob(1000000) FROM n;
    INSERT INTO word
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Word.count))
      SELECT i, printf('%010d', i) FROM n;
    INSERT INTO page
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Page.count))
      SELECT i, printf('%.*c', 10000, 'x') FROM n;
    INSERT INTO document
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Document.count))
      SELECT i, 'Title number ' || i,
        'Some words before ' || printf('%.*c', i % 40, 'y') || CASE WHEN i % 10 THEN ' a town ' ELSE ' Reims ' END
        || 'and more words about number ' || i || ', as a document has them' FROM n;
    INSERT INTO document_text (document_text) VALUES ('rebuild');
    """

  static var works: [Work] {
    func work(
      _ title: String, target: Double?, _ work: Everyday, expected: Int, onStock: Bool = false
    ) -> Work {
      Work(
        title: title, target: target, expected: expected,
        prepare: !onStock
          ? nil
          : { contender in
            try await contender.clear()
            _ = try await (contender as? any EverydayContender)?.run(.fillStock)
          },
        isFor: { $0 is any EverydayContender }
      ) { try await ($0 as? any EverydayContender)?.run(work) ?? 0 }
    }
    return [
      Work(
        title: "10,000 × insert(contentsOf: [draft])", target: 2, expected: Stock.drafts.count,
        prepare: { try await $0.clear() }, isFor: { $0 is any EverydayContender }
      ) { try await ($0 as? any EverydayContender)?.run(.insertOneByOne) ?? 0 },
      work(
        "5,000 joins, built for each", target: nil, .joinEach, expected: Child.keys.count),
      work("10,000 deletes by key", target: 1.5, .deleteByKey, expected: 10_000, onStock: true),
      work(
        "2,000 deletes by condition", target: 1.7, .deleteByCondition, expected: 10_000,
        onStock: true),
      Work(
        title: "10,000 upserts of models", target: 2.5, expected: Stock.models.count,
        prepare: { try await $0.clear() }, isFor: { $0 is any EverydayContender }
      ) { try await ($0 as? any EverydayContender)?.run(.upsertModels) ?? 0 },
      work(
        "10,000 updates with RETURNING", target: 2.2, .updateReturning, expected: 10_000,
        onStock: true),
      work(
        "sums of 2,000 groups, 40,000 rows", target: 1.25, .aggregate, expected: Int(Parent.count)),
      work(
        "10,000 look-ups by a key of two", target: 1.5, .findByTwoKeys,
        expected: Membership.keys.count),
      work("fetch 2,000 × 60 columns", target: 1.25, .fetchWide, expected: Int(Wide.count)),
      Work(
        title: "insert 20 blobs of 1 MB", target: 1.25, expected: Int(Image.count),
        prepare: { try await $0.clear() }, isFor: { $0 is any EverydayContender }
      ) { try await ($0 as? any EverydayContender)?.run(.insertBlobs) ?? 0 },
      work("fetch 20 blobs of 1 MB", target: 1.25, .fetchBlobs, expected: Int(Image.count)),
      work(
        "100,000 × 10 bytes of text", target: 1.25, .fetchShortTexts, expected: Int(Word.count)),
      work("2,000 × 10 kB of text", target: 1.25, .fetchLongTexts, expected: Int(Page.count)),
      work(
        "join with a CTE, 20,000 rows", target: 1.25, .commonTable,
        expected: Int(Child.count / 2)),
      work(
        "20 searches with snippets", target: 1.25, .search, expected: 20 * Document.found),
    ]
  }
}

extension MiniORMContender: EverydayContender {
  private static let grow = PreparedReturning(Int64.self, Int.self) { id, count in
    Table<Stock>().where { $0.id == id }.update { $0.size += count }.returning()
  }

  func run(_ work: Everyday) async throws -> Int {
    switch work {
    case .fillStock:
      try await Table<Stock>().insert(
        contentsOf: (1...10_000).map { Stock(id: $0, name: "Stock \($0)", size: Int($0)) },
        in: scratch)
    case .insertOneByOne:
      try await scratch.write { db in
        var count = 0
        for draft in Stock.drafts {
          count += try Table<Stock>().insert(contentsOf: [draft], in: db)
        }
        return count
      }
    case .joinEach:
      try await database.read { db in
        var count = 0
        for key in Child.keys {
          count += try Table<Child>().join(Table<Parent>())
            .where { child, parent in child.id == key && parent.name != "unknown" }
            .select { ($0.id, $0.size, $1.name) }.fetchAll(in: db).count
        }
        return count
      }
    case .deleteByKey:
      try await scratch.write { db in
        var count = 0
        for id in Int64(1)...10_000 where try Table<Stock>().delete(id, in: db) { count += 1 }
        return count
      }
    case .deleteByCondition:
      try await scratch.write { db in
        var count = 0
        for part in Int64(0)..<2_000 {
          count += try Table<Stock>().where { $0.id > part * 5 && $0.id <= part * 5 + 5 }
            .delete().run(in: db)
        }
        return count
      }
    case .upsertModels:
      try await scratch.write { db in
        var count = 0
        for row in Stock.models {
          let stored = try Table<Stock>().upsert(row, onConflict: { $0.name }, in: db).row
          if stored.size == row.size { count += 1 }
        }
        return count
      }
    case .updateReturning:
      try await scratch.write { db in
        var count = 0
        for id in Int64(1)...10_000 where try Self.grow.fetchOne(id, 3, in: db) != nil {
          count += 1
        }
        return count
      }
    case .aggregate:
      try await Table<Child>().group { $0.parentID }
        .select { ($0.parentID, $0.id.count(), $0.size.sum()) }.fetchAll(in: database).count
    case .findByTwoKeys:
      try await database.read { db in
        var count = 0
        for n in Membership.keys
        where try Table<Membership>().find((Membership.user(n), Membership.group(n)), in: db) != nil
        {
          count += 1
        }
        return count
      }
    case .fetchWide: try await Table<Wide>().fetchAll(in: database).count
    case .insertBlobs: try await Table<Image>().insert(contentsOf: Image.some, in: scratch)
    case .fetchBlobs: try await Table<Image>().fetchAll(in: database).count
    case .fetchShortTexts: try await Table<Word>().fetchAll(in: database).count
    case .fetchLongTexts: try await Table<Page>().fetchAll(in: database).count
    case .commonTable:
      try await CommonTableExpression("large", as: Table<Child>().where { $0.size > 20_000 })
        .join(Table<Parent>()) { $0.parentID == $1.id }
        .select { ($0.id, $0.size, $1.name) }.fetchAll(in: database).count
    case .search:
      try await database.read { db in
        var count = 0
        for _ in 0..<20 {
          count += try Table<Document>().matching(Document.text, "reims").order { $0.rank }
            .limit(Document.found).select { ($0.id, $0.title, $0.snippet($0.body)) }
            .fetchAll(in: db).count
        }
        return count
      }
    }
  }
}
