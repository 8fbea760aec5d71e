/// A column as its model describes it.
public final class ColumnSchema: Sendable {
  /// The column's name.
  public let name: String
  /// The table's name.
  public let table: String
  /// The declared type.
  public let type: ColumnType
  /// True if NULL is allowed.
  public let isNullable: Bool
  /// The SQL of the default, if any.
  public let defaultSQL: String?

  /// The value of existing rows if a migration adds the column. In a `@Selection`: the property's
  /// default.
  let initial: InitialValue?
  let quotedName: String
  let isPrimaryKey: Bool
  let isAutoincrement: Bool
  let isUnique: Bool
  let checks: [String]
  let collation: Collation?
  let foreignKey: ForeignKey?
  let generated: (sql: String, isStored: Bool)?
  let isDefaultedByDatabase: Bool
  let formerNames: [String]
  let typeSQL: String?
  let isDeclaredNullable: Bool
  /// The type of the stored values without optionals; nil if unknown.
  let stored: (any Any.Type)?
  let problem: DatabaseError?

  package init(
    _ name: String, table: String, type: ColumnType, isNullable: Bool,
    _ constraints: [ColumnConstraint], stored: (any Any.Type)? = nil,
    problem: DatabaseError? = nil
  ) {
    var isPrimaryKey = false
    var isAutoincrement = false
    var isUnique = false
    var defaultSQL: String?
    var isDefaultedByDatabase = false
    var checks: [String] = []
    var collation: Collation?
    var foreignKey: ForeignKey?
    var generated: (String, Bool)?
    var formerNames: [String] = []
    var typeSQL: String?
    var isDeclaredNullable = isNullable
    var problem = problem
    var initial: InitialValue?
    for constraint in constraints {
      switch constraint.kind {
      case .primaryKey(let autoincrement): (isPrimaryKey, isAutoincrement) = (true, autoincrement)
      case .unique: isUnique = true
      case .defaultValue(let value):
        do throws(DatabaseError) {
          defaultSQL = try DatabaseValue(storing: value).literal
        } catch {
          problem = DatabaseError(
            .migrate, code: error.code, error.message, table: table, column: name)
        }
      case .name(let text):
        problem = DatabaseError(
          .migrate, code: .misuse,
          "'\(text)' is not a constraint: a column's name belongs in @Column, as its first argument",
          table: table, column: name)
      case .initial(let value): initial = value
      case .ofModel:
        problem = DatabaseError(
          .migrate, code: .misuse,
          "Column \(name) comes from a model in an @Embedded property, which takes only values and "
            + "structs with @Selection. Store the model's key, or declare a @Selection with these columns",
          table: table, column: name)
      case .defaultSQL(let sql):
        (defaultSQL, isDefaultedByDatabase) = (sql, true)
        guard stored is any TimeStored.Type,
          SQLToken.all(in: sql).contains(where: { $0.isKeyword("current_timestamp") })
        else { continue }
        let reason =
          (stored as? any ColumnValue.Type)?.columnType == .text
          ? "has no fraction of a second, so the text differs from the text of the same Date, and "
            + "comparisons miss the row"
          : "is a text, and the column stores a number"
        problem = DatabaseError(
          .migrate, code: .misuse, "CURRENT_TIMESTAMP \(reason): write .default(.now)",
          table: table,
          column: name)
      case .currentTime:
        isDefaultedByDatabase = true
        defaultSQL = (stored as? any TimeStored.Type)?.currentTime
        guard defaultSQL == nil else { continue }
        problem = DatabaseError(
          .migrate, code: .misuse,
          ".default(.now) is for columns of dates: write .default(sql:) for other types",
          table: table, column: name)
      case .check(let sql): checks.append(sql)
      case .collate(let name): collation = name
      case .references(let key): foreignKey = key
      case .generated(let sql, let stored): generated = (sql, stored)
      case .renamed(let names): formerNames = names
      case .type(let sql, let nullable):
        typeSQL = sql
        isDeclaredNullable = nullable ?? isNullable
      }
    }
    self.name = name
    self.initial = initial
    quotedName = name.quotedIdentifier
    self.table = table
    self.type = type
    self.isNullable = isNullable
    self.isPrimaryKey = isPrimaryKey
    self.isAutoincrement = isAutoincrement
    self.isUnique = isUnique
    self.defaultSQL = defaultSQL
    self.isDefaultedByDatabase = isDefaultedByDatabase
    self.checks = checks
    self.collation = collation
    self.foreignKey = foreignKey
    self.generated = generated
    self.formerNames = formerNames
    self.typeSQL = typeSQL
    self.isDeclaredNullable = isDeclaredNullable
    self.stored = stored
    self.problem = problem
  }

  /// In a STRICT table, ANY stores values unchanged. In other tables, ANY would convert texts to
  /// numbers.
  func declaredType(isStrict: Bool) -> ColumnType { type == .any && !isStrict ? .blob : type }

  /// - Parameter other: The table, if not the model's. The name is removed as a qualifier from the
  ///   user's SQL.
  func definition(isKey: Bool, isStrict: Bool, of other: String? = nil) -> String {
    let table = other ?? table
    var text = name.quotedIdentifier
    let type = typeSQL ?? declaredType(isStrict: isStrict).rawValue
    if !type.isEmpty { text += " \(type)" }
    if isKey {
      text += " PRIMARY KEY" + (isAutoincrement ? " AUTOINCREMENT" : "")
    }
    if !isDeclaredNullable { text += " NOT NULL" }
    if isUnique { text += " UNIQUE" }
    if let defaultSQL { text += " DEFAULT (\(defaultSQL))" }
    for check in checks { text += " CHECK (\(check.removingQualifier(table)))" }
    if let collation { text += " COLLATE \(collation.name)" }
    if let foreignKey {
      text += " REFERENCES \(foreignKey.target)"
      if let action = foreignKey.onDelete { text += " ON DELETE \(action.rawValue)" }
      if let action = foreignKey.onUpdate { text += " ON UPDATE \(action.rawValue)" }
      if foreignKey.isDeferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    }
    if let generated {
      let sql = generated.sql.removingQualifier(table)
      text += " GENERATED ALWAYS AS (\(sql)) \(generated.isStored ? "STORED" : "VIRTUAL")"
    }
    return text
  }
}
