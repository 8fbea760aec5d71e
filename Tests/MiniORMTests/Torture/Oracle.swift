import Foundation
import MiniORM

/// A model of the library in plain Swift, without SQL.
struct Oracle: Equatable {
  struct BookState: Equatable {
    var book: Library1.Book
    var rating = 3
  }
  struct LoanKey: Hashable {
    let book: Int64
    let day: Int
  }

  /// A deliberate bug that the tests must find.
  enum Flaw: CaseIterable, Sendable {
    case keepsLoansOfDeletedBooks, keepsWhatWasRolledBack, sortsNullLast, upsertsDuplicates,
      comparesByCharacters, forgetsSavepoint, keepsHalfOfAnInsert, observesNothing, keepsOldKey
  }
  var flaw: Flaw?

  var version = 1
  var authors: [Int64: LibraryAuthor] = [:]
  var books: [Int64: BookState] = [:]
  var loans: [LoanKey: String] = [:]
  /// The rows of the archive file, whether attached or not.
  var archive: [Int64: LibraryAuthor] = [:]
  var isAttached = false
  var key: UInt8 = 0

  /// The result code of a refused operation.
  struct Refusal: Error {
    let code: ResultCode
    init(_ code: ResultCode) { self.code = code }
  }

  /// The contents of the file.
  var contents: [String] {
    authors.values.sorted { $0.id < $1.id }.map(Self.text)
      + sorted(.all, .key).map { Self.text($0.book, version < 2 ? nil : $0.rating) }
      + loans.sorted { ($0.key.book, $0.key.day) < ($1.key.book, $1.key.day) }
      .map { Self.text(Loan(bookID: $0.key.book, day: $0.key.day, note: $0.value)) }
  }

  // MARK: Texts

  static func text(_ text: String) -> String {
    "'\(text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())'"
  }
  static func text(_ author: LibraryAuthor) -> String {
    "author \(author.id) \(text(author.name)) \(text(author.born))"
  }
  static func text(_ book: Library1.Book, _ rating: Int? = nil) -> String {
    "book \(book.id) \(text(book.authorID)) \(text(book.title)) \(book.pages) \(text(book.price)) "
      + text(book.cover.map { [UInt8]($0) }) + (rating.map { " *\($0)" } ?? "")
  }
  static func text(_ loan: Loan) -> String { "loan \(loan.bookID) \(loan.day) \(text(loan.note))" }
  static func text(_ value: (some CustomStringConvertible)?) -> String {
    value.map { $0.description } ?? "-"
  }

  // MARK: Operations

  /// Runs an operation inside a transaction.
  /// - Returns: Rows, a count, or an error code. After an error, nothing has changed.
  mutating func perform(_ operation: Operation) -> [String] {
    let before = self
    do throws(Refusal) {
      return try attempt(operation)
    } catch {
      if flaw == .keepsHalfOfAnInsert, case .insertAuthors = operation {} else { self = before }
      return ["error \(error.code.rawValue)"]
    }
  }

