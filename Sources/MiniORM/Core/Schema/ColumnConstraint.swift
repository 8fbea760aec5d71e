/// A constraint of a column, written in `@Column(…)`.
///
/// In `@Column("name", .unique)`, the string literal is the column's name. Elsewhere, a name is not
/// a constraint.
///
/// See [Column Definitions](https://www.sqlite.org/lang_createtable.html).
public struct ColumnConstraint: Sendable, ExpressibleByStringLiteral {
  enum Kind: Sendable {
    case name(String)
    case primaryKey(autoincrement: Bool, onConflict: ConflictResolution?)
    case unique(onConflict: ConflictResolution?)
    case notNull(onConflict: ConflictResolution)
    case defaultValue(any ColumnValue)
    case initial(InitialValue)
    /// A column of a model in an `@Embedded` property.
    case ofModel
    case defaultSQL(String)
    case currentTime
    case check(String)
    case collate(Collation)
    case references(ForeignKey)
    case generated(String, stored: Bool)
    case renamed([String])
    case type(String, isNullable: Bool?)
  }

  let kind: Kind

  // With a second macro that takes a String first, the compiler reports every error in `@Column` as
  // "type 'String' has no member …".
  /// Creates the name in `@Column("name", .unique)`. Elsewhere, a name is not a constraint.
  @_documentation(visibility: internal)
  public init(stringLiteral name: String) { self.init(kind: .name(name)) }

  init(kind: Kind) { self.kind = kind }

  /// A PRIMARY KEY constraint. An integer key is the rowid, and the database assigns its value.
  public static var primaryKey: ColumnConstraint { primaryKey() }

  /// Returns a PRIMARY KEY constraint.
  ///
  /// See [SQLite Autoincrement](https://www.sqlite.org/autoinc.html).
  /// - Parameters:
  ///   - autoincrement: Whether to add AUTOINCREMENT, so that a deleted row's rowid is not reused.
  ///   - resolution: The ON CONFLICT clause: see ``unique(onConflict:)``.
  public static func primaryKey(
    autoincrement: Bool = false, onConflict resolution: ConflictResolution? = nil
  ) -> ColumnConstraint {
    .init(kind: .primaryKey(autoincrement: autoincrement, onConflict: resolution))
  }

  /// A UNIQUE constraint.
  public static var unique: ColumnConstraint { .init(kind: .unique(onConflict: nil)) }

  /// Returns a UNIQUE constraint with an ON CONFLICT clause, for a table that another program
  /// created.
  ///
  /// The clause applies to each insertion and update without a resolution of its own. For a new
  /// table, prefer `upsert`, or ``Insert/or(_:)`` on the insertion: there, a reader sees that rows
  /// are skipped or replaced.
  ///
  /// See [The ON CONFLICT Clause](https://www.sqlite.org/lang_conflict.html).
  /// - Parameter resolution: The effect of a violation. With ``ConflictResolution/ignore``,
  ///   inserting a row that must be returned throws if the row is skipped.
  public static func unique(onConflict resolution: ConflictResolution) -> ColumnConstraint {
    .init(kind: .unique(onConflict: resolution))
  }

  /// Returns an ON CONFLICT clause for the NOT NULL of a column whose property is not optional.
  ///
  /// ```swift
  /// @Column(.primaryKey, .notNull(onConflict: .replace), .default(sql: "uuid()")) let id: String
  /// ```
  /// - Parameter resolution: The effect of NULL in an insertion or update by SQL. With
  ///   ``ConflictResolution/replace``, the column takes its default.
  public static func notNull(onConflict resolution: ConflictResolution) -> ColumnConstraint {
    .init(kind: .notNull(onConflict: resolution))
  }

  /// Returns a DEFAULT clause with a value. A property with a literal default needs no constraint.
  /// - Parameter value: A literal of the property's type.
  public static func `default`(_ value: some ColumnValue) -> ColumnConstraint {
    .init(kind: .defaultValue(value))
  }

  /// The time of a row's insertion, for `.default(.now)`.
  public enum CurrentTime: Sendable {
    /// The current time in UTC, to the millisecond.
    case now
  }

  /// Returns a DEFAULT clause with the time of the insertion, in the storage format of the column's
  /// dates. In the draft, the property is optional: `nil` takes the default.
  ///
  /// ```swift
  /// @Column(.default(.now)) var created: Date
  /// ```
  /// The stored value equals the value that MiniORM binds for the same `Date`. `migrate` refuses
  /// `CURRENT_TIMESTAMP` for a `Date`, because its text has no fraction of a second: declare the
  /// column with ``ColumnStorage/textSeconds``.
  public static func `default`(_ time: CurrentTime) -> ColumnConstraint {
    .init(kind: .currentTime)
  }

  /// For the code of `@Table`: returns the value of existing rows when a migration adds a column
  /// whose default is not a constant.
  public static func _initial<Value: ColumnValue>(
    _ value: @autoclosure @escaping @Sendable () -> Value
  ) -> ColumnConstraint { .init(kind: .initial(InitialValue(value: value, isConstant: false))) }

