extension DatabaseSchema {
  /// A step that brings a file from the previous version to this one, in one transaction.
  ///
  /// A step names tables and columns, never a model, so that it will mean the same in two years as
  /// it does today.
  public struct Step: Sendable, CustomStringConvertible {
    /// The file's version after the step.
    public let version: Int32
    /// A short description, which appears in errors, plans and the file's history.
    public let name: String

    let operations: [Operation]
    let foreignKeysEnabled: Bool

    /// Creates a step.
    ///
    /// SQL of the step runs with foreign keys on: a DELETE runs ON DELETE actions, and DROP TABLE of a
    /// table that other tables reference is refused. To rebuild a table by hand, as SQLite describes
    /// it, turn them off:
    ///
    /// ```swift
    /// DatabaseSchema.Step(
    ///   to: 3, "names without case", foreignKeysEnabled: false,
    ///   .sql(
    ///     """
    ///     CREATE TABLE new_city (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE);
    ///     INSERT INTO new_city SELECT id, name FROM city;
    ///     DROP TABLE city;
    ///     ALTER TABLE new_city RENAME TO city;
    ///     """))
    /// ```
    ///
    /// See [Making Other Kinds Of Table Schema
    /// Changes](https://www.sqlite.org/lang_altertable.html#otheralter).
    /// - Parameters:
    ///   - version: The file's version after the step, from 2.
    ///   - name: A short description.
    ///   - foreignKeysEnabled: Whether foreign keys are enforced while SQL of the step runs. Without
    ///     them, the step fails at its end if it leaves rows without parents that had parents before.
    ///   - operations: The operations, in order.
    public init(
      to version: Int32, _ name: String, foreignKeysEnabled: Bool = true, _ operations: Operation...
    ) {
      self.init(
        to: version, name, foreignKeysEnabled: foreignKeysEnabled, operations: operations)
    }

    init(
      to version: Int32, _ name: String, foreignKeysEnabled: Bool = true, operations: [Operation]
    ) {
      self.version = version
      self.name = name
      self.foreignKeysEnabled = foreignKeysEnabled
      self.operations = operations
    }

    /// The version and the name.
    public var description: String { "Step \(version) (\(name))" }
  }

  /// A column in a migration step.
  public struct Column: Sendable {
    let schema: ColumnSchema

    /// Creates a column.
    ///
    /// ```swift
    /// .column("name", String.self, .unique)
    /// ```
    /// - Parameters:
    ///   - name: The column's name.
    ///   - type: The type of its values, such as `String.self`, or `String?.self` if NULL is
    ///     allowed.
    ///   - constraints: Its constraints.
    public static func column<Value: ColumnValue>(
      _ name: String, _ type: Value.Type, _ constraints: ColumnConstraint...
    ) -> Column {
      Column(name, type, constraints)
    }

    init<Value: ColumnValue>(
      _ name: String, _ type: Value.Type, _ constraints: [ColumnConstraint]
    ) {
      schema = ColumnSchema(
        name, table: "", type: Value.columnType, isNullable: Value.isNullable, constraints,
        stored: Coding<Value>().stored)
    }
  }

  /// An operation of a step on named tables and columns.
  ///
  /// An operation whose outcome the file already has does nothing: a column that a later version's
  /// model added by itself may be there when an older step adds it.
  public struct Operation: Sendable {
    enum Kind: Sendable {
      case sql(String)
      case createTable(CreateTable)
      case renameTable(String, to: String)
      case dropTable(String)
      case addColumn(ColumnSchema, table: String)
      case renameColumn(String, to: String, table: String)
      case dropColumn(String, table: String)
      case rebuildTable(CreateTable, values: [String: String])
      case convertColumn(ColumnSchema, table: String, sql: String)
      case createIndex(String, sql: String)
      case dropIndex(String)
      case backfill(String, @Sendable (ResultRow) throws -> [String: any ColumnValue])
      case run(@Sendable (isolated Connection) throws -> Void)
    }

    let kind: Kind
  }
}

extension DatabaseSchema.Operation {
  /// Runs SQL with any number of statements, without parameters.
  ///
  /// The step has its own transaction: BEGIN, COMMIT and ROLLBACK are refused.
  /// - Parameter script: The statements, separated by semicolons.
  public static func sql(_ script: String) -> Self { Self(kind: .sql(script)) }

  /// Creates a table: CREATE TABLE.
  /// - Parameters:
  ///   - name: The table's name.
  ///   - columns: Its columns.
  ///   - primaryKey: The columns of a composite primary key.
  ///   - options: STRICT, WITHOUT ROWID.
  public static func createTable(
    _ name: String, _ columns: DatabaseSchema.Column..., primaryKey: [String] = [],
    options: TableOptions = [.strict]
  ) -> Self {
    Self(kind: .createTable(CreateTable(name, columns, primaryKey, options)))
  }

  /// Renames a table: ALTER TABLE RENAME. Indexes, triggers, views and foreign keys follow the new
  /// name.
  /// - Parameters:
  ///   - name: The table's current name.
  ///   - newName: Its new name.
  public static func renameTable(_ name: String, to newName: String) -> Self {
    Self(kind: .renameTable(name, to: newName))
  }

  /// Drops a table with its rows, indexes and triggers: DROP TABLE. Rows of other tables are never
  /// deleted with it; those that had a parent in it are an error. Nothing happens if there is no
  /// such table.
  /// - Parameter name: The table's name.
  public static func dropTable(_ name: String) -> Self { Self(kind: .dropTable(name)) }

