import MiniORM

/// A Unicode scalar and what Unicode says about it.
///
/// The code point is the primary key. It is an integer, so SQLite uses it as the rowid; and since
/// it is known before the row is inserted, whole models are inserted and not drafts.
@Table("scalar", columns: .snakeCase)
struct Scalar: Identifiable, Equatable {
  @Column(.primaryKey) let codePoint: UInt32
  /// `nil` for controls and private use, which have none, and for the newest ideographs, whose names
  /// the standard library does not make yet.
  var name: String?
  @Column(.references(Category.self, deferred: true)) var category: GeneralCategory
  /// The version of Unicode that assigned it.
  var age: UnicodeVersion?
  /// 7 for `7`, 0.5 for `½`, `nil` for what is no number.
  var numericValue: Double?
  /// As Unicode counts: the digits are emoji too, being parts of keycaps.
  var isEmoji = false
  /// The mappings, `nil` where a scalar maps to itself.
  var uppercase: String?
  var lowercase: String?
  var titlecase: String?

  var id: UInt32 { codePoint }
}

extension Scalar {
  /// For listing a category's scalars, and for the join.
  static var indexes: [Index<Scalar>] { [Index { $0.category }] }
}

/// A general category, in a table of its own that scalars refer to.
@Table("category", options: [.strict, .withoutRowID])
struct Category: Equatable {
  @Column(.primaryKey) let code: GeneralCategory
  @Column(.unique) var title: String
}

/// A scalar that somebody likes: what the demo updates and upserts.
///
/// The database assigns `id`, so it is not in `Favorite.Draft`.
@Table("favorite", columns: .snakeCase)
struct Favorite: Identifiable, Equatable {
  let id: Int64
  @Column(.unique, .references(Scalar.self, deferred: true)) var codePoint: UInt32
  var note: String
  var visits = 0
}

/// A row that the demo's join computes.
@Selection
struct CategoryCount {
  var title: String
  var scalars: Int
  var emoji: Int
  var newest: UnicodeVersion?
}

extension Atlas {
  /// The models, whose tables `migrate` creates.
  static let schema = DatabaseSchema(Category.self, Scalar.self, Favorite.self)
}

/// A version of Unicode, such as 15.1.
///
/// A type of one's own as a column: stored as 1501, so that the database compares versions as
/// numbers do. As text, "9.0" would come after "15.1".
struct UnicodeVersion: Hashable, ColumnValue {
  var major: Int
  var minor: Int

  init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  static var columnType: ColumnType { .integer }

  init(cell: borrowing Cell) throws(DatabaseError) {
    let number = try Int(cell: cell)
    self.init(major: number / 100, minor: number % 100)
  }

  func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    try (major * 100 + minor).bind(to: parameter)
  }
}

extension UnicodeVersion: CustomStringConvertible {
  var description: String { "\(major).\(minor)" }
}