  /// Returns a DEFAULT clause with an expression, such as `lower(hex(randomblob(8)))`. In the
  /// draft, the property is optional: `nil` takes the default.
  /// - Parameter sql: The expression. Never pass user input.
  public static func `default`(sql: String) -> ColumnConstraint { .init(kind: .defaultSQL(sql)) }

  /// Returns a CHECK constraint.
  /// - Parameter sql: The condition. Never pass user input.
  public static func check(_ sql: String) -> ColumnConstraint { .init(kind: .check(sql)) }

  /// Returns a COLLATE clause.
  public static func collate(_ collation: Collation) -> ColumnConstraint {
    .init(kind: .collate(collation))
  }

  /// Returns a REFERENCES clause: a foreign key to a table by its name, for a migration step.
  ///
  /// Without a parent column, the foreign key refers to the primary key. For the other parameters,
  /// see ``references(_:onDelete:onUpdate:deferred:)``.
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

  /// Returns a GENERATED ALWAYS AS clause: the database computes the column.
  ///
  /// See [Generated Columns](https://www.sqlite.org/gencol.html).
  /// - Parameters:
  ///   - sql: The expression. Never pass user input.
  ///   - stored: Whether the value is stored instead of computed on each read.
  public static func generated(_ sql: String, stored: Bool = false) -> ColumnConstraint {
    .init(kind: .generated(sql, stored: stored))
  }

  /// Returns a declared type, such as `VARCHAR(100)`, for a table that another program created. An
  /// empty text declares no type. By default, `migrate` declares the property's type.
  ///
  /// The table is not STRICT. Choose a property type whose values SQLite stores unchanged in a
  /// column of the declared type. The database assigns an integer key only if the declared type is
  /// `INTEGER`. With any other type, such as `BIGINT`, the draft has the key, and your program
  /// assigns it.
  ///
  /// See [Type Affinity](https://www.sqlite.org/datatype3.html#type_affinity).
  /// - Parameters:
  ///   - sql: The type. Never pass user input.
  ///   - nullable: Whether the column is declared without NOT NULL, if the property's type differs:
  ///     `true` for a key that SQLite would let be NULL, `false` for a ``DatabaseValue``.
  public static func type(_ sql: String, nullable: Bool? = nil) -> ColumnConstraint {
    .init(kind: .type(sql, isNullable: nullable))
  }

  /// For the code of `@Table`: returns the column's former names.
  public static func renamed(from names: String...) -> ColumnConstraint {
    .init(kind: .renamed(names))
  }
}

struct InitialValue: Sendable {
  let value: @Sendable () -> any ColumnValue
  let isConstant: Bool

  var constraint: ColumnConstraint {
    .init(kind: isConstant ? .defaultValue(value()) : .initial(self))
  }

  var sql: String? { (try? DatabaseValue(storing: value()))?.literal }
}

/// The effect of a constraint violation on the row, the statement and the transaction.
///
/// A foreign key violation always acts like ``abort``. See [The ON CONFLICT
/// Clause](https://www.sqlite.org/lang_conflict.html).
public enum ConflictResolution: String, Sendable {
  /// The statement fails, and the whole transaction is rolled back.
  case rollback = "ROLLBACK"
  /// The statement fails, and its changes are rolled back. This is the default.
  case abort = "ABORT"
  /// The statement fails, but the rows already written stay.
  case fail = "FAIL"
  /// The row is skipped, and the statement continues.
  case ignore = "IGNORE"
  /// For a primary key or UNIQUE constraint, the conflicting rows are deleted first. For NOT NULL,
  /// the column's default, if any, replaces NULL.
  case replace = "REPLACE"
}

extension ConflictResolution? {
  /// The clause with a space before it; empty for nil.
  package var clause: String { map { " ON CONFLICT \($0.rawValue)" } ?? "" }
}

/// The effect on child rows when their parent is deleted or its key changes.
public enum ForeignKeyAction: String, Sendable {
  /// The children's columns become NULL.
  case setNull = "SET NULL"
  /// The children's columns take their default.
  case setDefault = "SET DEFAULT"
  /// The children are deleted, or follow the new key.
  case cascade = "CASCADE"
  /// The change is rejected immediately, even if the constraint is deferred.
  case restrict = "RESTRICT"
}

struct ForeignKey: Sendable {
  enum Parent: Sendable {
    // Evaluated lazily, because two models may refer to each other.
    case schema(@Sendable () -> TableSchema)
    case table(String, column: String?)
  }

  let parent: Parent
  let onDelete: ForeignKeyAction?
  let onUpdate: ForeignKeyAction?
  let isDeferred: Bool

  var target: String {
    switch parent {
    case .schema(let schema): schema().name.quotedIdentifier
    case .table(let name, let column):
      name.quotedIdentifier + (column.map { " (\($0.quotedIdentifier))" } ?? "")
    }
  }
}
