/// A type whose values are the rows of a table. `@Table` generates the conformance.
public protocol Model: Insertable, Selection where Stored == Self, Columns: ModelColumns {
  /// A row before its insertion, without a key that the database assigns. The draft is the model
  /// itself if the database assigns nothing.
  associatedtype Draft = Self

  /// The schema of the table.
  static var schema: TableSchema { get }

  /// The table's columns, as expressions for queries.
  static var columns: Columns { get }

  /// The table's indexes; by default, there are no indexes.
  ///
  /// ```swift
  /// extension Company {
  ///   static var indexes: [Index<Company>] {
  ///     [Index { ($0.cityID, $0.founded.descending) }]
  ///   }
  /// }
  /// ```
  static var indexes: [Index<Self>] { get }

  /// The table constraints; by default, there are no constraints.
  ///
  /// ```swift
  /// extension Company {
  ///   static var constraints: [TableConstraint<Company>] {
  ///     [.unique { ($0.name, $0.cityID) }]
  ///   }
  /// }
  /// ```
  static var constraints: [TableConstraint<Self>] { get }

  /// A condition of all the model's queries, unless ``Table/unscoped()`` removes the condition. By
  /// default, there is no condition.
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
  /// `false`: a model is stored with its key.
  public static var omitsRowID: Bool { false }
}

extension Model where Draft == Self {
  /// Copies a row, so that `Model.Draft(row)` is valid for every model.
  @inlinable
  public init(_ row: Self) { self = row }
}

/// A model with a primary key.
public protocol PrimaryKeyedModel: Model {
  /// The type of the primary key: the type of the key property, or a tuple for a composite key.
  associatedtype PrimaryKey: Sendable

  /// The row's primary key.
  var primaryKey: PrimaryKey { get }

  /// Binds a primary key to consecutive parameters, from the number of the first parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the key cannot be stored.
  static func bind(_ key: PrimaryKey, to statement: borrowing Statement, at first: Int32)
    throws(DatabaseError)
}

extension PrimaryKeyedModel where PrimaryKey: ColumnValue {
  /// Binds a primary key with a single column.
  @inlinable
  public static func bind(
    _ key: PrimaryKey, to statement: borrowing Statement, at first: Int32
  ) throws(DatabaseError) {
    try statement.bind(key, at: first)
  }
}

/// A row that can be inserted into a model's table: a model or its draft.
///
/// If a draft binds NULL to a column with `.default(sql:)`, the column takes the default. NULL in a
/// model stays NULL.
public protocol Insertable<Stored>: Sendable {
  /// The model that the stored row is read as.
  // Not constrained to Model, because the draft's conformance would then depend on the model's
  // conformance, which the macro adds in the extension that contains the draft.
  associatedtype Stored

  /// True if the rowid key is omitted, so that the database assigns it.
  static var omitsRowID: Bool { get }

  /// Binds every insertable column, in the order of the schema, from the number of the first
  /// parameter.
  /// - Throws: ``DatabaseError`` with the operation `bind` if a value cannot be stored.
  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError)
}

/// The struct that `@Table` generates as a model's draft.
public protocol _RowDraft: Insertable {
  // A static function, because an initializer in the struct would replace its memberwise
  // initializer.
  static func _draft(of row: Stored) -> Self
}

extension _RowDraft {
  /// Copies a row without the key that the database assigns, for example for a form that also
  /// creates rows.
  @inlinable
  public init(_ row: Stored) { self = Self._draft(of: row) }
}
