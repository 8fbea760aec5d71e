import Foundation
import MiniORM

/// The tables for random operations, in three versions.
enum Library {
  static func schema(_ version: Int) -> DatabaseSchema {
    switch version {
    case 1: DatabaseSchema(version: 1, LibraryAuthor.self, Library1.Book.self, Loan.self)
    case 2: DatabaseSchema(version: 2, LibraryAuthor.self, Library2.Book.self, Loan.self)
    default: DatabaseSchema(version: 3, LibraryAuthor.self, Library3.Book.self, Loan.self)
    }
  }
  static let last = 3

  static let authors = Table<LibraryAuthor>()
  static let books = Table<Library1.Book>()
  static let loans = Table<Loan>()
  static let archived = Table<LibraryAuthor>(in: "archive")
}

@Table("author")
struct LibraryAuthor: Equatable, Hashable {
  let id: Int64
  @Column(.unique) var name: String
  var born: Int?
}

enum Library1 {
  @Table("book")
  struct Book: Equatable {
    let id: Int64
    @Column(.references(LibraryAuthor.self, onDelete: .cascade)) var authorID: Int64?
    var title: String
    var pages: Int
    var price: Double?
    var cover: Data?
  }
}

/// Adds a column and an index.
enum Library2 {
  @Table("book")
  struct Book: Equatable {
    let id: Int64
    @Column(.references(LibraryAuthor.self, onDelete: .cascade)) var authorID: Int64?
    var title: String
    var pages: Int
    var price: Double?
    var cover: Data?
    var rating = 3
  }
}
extension Library2.Book {
  static var indexes: [Index<Library2.Book>] {
    [Index { ($0.pages, $0.title.descending) }, Index { $0.authorID }]
  }
}

/// Rebuilds the table. The migration fails if a row violates a constraint.
enum Library3 {
  @Table("book")
  struct Book: Equatable {
    let id: Int64
    @Column(.references(LibraryAuthor.self, onDelete: .cascade)) var authorID: Int64?
    var title: String
    @Column(.check("pages >= 0")) var pages: Int
    var price: Double?
    var cover: Data?
    var rating = 3
  }
}
extension Library3.Book {
  static var indexes: [Index<Library3.Book>] { [Index { $0.authorID }] }
}

@Table("loan", primaryKey: ["bookID", "day"], options: [.strict, .withoutRowID])
struct Loan: Equatable {
  @Column(.references(Library1.Book.self, onDelete: .cascade)) let bookID: Int64
  let day: Int
  var note: String
}
