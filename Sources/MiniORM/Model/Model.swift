/// A type whose values are the rows of a table. `@Table` writes the conformance.
public protocol Model: Insertable, Selection where Stored == Self, Columns: ModelColumns {
  /// The table as the model describes it.
  static var schema: TableSchema { get }

  /// The table's columns, as expressions for queries.
  static var columns: Columns { get }

  /// The table's indexes. There are none unless the model declares some:
  ///
  /// ```swift
  /// extension Company {
  ///   static var indexes: [Index<Company>] {
  ///     [Index { ($0.cityID, $0.founded.descending) }]
  ///   }
  /// }
  /// ```
  static var indexes: [Index<Self>] { get }

  /// The constraints of the table as a whole. There are none unless the model declares some:
  ///
  /// ```swift
  /// extension Company {
  ///   static var constraints: [TableConstraint<Self>] {
  ///     [.unique { ($0.name, $0.cityID) }]
  ///   }
  /// }
  /// ```
  static var constraints: [TableConstraint<Self>] { get }

  /// The condition that the model's queries have unless ``Table/unscoped()`` removes it. There is
  /// none unless the model declares one:
  ///
  /// ```swift
  /// extension Note {
  ///   static var defaultScope: Scope<Note> { Scope { $0.deletedAt == nil } }
  /// }
  /// ```
  static var defaultScope: Scope<Self> { get }
}

extension Model {
  /// An empty array.
  public static var indexes: [Index<Self>] { [] }
  /// An empty array.
  public static var constraints: [TableConstraint<Self>] { [] }
  /// No condition.
  @inlinable
  public static var defaultScope: Scope<Self> { .none }
  /// `false`: a whole model is stored with its key.
  public static var omitsRowID: Bool { false }
}

/// A model with a primary key.
public protocol PrimaryKeyedModel: Model {
  /// The type of the primary key: that of its property, or a tuple if the key has several columns.
  associatedtype PrimaryKey: Sendable

  /// The row's primary key.
  var primaryKey: PrimaryKey { get }

  /// Binds a primary key to consecutive parameters.
  /// - Parameters:
  ///   - key: The key.
  ///   - statement: The statement.
  ///   - first: The number of the first parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if it cannot be stored.
  static func bind(_ key: PrimaryKey, to statement: borrowing Statement, at first: Int32)
    throws(DatabaseError)
}

extension PrimaryKeyedModel where PrimaryKey: ColumnValue {
  /// Binds a primary key of one column.
  /// - Parameters:
  ///   - key: The key.
  ///   - statement: The statement.
  ///   - first: The number of the parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if it cannot be stored.
  @inlinable
  public static func bind(
    _ key: PrimaryKey, to statement: borrowing Statement, at first: Int32
  ) throws(DatabaseError) {
    try statement.bind(key, at: first)
  }
}

/// A row that can be inserted into a model's table: the model itself, or its draft.
///
/// If a draft binds NULL to a column with `.default(sql:)`, the column takes that default. NULL in
/// the model itself stays NULL.
public protocol Insertable<Stored>: Sendable {
  /// The model that the stored row is read as.
  // Not required to be a Model here: a draft's conformance would then wait for that of its model,
  // which waits for the macro's extension, which holds the draft.
  associatedtype Stored

  /// Whether the rowid key is left out, so that the database assigns it.
  static var omitsRowID: Bool { get }

  /// Binds every column that can be inserted, in the order of the schema.
  /// - Parameters:
  ///   - statement: The statement.
  ///   - first: The number of the first parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if a value cannot be stored.
  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError)
}
