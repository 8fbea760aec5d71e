import Foundation
import MiniORM

/// A library operation with all its arguments. It means the same anywhere in a history, so a
/// shrinker can remove other operations.
indirect enum Operation: Sendable {
  // Operations inside a transaction.
  case insertAuthor(id: Int64?, name: String, born: Int?)
  case insertAuthors([LibraryAuthor.Draft])
  case insertAuthorOr(ConflictResolution, name: String, born: Int?)
  case upsertAuthor(name: String, born: Int?, overwritesWithNil: Bool)
  case updateAuthor(LibraryAuthor)
  case deleteAuthor(Int64)
  case insertBook(Library1.Book, withKey: Bool)
  case updateBooks(Filter, Assignment)
  case deleteBooks(Filter)
  case rateBooks(Filter, Int)
  case insertLoan(Loan)
  case upsertLoan(Loan)
  case updateLoan(Loan)
  case deleteLoan(book: Int64, day: Int)
  case insertArchived(id: Int64, name: String)
  case moveToArchive(Int64)
  case books(Filter, Order, limit: Int?, offset: Int)
  case book(Int64)
  case join(Filter)
  case leftJoin(limit: Int)
  case related(limit: Int?)
  case aggregate(Filter)
  case group
  case archived
  case savepoint([Operation], fails: Bool)
  // Operations on a database.
  case transaction([Operation], fails: Bool)
  case reading([Operation])
  case one(Operation)
  case cancelled(Operation, yields: Int)
  case observe(Filter)
  case stopObserving
  case attach
  case detach
  case changeKey(UInt8)
  case reopen(journal: Configuration.JournalMode, readers: Int, statements: Int)
  case migrate(Int)
  case backup
  case check

  indirect enum Filter: Sendable {
    case all, unpriced
    case pages(below: Int)
    case pagesBetween(Int, Int)
    case author(Int64?)
    case dearer(than: Double)
    case titled(String)
    case titlePrefix(String)
    case titleContains(String)
    case keys([Int64])
    case both(Filter, Filter)
    case either(Filter, Filter)
  }

  enum Assignment: Sendable {
    case addPages(Int)
    case title(String)
    case price(Double?)
    case author(Int64?)
    case cover([UInt8]?)
  }

  enum Order: CaseIterable, Sendable { case key, titleDescending, price, priceLast, pages }
}

/// Generates operations from a seed.
struct RandomOperations {
  private var random: SeededRandom
  init(seed: UInt64) { random = SeededRandom(seed) }

  mutating func some(_ count: Int) -> [Operation] { (0..<count).map { _ in operation() } }

  private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private mutating func maybe<Value>(_ value: Value) -> Value? { pick(4) == 0 ? nil : value }
  private mutating func key() -> Int64 { Int64(1 + pick(12)) }
  private mutating func number() -> Int { pick(40) - 4 }
  private mutating func price() -> Double { Double(pick(64) - 8) / 4 }

  private static let words = [
    "a", "B", "b", "", "\u{e9}", "e\u{301}", "\u{65e5}\u{672c}", "it's", "\"", "%", "_", "\\",
    "x\0y",
    "\u{202e}rtl", "NULL", "a b", "\u{1f469}\u{200d}\u{1f4bb}", "\u{10ffff}", "%s%n",
    "; DROP TABLE author",
  ]
  private mutating func word() -> String {
    pick(12) == 0 ? HostileText.random(using: &random) : Self.words[pick(Self.words.count)]
  }

  private mutating func draft() -> LibraryAuthor.Draft {
    LibraryAuthor.Draft(name: word(), born: maybe(1900 + pick(5)))
  }

  private mutating func loan() -> Loan { Loan(bookID: key(), day: pick(3), note: word()) }

  mutating func filter(_ depth: Int = 0) -> Operation.Filter {
    switch pick(depth > 1 ? 10 : 13) {
    case 0: .all
    case 1: .unpriced
    case 2: .pages(below: number())
    case 3: .pagesBetween(number(), number())
    case 4: .author(maybe(key()))
    case 5: .dearer(than: price())
    case 6: .titled(word())
    case 7: .titlePrefix(word())
    case 8: .titleContains(word())
    case 9: .keys((0..<pick(5)).map { _ in key() })
    case 10: .both(filter(depth + 1), filter(depth + 1))
    default: .either(filter(depth + 1), filter(depth + 1))
    }
  }