  private mutating func attempt(_ operation: Operation) throws(Refusal) -> [String] {
    switch operation {
    case .insertAuthor(let id, let name, let born):
      return [Self.text(try insert(id, name, born))]
    case .insertAuthors(let drafts):
      for draft in drafts { _ = try insert(nil, draft.name, draft.born) }
      return ["\(drafts.count)"]
    case .insertAuthorOr(let resolution, let name, let born):
      let id = nextID(authors.keys)
      if let old = author(named: name) {
        if resolution == .ignore { return ["0"] }
        removeAuthor(old.id)
      }
      authors[id] = LibraryAuthor(id: id, name: name, born: born)
      return ["1"]
    case .upsertAuthor(let name, let born, let overwritesWithNil):
      guard var author = author(named: name), flaw != .upsertsDuplicates else {
        return ["inserted \(Self.text(try insert(nil, name, born)))"]
      }
      let new = overwritesWithNil ? born : born ?? author.born
      guard new != author.born else { return ["unchanged \(Self.text(author))"] }
      author.born = new
      authors[author.id] = author
      return ["updated \(Self.text(author))"]
    case .updateAuthor(let author):
      guard authors[author.id] != nil else { return ["false"] }
      if let other = self.author(named: author.name), other.id != author.id {
        throw Refusal(.constraintUnique)
      }
      authors[author.id] = author
      return ["true"]
    case .deleteAuthor(let id):
      guard authors[id] != nil else { return ["false"] }
      removeAuthor(id)
      return ["true"]
    case .insertBook(let book, let withKey):
      let id = withKey ? book.id : nextID(books.keys)
      let new = Library1.Book(
        id: id, authorID: book.authorID, title: book.title, pages: book.pages, price: book.price,
        cover: book.cover)
      if version == 3, book.pages < 0 { throw Refusal(.constraintCheck) }
      if books[id] != nil { throw Refusal(.constraintPrimaryKey) }
      try checkAuthor(book.authorID)
      books[id] = BookState(book: new)
      return [Self.text(new)]
    case .updateBooks(let filter, let assignment):
      let found = books.values.filter { matches($0.book, filter) }
      for var state in found {
        assign(assignment, &state.book)
        if version == 3, state.book.pages < 0 { throw Refusal(.constraintCheck) }
        books[state.book.id] = state
      }
      for state in found { try checkAuthor(books[state.book.id]?.book.authorID) }
      return ["\(found.count)"]
    case .deleteBooks(let filter):
      let found = books.values.filter { matches($0.book, filter) }
      for state in found { removeBook(state.book.id) }
      return ["\(found.count)"]
    case .rateBooks(let filter, let rating):
      guard version > 1 else { throw Refusal(.error) }
      let found = books.values.filter { matches($0.book, filter) }
      for state in found { books[state.book.id]?.rating = rating }
      return ["\(found.count)"]
    case .insertLoan(let loan):
      let key = LoanKey(book: loan.bookID, day: loan.day)
      if loans[key] != nil { throw Refusal(.constraintPrimaryKey) }
      if books[loan.bookID] == nil { throw Refusal(.constraintForeignKey) }
      loans[key] = loan.note
      return [Self.text(loan)]
    case .upsertLoan(let loan):
      let key = LoanKey(book: loan.bookID, day: loan.day)
      if books[loan.bookID] == nil { throw Refusal(.constraintForeignKey) }
      let old = loans.updateValue(loan.note, forKey: key)
      let outcome =
        old.map { $0.utf8.elementsEqual(loan.note.utf8) ? "unchanged" : "updated" } ?? "inserted"
      return ["\(outcome) \(Self.text(loan))"]
    case .updateLoan(let loan):
      let key = LoanKey(book: loan.bookID, day: loan.day)
      guard loans[key] != nil else { return ["false"] }
      loans[key] = loan.note
      return ["true"]
    case .deleteLoan(let book, let day):
      return ["\(loans.removeValue(forKey: LoanKey(book: book, day: day)) != nil)"]
    case .insertArchived(let id, let name):
      try insertArchived(LibraryAuthor(id: id, name: name, born: nil))
      return ["1"]
    case .moveToArchive(let id):
      guard isAttached else { throw Refusal(.error) }
      guard let author = authors[id] else { return ["-"] }
      try insertArchived(author)
      removeAuthor(id)
      return [Self.text(author)]
    case .savepoint(let operations, let fails):
      let before = self
      let answers = operations.flatMap { perform($0) }
      if fails, flaw != .forgetsSavepoint { self = before }
      return answers + [fails ? "undone" : "done"]
    default:
      return try query(operation)
    }
  }

  private func query(_ operation: Operation) throws(Refusal) -> [String] {
    switch operation {
    case .books(let filter, let order, let limit, let offset):
      let all = sorted(filter, order).dropFirst(limit == nil ? 0 : offset)
      return all.prefix(limit ?? .max).map { Self.text($0.book) }
    case .book(let id): return [books[id].map { Self.text($0.book) } ?? "-"]
    case .join(let filter):
      return sorted(filter, .key).compactMap { state in
        state.book.authorID.flatMap { authors[$0] }.map { "\(state.book.id) \(Self.text($0.name))" }
      }
    case .leftJoin(let limit):
      return sorted(.all, .key).prefix(limit).map { state in
        let author = state.book.authorID.flatMap { authors[$0] }
        return Self.text(state.book) + " " + (author.map(Self.text) ?? "-")
      }
    case .related(let limit):
      return authors.values.sorted { $0.id > $1.id }.map { author in
        let own = sorted(.author(author.id), .titleDescending).prefix(limit ?? .max)
        return "\(author.id): \(own.map { "\($0.book.id)" }.joined(separator: " "))"
      }
    case .aggregate(let filter):
      let found = books.values.map(\.book).filter { matches($0, filter) }
      let pages = found.map(\.pages)
      let average = found.isEmpty ? nil : Double(pages.reduce(0, +)) / Double(found.count)
      return [
        "\(found.count)", "\(!found.isEmpty)", Self.text(found.isEmpty ? nil : pages.reduce(0, +)),
        Self.text(found.compactMap(\.price).max()),
        found.map(\.title).min { Self.precedes($0, $1) }.map(Self.text) ?? "-", Self.text(average),
      ]
    case .group:
      let groups = Dictionary(grouping: books.values.map(\.book), by: \.authorID)
      return groups.sorted { ($0.key ?? .min) < ($1.key ?? .min) }.map { author, books in
        "\(Self.text(author)) \(books.count) \(books.map(\.pages).reduce(0, +))"
      }
    case .archived:
      guard isAttached else { throw Refusal(.error) }
      return archive.values.sorted { $0.id < $1.id }.map(Self.text)
    default: return []
    }
  }

