/// A constraint of one column, written in `@Column(…)`.
///
/// See [Column Definitions](https://www.sqlite.org/lang_createtable.html).
public struct ColumnConstraint: Sendable {
  enum Kind: Sendable {
    case primaryKey(autoincrement: Bool)
    case unique
    case defaultValue(any ColumnValue)
    case defaultSQL(String)
    case check(String)
    case collate(Collation)
    case references(ForeignKey)
    case generated(String, stored: Bool)
    case renamed([String])
    case type(String, isNullable: Bool?)
  }

  let kind: Kind

  /// A PRIMARY KEY constraint. An integer key is the rowid, which the database assigns.
  public static var primaryKey: ColumnConstraint { .init(kind: .primaryKey(autoincrement: false)) }

  /// Returns a PRIMARY KEY constraint. With AUTOINCREMENT, the rowid of a deleted row is never used
  /// again.
  ///
  /// See [SQLite Autoincrement](https://www.sqlite.org/autoinc.html).
  /// - Parameter autoincrement: Whether to add AUTOINCREMENT.
  public static func primaryKey(autoincrement: Bool) -> ColumnConstraint {
    .init(kind: .primaryKey(autoincrement: autoincrement))
  }

  /// A UNIQUE constraint.
  public static var unique: ColumnConstraint { .init(kind: .unique) }

  /// Returns a DEFAULT clause with a value. A property with a literal default needs no such
  /// constraint.
  /// - Parameter value: A literal of the property's type.
  public static func `default`(_ value: some ColumnValue) -> ColumnConstraint {
    .init(kind: .defaultValue(value))
  }

  /// Returns a DEFAULT clause with an expression that the database computes, such as
  /// `CURRENT_TIMESTAMP`. In the draft, the property is optional: `nil` takes the default.
  /// - Parameter sql: The expression, which is spliced as it is: never put user input here.
  public static func `default`(sql: String) -> ColumnConstraint { .init(kind: .defaultSQL(sql)) }

  /// Returns a CHECK constraint.
  /// - Parameter sql: The condition, which is spliced as it is: never put user input here.
  public static func check(_ sql: String) -> ColumnConstraint { .init(kind: .check(sql)) }

  /// Returns a COLLATE clause.
  /// - Parameter collation: How texts are compared.
  public static func collate(_ collation: Collation) -> ColumnConstraint {
    .init(kind: .collate(collation))
  }

  /// Returns a foreign key to a table by its name, for a migration step, which knows no model:
  /// REFERENCES.
  ///
  /// See [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
  /// - Parameters:
  ///   - table: The table referred to.
  ///   - column: The column referred to; `nil` for the table's primary key.
  ///   - onDelete: What happens when the parent row is deleted; `nil` refuses.
  ///   - onUpdate: What happens when the parent's key changes; `nil` refuses.
  ///   - deferred: Whether the check waits until the transaction commits.
  public static func references(
    table: String, _ column: String? = nil, onDelete: ForeignKeyAction? = nil,
    onUpdate: ForeignKeyAction? = nil, deferred: Bool = false
  ) -> ColumnConstraint {
    .init(
      kind: .references(
        ForeignKey(
          parent: .table(table, column: column), onDelete: onDelete, onUpdate: onUpdate,
          isDeferred: deferred)))
  }

  /// Returns a clause for a column that the database computes: GENERATED ALWAYS AS.
  ///
  /// See [Generated Columns](https://www.sqlite.org/gencol.html).
  /// - Parameters:
  ///   - sql: The expression, which is spliced as it is: never put user input here.
  ///   - stored: Whether the value is stored, rather than computed each time it is read.
  public static func generated(_ sql: String, stored: Bool = false) -> ColumnConstraint {
    .init(kind: .generated(sql, stored: stored))
  }

  /// Returns a declared type as another program wrote it, for a table that it has created:
  /// `VARCHAR(100)`, `DATETIME`, or an empty text for no type. Without it, `migrate` gives the column the
  /// type of its property.
  ///
  /// The table is not STRICT, and values are still stored as the property's type says: choose one that
  /// SQLite keeps as it is in a column of this type. An integer key has to be an INTEGER.
  ///
  /// See [Type Affinity](https://www.sqlite.org/datatype3.html#type_affinity).
  /// - Parameters:
  ///   - sql: The type, which is spliced as it is: never put user input here.
  ///   - nullable: Whether the column is declared without NOT NULL, where the property's type says
  ///     otherwise: `true` for a key that SQLite would let be NULL, `false` for a ``DatabaseValue``.
  public static func type(_ sql: String, nullable: Bool? = nil) -> ColumnConstraint {
    .init(kind: .type(sql, isNullable: nullable))
  }

  /// Returns the former names of the column. `@Table` writes this for `@Column(renamedFrom:)`.
  /// - Parameter names: The former names.
  public static func renamed(from names: String...) -> ColumnConstraint {
    .init(kind: .renamed(names))
  }
}

/// The effect on child rows when their parent is deleted or its key changes.
public enum ForeignKeyAction: String, Sendable {
  /// The children's columns become NULL.
  case setNull = "SET NULL"
  /// The children's columns take their default.
  case setDefault = "SET DEFAULT"
  /// The children are deleted, or follow the new key.
  case cascade = "CASCADE"
  /// The change is refused at once.
  case restrict = "RESTRICT"
}

struct ForeignKey: Sendable {
  enum Parent: Sendable {
    // Asked for only when it is needed: two models may refer to each other.
    case schema(@Sendable () -> TableSchema)
    case table(String, column: String?)
  }

  let parent: Parent
  let onDelete: ForeignKeyAction?
  let onUpdate: ForeignKeyAction?
  let isDeferred: Bool

  /// The text after REFERENCES.
  var target: String {
    switch parent {
    case .schema(let schema): schema().name.quotedIdentifier
    case .table(let name, let column):
      name.quotedIdentifier + (column.map { " (\($0.quotedIdentifier))" } ?? "")
    }
  }
}