  private mutating func assignment() -> Operation.Assignment {
    switch pick(5) {
    case 0: .addPages(number())
    case 1: .title(word())
    case 2: .price(maybe(price()))
    case 3: .author(maybe(key()))
    default: .cover(maybe((0..<pick(9)).map { UInt8($0) }))
    }
  }

  /// Read operations.
  private mutating func query() -> Operation {
    switch pick(10) {
    case 0, 1, 2:
      .books(
        filter(), Operation.Order.allCases[pick(5)], limit: maybe(pick(6)), offset: pick(3))
    case 3: .book(key())
    case 4: .join(filter())
    case 5: .leftJoin(limit: 1 + pick(8))
    case 6: .related(limit: maybe(1 + pick(3)))
    case 7: .aggregate(filter())
    case 8: .group
    default: .archived
    }
  }

  /// Operations inside a transaction.
  mutating func step(_ depth: Int = 0) -> Operation {
    switch pick(depth < 2 ? 34 : 32) {
    case 0, 1, 2: .insertAuthor(id: pick(3) == 0 ? key() : nil, name: word(), born: maybe(pick(9)))
    case 3: .insertAuthors((0..<pick(4)).map { _ in draft() })
    case 4:
      .insertAuthorOr(pick(2) == 0 ? .replace : .ignore, name: word(), born: maybe(pick(9)))
    case 5, 6:
      .upsertAuthor(name: word(), born: maybe(pick(9)), overwritesWithNil: pick(2) == 0)
    case 7: .updateAuthor(LibraryAuthor(id: key(), name: word(), born: maybe(pick(9))))
    case 8: .deleteAuthor(key())
    case 9, 10, 11, 12, 13:
      .insertBook(
        Library1.Book(
          id: key(), authorID: maybe(key()), title: word(), pages: number(),
          price: maybe(price()), cover: maybe(Data((0..<pick(9)).map { UInt8(255 - $0) }))),
        withKey: pick(3) == 0)
    case 14, 15, 16: .updateBooks(filter(), assignment())
    case 17: .deleteBooks(filter())
    case 18: .rateBooks(filter(), pick(6))
    case 19, 20: .insertLoan(loan())
    case 21: .upsertLoan(loan())
    case 22: .updateLoan(loan())
    case 23: .deleteLoan(book: key(), day: pick(3))
    case 24: .insertArchived(id: key(), name: word())
    case 25: .moveToArchive(key())
    case 26...31: query()
    default: .savepoint((0...pick(4)).map { _ in step(depth + 1) }, fails: pick(2) == 0)
    }
  }

  /// Operations on a database.
  mutating func operation() -> Operation {
    switch pick(200) {
    case 0..<40: .transaction((0...pick(6)).map { _ in step() }, fails: pick(4) == 0)
    case 40..<55: .reading((0...pick(3)).map { _ in pick(8) == 0 ? step(2) : query() })
    case 55..<62: .cancelled(.one(step()), yields: pick(30))
    case 62..<66:
      .cancelled(.transaction((0...pick(6)).map { _ in step() }, fails: false), yields: pick(60))
    case 66..<70: .observe(filter())
    case 70..<73: .stopObserving
    case 73..<77: .attach
    case 77..<80: .detach
    case 80: .changeKey(UInt8(pick(256)))
    case 81: .cancelled(.changeKey(UInt8(pick(256))), yields: pick(60))
    case 82, 83:
      .reopen(
        journal: [.wal, .wal, .delete, .truncate, .persist][pick(5)], readers: 1 + pick(3),
        statements: [0, 1, 5, 100][pick(4)])
    case 84: .migrate(1 + pick(3))
    case 85: .cancelled(.migrate(2 + pick(2)), yields: pick(100))
    case 86: .backup
    case 87: .check
    default: .one(step(2))
    }
  }
}
