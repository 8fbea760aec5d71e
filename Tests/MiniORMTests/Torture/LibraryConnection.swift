import Foundation

@testable import MiniORM

extension Operation.Filter {
  func condition(_ book: Library1.Book.Columns) -> MiniORM.SQLExpression<Bool?> {
    switch self {
    case .all: (book.id == book.id).optional
    case .unpriced: (book.price == nil).optional
    case .pages(let limit): (book.pages < limit).optional
    case .pagesBetween(let low, let high): (book.pages.between(low, and: high)).optional
    case .author(let id): (book.authorID == id).optional
    case .dearer(let price): book.price > price
    case .titled(let title): (book.title == title).optional
    case .titlePrefix(let prefix): (book.title.hasPrefix(prefix)).optional
    case .titleContains(let part): (book.title.contains(part)).optional
    case .keys(let keys): (book.id.isIn(keys)).optional
    case .both(let left, let right): left.condition(book) && right.condition(book)
    case .either(let left, let right): left.condition(book) || right.condition(book)
    }
  }

  var books: Table<Library1.Book> { Library.books.where { condition($0) } }
}

extension Operation.Order {
  func books(_ table: Table<Library1.Book>) -> Table<Library1.Book> {
    switch self {
    case .key: table.order { $0.id }
    case .titleDescending: table.order { ($0.title.descending, $0.id) }
    case .price: table.order { ($0.price, $0.id) }
    case .priceLast: table.order { ($0.price.ascending.nullsLast, $0.id) }
    case .pages: table.order { ($0.pages, $0.id) }
    }
  }
}

private func text<T>(_ outcome: UpsertOutcome<T>, _ text: (T) -> String) -> String {
  switch outcome {
  case .inserted(let row): "inserted \(text(row))"
  case .updated(let row): "updated \(text(row))"
  case .unchanged(let row): "unchanged \(text(row))"
  }
}

/// Runs operations through the public API.
extension Operation {
  struct Stop: Error {}

  private func update(_ filter: Filter, _ assignment: Assignment) -> Update<Library1.Book> {
    filter.books.update {
      switch assignment {
      case .addPages(let count): $0.pages += count
      case .title(let title): $0.title = title
      case .price(let price): $0.price = price
      case .author(let id): $0.authorID = id
      case .cover(let bytes): $0.cover = bytes.map { Data($0) }
      }
    }
  }

  private func rate(_ filter: Filter, _ rating: Int) -> Update<Library2.Book> {
    let keys = filter.books.select { $0.id }
    return Table<Library2.Book>().where { $0.id.isIn(keys) }.update { $0.rating = rating }
  }

  private func draft(_ book: Library1.Book) -> Library1.Book.Draft {
    Library1.Book.Draft(
      authorID: book.authorID, title: book.title, pages: book.pages, price: book.price,
      cover: book.cover)
  }

  private func limited(_ filter: Filter, _ order: Order, _ limit: Int?, _ offset: Int) -> Table<
    Library1.Book
  > {
    let table = order.books(filter.books)
    return limit.map { table.limit($0, offset: offset) } ?? table
  }

  /// Runs the operation inside a transaction.
  func perform(in db: isolated Connection) -> [String] {
    do {
      return try attempt(in: db)
    } catch let error as DatabaseError {
      return ["error \(error.code.rawValue)"]
    } catch {
      return ["\(error)"]
    }
  }

