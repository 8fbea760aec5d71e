extension DatabaseSchema {
  /// A step that brings a file to the next version, in a single transaction.
  ///
  /// A step names tables and columns, not models, so that later changes of a model do not affect
  /// it.
  public struct Step: Sendable, CustomStringConvertible {
    /// The file's version after the step.
    public let version: Int32
    /// A short description for errors, plans and the file's history.
    public let name: String

    package let operations: [Operation]
    package let foreignKeysEnabled: Bool

    /// Creates a step.
    ///
    /// Foreign keys are on while SQL of the step runs: DELETE runs ON DELETE actions, and DROP
    /// TABLE fails for a table that other tables reference. To rebuild a table in SQL, turn foreign
    /// keys off:
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
    ///   - foreignKeysEnabled: False to turn foreign keys off while SQL of the step runs. The step
    ///     then fails at the end if a row has no parent, including rows without a parent before the
    ///     step.
    ///   - operations: The operations, in order.
    public init(
      to version: Int32, _ name: String, foreignKeysEnabled: Bool = true, _ operations: Operation...
    ) {
      self.init(
        to: version, name, foreignKeysEnabled: foreignKeysEnabled, operations: operations)
    }

    /// Creates a step from an array, for example of operations on several tables.
    ///
    /// ```swift
    /// let former = ["draft", "inbox"]
    /// DatabaseSchema.Step(to: 4, "old tables", operations: former.map { .dropTable($0) })
    /// ```
    public init(
      to version: Int32, _ name: String, foreignKeysEnabled: Bool = true, operations: [Operation]
    ) {
      self.version = version
      self.name = name
      self.foreignKeysEnabled = foreignKeysEnabled
      self.operations = operations
    }

    /// The version and the name.
    @_documentation(visibility: internal)
    public var description: String { "Step \(version) (\(name))" }
  }

  /// A column in a migration step.
  public struct Column: Sendable {
    let schema: ColumnSchema

    /// Creates a column.
    ///
    /// ```swift
    /// .column("name", String.self, .unique)
    /// .column("price", ScaledDecimal<DecimalScales.S2>.self)
    /// ```
    /// For a property with `@Column(as:)`, pass the representation.
    /// - Parameters:
    ///   - name: The column's name.
    ///   - type: The type of the values. Use an optional type if NULL is allowed.
    ///   - constraints: The column's constraints.
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

  /// An operation of a step. An operation has no effect if the file already has the outcome.
  public struct Operation: Sendable {
    package enum Kind: Sendable {
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
      case createObject(SchemaObjectDefinition)
      case dropObject(type: String, String)
      case backfill(String, @Sendable (ResultRow) throws -> [String: any ColumnValue])
      case run(@Sendable (isolated Connection) throws -> Void)
    }

    package let kind: Kind
    /// True if the operation follows from a model, whose formats its columns have.
    var followsModel = false
  }
}

extension DatabaseSchema.Operation {
  /// Runs any number of SQL statements, without parameters.
  ///
  /// BEGIN, COMMIT and ROLLBACK throw, because the step is a transaction.
  /// - Parameter script: The statements, separated by semicolons.
  public static func sql(_ script: String) -> Self { Self(kind: .sql(script)) }

  /// Creates a table: CREATE TABLE.
  ///
  /// ```swift
  /// .createTable("city", .column("id", Int.self, .primaryKey), .column("name", String.self))
  /// ```
  /// - Parameters:
  ///   - name: The table's name.
  ///   - columns: The table's columns.
  ///   - primaryKey: The columns of a composite primary key.
  ///   - options: STRICT, WITHOUT ROWID. The default is STRICT.
  public static func createTable(
    _ name: String, _ columns: DatabaseSchema.Column..., primaryKey: [String] = [],
    options: TableOptions = [.strict]
  ) -> Self {
    Self(kind: .createTable(CreateTable(name, columns, primaryKey, options)))
  }

  /// Renames a table, and updates indexes, triggers, views and foreign keys: ALTER TABLE RENAME.
  public static func renameTable(_ name: String, to newName: String) -> Self {
    Self(kind: .renameTable(name, to: newName))
  }

  /// Drops a table with its rows, indexes and triggers: DROP TABLE.
  ///
  /// Rows of other tables are never deleted; the step fails if they lose their parents. The
  /// operation has no effect if the table does not exist.
  ///
  /// If the module of a virtual table is missing, as for FTS4, the operation removes the table's
  /// entry in the schema, its shadow tables, and the triggers that name it. The shadow tables of
  /// modules other than FTS, R*Tree and Geopoly remain: drop them by name.
  /// - Parameter name: The table's name.
  public static func dropTable(_ name: String) -> Self { Self(kind: .dropTable(name)) }

  /// Adds a column: ALTER TABLE ADD COLUMN.
  ///
  /// ```swift
  /// .addColumn("name", String?.self, to: "person")
  /// ```
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: The type of the values. If the table contains rows, use an optional type or a
  ///     default. If the model uses `@Column(as:)`, pass the representation, such as
  ///     ``UnixSeconds`` or ``ScaledDecimal``.
  ///   - constraints: The column's constraints.
  ///   - table: The table's name.
  public static func addColumn<Value: ColumnValue>(
    _ name: String, _ type: Value.Type, _ constraints: ColumnConstraint..., to table: String
  ) -> Self {
    Self(kind: .addColumn(DatabaseSchema.Column(name, type, constraints).schema, table: table))
  }

  /// Renames a column, and updates indexes, triggers and views: ALTER TABLE RENAME COLUMN.
  public static func renameColumn(_ name: String, to newName: String, in table: String) -> Self {
    Self(kind: .renameColumn(name, to: newName, table: table))
  }

  /// Drops a column with its contents and indexes.
  public static func dropColumn(_ name: String, from table: String) -> Self {
    Self(kind: .dropColumn(name, table: table))
  }

  /// Converts the values of a column, and records the new format.
  ///
  /// ```swift
  /// // An Int of seconds becomes a Date in milliseconds.
  /// .convertColumn("at", to: UnixMilliseconds.self, in: "event", using: "at * 1000")
  /// // Dates of another program become texts as MiniORM writes them.
  /// .convertColumn("created", to: Date.self, in: "note")
  /// ```
  /// The column keeps its constraints, except NOT NULL, which follows from the type. At the end,
  /// `migrate` checks that the model can read each value.
  ///
  /// Omit the expression if another program wrote texts such as dates with a `T`, a `Z` or no
  /// fraction, uppercase UUIDs, or decimals such as `9.0`. A value that MiniORM cannot read stays
  /// as stored, and `migrate` throws.
  /// - Parameters:
  ///   - name: The column's name.
  ///   - type: The new type of the values. Use an optional type if NULL is allowed. If the model
  ///     uses `@Column(as:)`, pass the representation, such as ``UnixSeconds``,
  ///     ``ScaledDecimal`` or ``JSON``.
  ///   - table: The table's name.
  ///   - sql: An SQL expression over the columns before the conversion. The text becomes SQL: never
  ///     use user input. By default, the values are rewritten as MiniORM would write them.
  public static func convertColumn<Value: ColumnValue>(
    _ name: String, to type: Value.Type, in table: String, using sql: String? = nil
  ) -> Self {
    let schema = DatabaseSchema.Column(name, type, []).schema
    let value = name.quotedIdentifier
    return Self(
      kind: .convertColumn(
        schema, table: table, sql: sql ?? schema.format?.canonical(value) ?? value))
  }

  /// Rebuilds a table with different columns and constraints, and copies the rows and rowids.
  ///
  /// Indexes, triggers and views are kept. A column takes the value of its expression in `values`,
  /// else the value of the old column with the same name, else its default.
  ///
  /// The step fails if a column would be lost: an old column that `columns` omits and no expression
  /// in `values` names. To drop a column, write ``dropColumn(_:from:)`` before this operation, or
  /// call ``Database/migrate(_:allowingDrops:progress:)`` with `allowingDrops`.
  ///
  /// See [Making Other Kinds Of Table Schema
  /// Changes](https://www.sqlite.org/lang_altertable.html#otheralter).
  /// - Parameters:
  ///   - name: The table's name.
  ///   - columns: The new columns.
  ///   - primaryKey: The columns of a composite primary key.
  ///   - options: STRICT, WITHOUT ROWID. The default is STRICT.
  ///   - values: SQL expressions over the old columns, by the names of new columns. The texts
  ///     become SQL: never use user input.
  public static func rebuildTable(
    _ name: String, _ columns: DatabaseSchema.Column..., primaryKey: [String] = [],
    options: TableOptions = [.strict], values: [String: String] = [:]
  ) -> Self {
    Self(
      kind: .rebuildTable(CreateTable(name, columns, primaryKey, options), values: values))
  }

  /// Creates an index: CREATE INDEX.
  ///
  /// ```swift
  /// .createIndex("person_on_name", on: "person", ["name"])
  /// ```
  /// - Parameters:
  ///   - name: The index's name.
  ///   - table: The table's name.
  ///   - columns: The columns.
  ///   - unique: True if no two rows may have the same values in all the columns.
  ///   - condition: An SQL condition for the rows in the index; by default, all rows.
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
  ///   - values: A closure that takes a row and returns new values by column name. Other columns
  ///     keep their values. The primary key cannot change. A `Date`, a `UUID` or a `Decimal` needs
  ///     a format: ``DatabaseValue/init(_:as:)``.
  public static func backfill(
    _ table: String, _ values: @escaping @Sendable (ResultRow) throws -> [String: any ColumnValue]
  ) -> Self {
    Self(kind: .backfill(table, values))
  }

  /// Runs a closure in the step's transaction. Name tables and columns instead of models, because a
  /// model may change before the step runs.
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