  /// Adds a column: ALTER TABLE ADD COLUMN.
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: The type of its values: an optional, or one with a default if there are rows. Where the
  ///     model's `@Column(as:)` stores values in another way, the representation:
  ///     `UnixSeconds?.self` for `.unixSeconds`.
  ///   - constraints: Its constraints.
  ///   - table: The table's name.
  public static func addColumn<Value: ColumnValue>(
    _ name: String, _ type: Value.Type, _ constraints: ColumnConstraint..., to table: String
  ) -> Self {
    Self(kind: .addColumn(DatabaseSchema.Column(name, type, constraints).schema, table: table))
  }

  /// Renames a column: ALTER TABLE RENAME COLUMN. Indexes, triggers and views follow the new name.
  /// - Parameters:
  ///   - name: The column's current name.
  ///   - newName: Its new name.
  ///   - table: The table's name.
  public static func renameColumn(_ name: String, to newName: String, in table: String) -> Self {
    Self(kind: .renameColumn(name, to: newName, table: table))
  }

  /// Drops a column with its contents, and with any indexes on it.
  /// - Parameters:
  ///   - name: The column's name.
  ///   - table: The table's name.
  public static func dropColumn(_ name: String, from table: String) -> Self {
    Self(kind: .dropColumn(name, table: table))
  }

  /// Converts the values of a column, and records how they are stored from then on.
  ///
  /// ```swift
  /// // An Int of seconds becomes a Date in milliseconds.
  /// .convertColumn("at", to: UnixMilliseconds.self, in: "event", using: "at * 1000")
  /// ```
  /// The column keeps its constraints, except that NOT NULL follows from the type. `migrate` checks in
  /// the end that the model can read each value.
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: The new type of its values, an optional if NULL is allowed. Where the model's
  ///     `@Column(as:)` stores values in another way, the representation: ``UnixSeconds``,
  ///     ``UnixMilliseconds``, ``ScaledDecimal``, ``UUIDBytes`` or ``JSON``.
  ///   - table: The table's name.
  ///   - sql: An SQL expression over the columns of the table as they are before. It is spliced as it
  ///     is: never put user input here.
  public static func convertColumn<Value: ColumnValue>(
    _ name: String, to type: Value.Type, in table: String, using sql: String
  ) -> Self {
    Self(
      kind: .convertColumn(DatabaseSchema.Column(name, type, []).schema, table: table, sql: sql))
  }

  /// Rebuilds a table with other columns and constraints, and copies its rows and rowids.
  ///
  /// Indexes, triggers and views are kept. A column takes the values of the old column with the
  /// same name, or of the expression that `values` gives for it, or else its default.
  ///
  /// See [Making Other Kinds Of Table Schema
  /// Changes](https://www.sqlite.org/lang_altertable.html#otheralter).
  /// - Parameters:
  ///   - name: The table's name.
  ///   - columns: Its new columns.
  ///   - primaryKey: The columns of a composite primary key.
  ///   - options: STRICT, WITHOUT ROWID.
  ///   - values: SQL expressions over the old columns, by the names of new ones. They are spliced
  ///     as they are: never put user input here.
  public static func rebuildTable(
    _ name: String, _ columns: DatabaseSchema.Column..., primaryKey: [String] = [],
    options: TableOptions = [.strict], values: [String: String] = [:]
  ) -> Self {
    Self(
      kind: .rebuildTable(CreateTable(name, columns, primaryKey, options), values: values))
  }

  /// Creates an index: CREATE INDEX.
  /// - Parameters:
  ///   - name: The index's name.
  ///   - table: The table's name.
  ///   - columns: The columns.
  ///   - unique: Whether no two rows may have the same values in all the columns.
  ///   - condition: The rows that the index covers, as SQL; by default, all of them.
  public static func createIndex(
    _ name: String, on table: String, _ columns: [String], unique: Bool = false,
    where condition: String? = nil
  ) -> Self {
    let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
    let sql =
      "CREATE \(unique ? "UNIQUE " : "")INDEX \(name.quotedIdentifier) "
      + "ON \(table.quotedIdentifier) (\(list))" + (condition.map { " WHERE \($0)" } ?? "")
    return Self(kind: .createIndex(name, sql: sql))
  }

  /// Drops an index: DROP INDEX.
  /// - Parameter name: The index's name.
  public static func dropIndex(_ name: String) -> Self { Self(kind: .dropIndex(name)) }

  /// Computes values for each row in Swift.
  ///
  /// ```swift
  /// .backfill("person") { row in
  ///   guard case .text(let name)? = row["name"] else { return [:] }
  ///   return ["initials": initials(of: name)]
  /// }
  /// ```
  /// - Parameters:
  ///   - table: The table's name.
  ///   - values: A closure that takes a row, with all its columns, and returns values by the names
  ///     of columns. Other columns keep their values. The primary key cannot be among them.
  public static func backfill(
    _ table: String, _ values: @escaping @Sendable (ResultRow) throws -> [String: any ColumnValue]
  ) -> Self {
    Self(kind: .backfill(table, values))
  }

  /// Runs a closure in the step's transaction, for what the other operations cannot do. Name tables
  /// and columns in it, and no models: a model may have changed when it runs.
  /// - Parameter body: The closure.
  public static func run(_ body: @escaping @Sendable (isolated Connection) throws -> Void) -> Self {
    Self(kind: .run(body))
  }
}

extension CreateTable {
  fileprivate init(
    _ name: String, _ columns: [DatabaseSchema.Column], _ primaryKey: [String],
    _ options: TableOptions
  ) {
    let columns = columns.map(\.schema)
    self.init(
      name: name, columns: columns,
      primaryKey: primaryKey.isEmpty ? columns.filter(\.isPrimaryKey).map(\.name) : primaryKey,
      options: options)
  }
}