  private func attempt(in db: isolated Connection) throws -> [String] {
    let (authors, books, loans) = (Library.authors, Library.books, Library.loans)
    switch self {
    case .insertAuthor(let id?, let name, let born):
      return [
        Oracle.text(try authors.insert(LibraryAuthor(id: id, name: name, born: born), in: db))
      ]
    case .insertAuthor(nil, let name, let born):
      return [Oracle.text(try authors.insert(LibraryAuthor.Draft(name: name, born: born), in: db))]
    case .insertAuthors(let drafts):
      return ["\(try authors.insert(contentsOf: drafts, in: db))"]
    case .insertAuthorOr(let resolution, let name, let born):
      let insert = authors.insert(LibraryAuthor.Draft(name: name, born: born)).or(resolution)
      return ["\(try insert.run(in: db))"]
    case .upsertAuthor(let name, let born, let overwritesWithNil):
      let outcome = try authors.upsert(
        LibraryAuthor.Draft(name: name, born: born), onConflict: { $0.name },
        overwritesWithNil: overwritesWithNil, in: db)
      return [text(outcome) { Oracle.text($0) }]
    case .updateAuthor(let author): return ["\(try authors.update(author, in: db))"]
    case .deleteAuthor(let id): return ["\(try authors.delete(id, in: db))"]
    case .insertBook(let book, true): return [Oracle.text(try books.insert(book, in: db))]
    case .insertBook(let book, false): return [Oracle.text(try books.insert(draft(book), in: db))]
    case .updateBooks(let filter, let assignment):
      return ["\(try update(filter, assignment).run(in: db))"]
    case .deleteBooks(let filter): return ["\(try filter.books.delete().run(in: db))"]
    case .rateBooks(let filter, let rating): return ["\(try rate(filter, rating).run(in: db))"]
    case .insertLoan(let loan): return [Oracle.text(try loans.insert(loan, in: db))]
    case .upsertLoan(let loan):
      let outcome = try loans.upsert(loan, onConflict: { ($0.bookID, $0.day) }, in: db)
      return [text(outcome) { Oracle.text($0) }]
    case .updateLoan(let loan): return ["\(try loans.update(loan, in: db))"]
    case .deleteLoan(let book, let day):
      return ["\(try loans.where { $0.bookID == book && $0.day == day }.delete().run(in: db) > 0)"]
    case .insertArchived(let id, let name):
      let author = LibraryAuthor(id: id, name: name, born: nil)
      return ["\(try Library.archived.insert(contentsOf: [author], in: db))"]
    case .moveToArchive(let id):
      let moved = try db.transaction { db -> LibraryAuthor? in
        guard try Library.archived.count(in: db) >= 0, let author = try authors.find(id, in: db)
        else { return nil }
        try Library.archived.insert(author, in: db)
        try authors.delete(author, in: db)
        return author
      }
      return [moved.map { Oracle.text($0) } ?? "-"]
    case .savepoint(let operations, let fails):
      var answers: [String] = []
      do {
        try db.transaction { db in
          for operation in operations { answers += operation.perform(in: db) }
          if fails { throw Stop() }
        }
        return answers + ["done"]
      } catch is Stop {
        return answers + ["undone"]
      }
    case .books(let filter, let order, let limit, let offset):
      return try limited(filter, order, limit, offset).fetchAll(in: db).map { Oracle.text($0) }
    case .book(let id): return [try books.find(id, in: db).map { Oracle.text($0) } ?? "-"]
    case .join(let filter):
      let joined = filter.books.join(authors) { $0.authorID == $1.id }.order { $0.0.id }
      return try joined.select { ($0.id, $1.name) }.fetchAll(in: db).map {
        "\($0.0) \(Oracle.text($0.1))"
      }
    case .leftJoin(let limit):
      let joined = books.leftJoin(authors).order { $0.0.id }.limit(limit)
      return try joined.fetchAll(in: db).map { book, author in
        Oracle.text(book) + " " + (author.map { Oracle.text($0) } ?? "-")
      }
    case .related(let limit):
      let ordered = books.order { ($0.title.descending, $0.id) }
      let children = limit.map { ordered.limit($0) } ?? ordered
      let rows = try authors.order { $0.id.descending }.including(children).fetchAll(in: db)
      return rows.map { "\($0.0.id): \($0.1.map { "\($0.id)" }.joined(separator: " "))" }
    case .aggregate(let filter):
      let found = filter.books
      return [
        "\(try found.count(in: db))", "\(try found.exists(in: db))",
        Oracle.text(try found.sum(of: { $0.pages }, in: db)),
        Oracle.text(try found.max(of: { $0.price }, in: db)),
        try found.min(of: { $0.title }, in: db).map { Oracle.text($0) } ?? "-",
        Oracle.text(try found.average(of: { $0.pages }, in: db)),
      ]
    case .group:
      let groups = books.group { $0.authorID }.order { $0.authorID }
        .select { ($0.authorID, $0.id.count(), $0.pages.sum()) }
      return try groups.fetchAll(in: db).map {
        "\(Oracle.text($0.0)) \($0.1) \(Oracle.text($0.2))"
      }
    case .archived:
      return try Library.archived.order { $0.id }.fetchAll(in: db).map { Oracle.text($0) }
    default: return []
    }
  }

