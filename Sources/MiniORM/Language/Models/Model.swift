/// A type whose values are the rows of a table. `@Table` generates the conformance.
public protocol Model: Insertable, Selection where Stored == Self, Columns: ModelColumns {
  /// The type of a row before insertion, without a key that the database assigns. If the database
  /// assigns no key, the draft is the model itself.
  associatedtype Draft = Self

  /// The schema of the table.
  static var schema: TableSchema { get }

  /// The table's columns, as expressions for queries.
  static var columns: Columns { get }

  /// The table's indexes. By default, a table has no indexes.
  ///
  /// ```swift
  /// extension Company {
  ///   static var indexes: [Index<Company>] {
  ///     [Index { ($0.cityID, $0.founded.descending) }]
  ///   }
  /// }
  /// ```
  static var indexes: [Index<Self>] { get }

  /// The table constraints. By default, a table has no constraints.
  ///
  /// ```swift
  /// extension Company {
  ///   static var constraints: [TableConstraint<Company>] {
  ///     [.unique { ($0.name, $0.cityID) }]
  ///   }
  /// }
  /// ```
  static var constraints: [TableConstraint<Self>] { get }

  /// A condition of the model's queries. By default, queries have no condition.
  /// ``Table/unscoped()`` removes the condition from a query.
  ///
  /// ```swift
  /// extension Note {
  ///   static var defaultScope: Scope<Note> { Scope { $0.deletedAt == nil } }
  /// }
  /// ```
  static var defaultScope: Scope<Self> { get }
}

extension Model {
  /// By default, a model has no indexes.
  public static var indexes: [Index<Self>] { [] }
  /// By default, a model has no table constraints.
  public static var constraints: [TableConstraint<Self>] { [] }
  /// By default, a model's queries have no condition.
  @inlinable
  public static var defaultScope: Scope<Self> { .none }
  /// `false`, because a model is stored with its key.
  @_documentation(visibility: internal)
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

  /// Binds a primary key to the parameters from number `first`.
  /// - Throws: ``DatabaseError`` with the operation `bind` if the key cannot be stored.
  @_documentation(visibility: internal)
  static func bind(_ key: PrimaryKey, to statement: borrowing Statement, at first: Int32)
    throws(DatabaseError)
}

extension PrimaryKeyedModel where PrimaryKey: ColumnValue {
  /// Binds a primary key with a single column.
  @_documentation(visibility: internal)
  @inlinable
  public static func bind(
    _ key: PrimaryKey, to statement: borrowing Statement, at first: Int32
  ) throws(DatabaseError) {
    try statement.bind(key, at: first)
  }
}

/// A row that can be inserted into a table: a model or its draft.
///
/// If a draft binds NULL to a column with `.default(sql:)`, the column takes the default. NULL in a
/// model stays NULL.
public protocol Insertable<Stored>: Sendable {
  /// The model that the stored row is read as.
  // Not constrained to Model, because the draft's conformance would then depend on the model's
  // conformance, which the macro adds in the extension that contains the draft.
  associatedtype Stored

  /// True if insertions omit the rowid key, which the database then assigns.
  @_documentation(visibility: internal)
  static var omitsRowID: Bool { get }

  /// Binds every insertable column, in schema order, to the parameters from number `first`.
  /// - Throws: ``DatabaseError`` with the operation `bind` if a value cannot be stored.
  @_documentation(visibility: internal)
  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError)
}

/// The struct that `@Table` generates as a model's draft.
public protocol _RowDraft: Insertable {
  // A static function, because an initializer in the struct would replace its memberwise
  // initializer.
  static func _draft(of row: Stored) -> Self
}

extension _RowDraft {
  /// Copies a row without the key that the database assigns, for example to duplicate a row.
  @inlinable
  public init(_ row: Stored) { self = Self._draft(of: row) }
}

/// A condition that applies to a model's queries, such as "not deleted": see
/// ``Model/defaultScope``.
///
/// The condition applies to each operation that selects rows: fetching, `find`, aggregates,
/// `update`, `delete`, and the query of `insert(from:)`. Updating or deleting an excluded row
/// changes nothing and reports a missing row.
///
/// `insert`, `upsert` and `truncate` ignore the condition: a new row may be excluded, unique
/// constraints include excluded rows, and `truncate` deletes all rows.
public struct Scope<T: Model>: Sendable {
  @usableFromInline let condition: SQL?

  @usableFromInline
  init(condition: SQL?) { self.condition = condition }

  /// Creates a scope with a condition.
  public init(_ condition: (T.Columns) -> any SQLCondition) {
    self.init(
      condition: EnclosingQueries.calling(with: [T.schema.name]) { condition(T.columns).sql })
  }

  /// A scope without a condition.
  @inlinable
  public static var none: Scope { Scope(condition: nil) }
}

extension TableSchema {
  /// Returns the insertion for a row type. NULL in a draft becomes the database's default, if any.
  /// NULL in a model stays NULL.
  @inlinable
  func insertion<Row: Insertable>(of row: Row.Type) -> Insertion {
    insertion(omitsRowID: Row.omitsRowID, isModel: Row.self == Row.Stored.self)
  }
}