  // MARK: Parts

  private func nextID(_ keys: some Collection<Int64>) -> Int64 { (keys.max() ?? 0) + 1 }

  /// Compares bytes, as SQLite does: precomposed and decomposed é differ.
  private func isSame(_ left: String, _ right: String) -> Bool {
    flaw == .comparesByCharacters ? left == right : left.utf8.elementsEqual(right.utf8)
  }
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private func author(named name: String) -> LibraryAuthor? {
    authors.values.first { isSame($0.name, name) }
  }

  private mutating func insert(_ id: Int64?, _ name: String, _ born: Int?) throws(Refusal)
    -> LibraryAuthor
  {
    let author = LibraryAuthor(id: id ?? nextID(authors.keys), name: name, born: born)
    if authors[author.id] != nil { throw Refusal(.constraintPrimaryKey) }
    if self.author(named: name) != nil { throw Refusal(.constraintUnique) }
    authors[author.id] = author
    return author
  }

  private mutating func insertArchived(_ author: LibraryAuthor) throws(Refusal) {
    guard isAttached else { throw Refusal(.error) }
    if archive[author.id] != nil { throw Refusal(.constraintPrimaryKey) }
    if archive.values.contains(where: { isSame($0.name, author.name) }) {
      throw Refusal(.constraintUnique)
    }
    archive[author.id] = author
  }

  private func checkAuthor(_ id: Int64?) throws(Refusal) {
    if let id, authors[id] == nil { throw Refusal(.constraintForeignKey) }
  }

  private mutating func removeAuthor(_ id: Int64) {
    authors[id] = nil
    for book in books.values where book.book.authorID == id { removeBook(book.book.id) }
  }

  private mutating func removeBook(_ id: Int64) {
    books[id] = nil
    if flaw != .keepsLoansOfDeletedBooks { loans = loans.filter { $0.key.book != id } }
  }

  private func assign(_ assignment: Operation.Assignment, _ book: inout Library1.Book) {
    switch assignment {
    case .addPages(let count): book.pages += count
    case .title(let title): book.title = title
    case .price(let price): book.price = price
    case .author(let id): book.authorID = id
    case .cover(let bytes): book.cover = bytes.map { Data($0) }
    }
  }

  func matches(_ book: Library1.Book, _ filter: Operation.Filter) -> Bool {
    switch filter {
    case .all: true
    case .unpriced: book.price == nil
    case .pages(let limit): book.pages < limit
    case .pagesBetween(let low, let high): book.pages >= low && book.pages <= high
    case .author(let id): book.authorID == id
    case .dearer(let price): book.price.map { $0 > price } ?? false
    case .titled(let title): isSame(book.title, title)
    case .titlePrefix(let prefix): book.title.utf8.starts(with: prefix.utf8)
    case .titleContains(let part):
      part.isEmpty
        || book.title.utf8.indices.contains { book.title.utf8[$0...].starts(with: part.utf8) }
    case .keys(let keys): keys.contains(book.id)
    case .both(let left, let right): matches(book, left) && matches(book, right)
    case .either(let left, let right): matches(book, left) || matches(book, right)
    }
  }

  private func sorted(_ filter: Operation.Filter, _ order: Operation.Order) -> [BookState] {
    books.values.filter { matches($0.book, filter) }.sorted { one, other in
      let (a, b) = (one.book, other.book)
      switch order {
      case .key: break
      case .titleDescending where !a.title.utf8.elementsEqual(b.title.utf8):
        return Self.precedes(b.title, a.title)
      case .price where a.price != b.price, .priceLast where a.price != b.price:
        guard let left = a.price, let right = b.price else {
          // NULL sorts first.
          return (a.price == nil) == (order == .price && flaw != .sortsNullLast)
        }
        return left < right
      case .pages where a.pages != b.pages: return a.pages < b.pages
      default: break
      }
      return a.id < b.id
    }
  }
}