  /// Runs the operation through the methods of `Database`; nil if it has no such method.
  func attempt(in database: Database) async throws -> [String]? {
    let (authors, books, loans) = (Library.authors, Library.books, Library.loans)
    switch self {
    case .insertAuthor(let id?, let name, let born):
      return [
        Oracle.text(
          try await authors.insert(LibraryAuthor(id: id, name: name, born: born), in: database))
      ]
    case .insertAuthor(nil, let name, let born):
      return [
        Oracle.text(
          try await authors.insert(LibraryAuthor.Draft(name: name, born: born), in: database))
      ]
    case .insertAuthors(let drafts):
      return ["\(try await authors.insert(contentsOf: drafts, in: database))"]
    case .insertAuthorOr(let resolution, let name, let born):
      let insert = authors.insert(LibraryAuthor.Draft(name: name, born: born)).or(resolution)
      return ["\(try await insert.run(in: database))"]
    case .upsertAuthor(let name, let born, let overwritesWithNil):
      let outcome = try await authors.upsert(
        LibraryAuthor.Draft(name: name, born: born), onConflict: { $0.name },
        overwritesWithNil: overwritesWithNil, in: database)
      return [text(outcome) { Oracle.text($0) }]
    case .updateAuthor(let author): return ["\(try await authors.update(author, in: database))"]
    case .deleteAuthor(let id): return ["\(try await authors.delete(id, in: database))"]
    case .insertBook(let book, true):
      return [Oracle.text(try await books.insert(book, in: database))]
    case .insertBook(let book, false):
      return [Oracle.text(try await books.insert(draft(book), in: database))]
    case .updateBooks(let filter, let assignment):
      return ["\(try await update(filter, assignment).run(in: database))"]
    case .deleteBooks(let filter): return ["\(try await filter.books.delete().run(in: database))"]
    case .insertLoan(let loan): return [Oracle.text(try await loans.insert(loan, in: database))]
    case .upsertLoan(let loan):
      let outcome = try await loans.upsert(loan, onConflict: { ($0.bookID, $0.day) }, in: database)
      return [text(outcome) { Oracle.text($0) }]
    case .updateLoan(let loan): return ["\(try await loans.update(loan, in: database))"]
    case .books(let filter, let order, let limit, let offset):
      return try await limited(filter, order, limit, offset).fetchAll(in: database)
        .map { Oracle.text($0) }
    case .book(let id):
      return [try await books.find(id, in: database).map { Oracle.text($0) } ?? "-"]
    case .archived:
      return try await Library.archived.order { $0.id }.fetchAll(in: database)
        .map { Oracle.text($0) }
    default: return nil
    }
  }

  /// The contents of the file, in the oracle's format.
  static func contents(_ db: isolated Connection, version: Int) throws -> [String] {
    let authors = try Library.authors.order { $0.id }.fetchAll(in: db).map { Oracle.text($0) }
    let loans = try Library.loans.order { ($0.bookID, $0.day) }.fetchAll(in: db)
    let books: [String]
    if version < 2 {
      books = try Library.books.order { $0.id }.fetchAll(in: db).map { Oracle.text($0) }
    } else {
      books = try Table<Library2.Book>().order { $0.id }.fetchAll(in: db).map {
        Oracle.text(
          Library1.Book(
            id: $0.id, authorID: $0.authorID, title: $0.title, pages: $0.pages, price: $0.price,
            cover: $0.cover), $0.rating)
      }
    }
    return authors + books + loans.map { Oracle.text($0) }
  }
}
