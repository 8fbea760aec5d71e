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

  let quotedName: String
  /// The type of the stored values without optionals; nil if unknown.
  package let stored: (any Any.Type)?
  private let declared: Declared

  private struct Declared: Sendable {
    var isPrimaryKey = false
    var isAutoincrement = false
    var isUnique = false
    /// The ON CONFLICT clauses.
    var keyConflict: ConflictResolution?
    var uniqueConflict: ConflictResolution?
    var nullConflict: ConflictResolution?
    var defaultSQL: String?
    var isDefaultedByDatabase = false
    var checks: [String] = []
    var collation: Collation?
    var foreignKey: ForeignKey?
    var generated: (sql: String, isStored: Bool)?
    var formerNames: [String] = []
    var typeSQL: String?
    var isNullable: Bool?
    var initial: InitialValue?
    var problem: DatabaseError?
  }

  /// The value of existing rows if a migration adds the column. In a `@Selection`: the property's
  /// default.
  var initial: InitialValue? { declared.initial }
  var isPrimaryKey: Bool { declared.isPrimaryKey }
  var isAutoincrement: Bool { declared.isAutoincrement }
  var isUnique: Bool { declared.isUnique }
  var checks: [String] { declared.checks }
  var collation: Collation? { declared.collation }
  var foreignKey: ForeignKey? { declared.foreignKey }
  var generated: (sql: String, isStored: Bool)? { declared.generated }
  var isDefaultedByDatabase: Bool { declared.isDefaultedByDatabase }
  package var formerNames: [String] { declared.formerNames }
  var typeSQL: String? { declared.typeSQL }
  var isDeclaredNullable: Bool { declared.isNullable ?? isNullable }
  var problem: DatabaseError? { declared.problem }

  package init(
    _ name: String, table: String, type: ColumnType, isNullable: Bool,
    _ constraints: [ColumnConstraint], stored: (any Any.Type)? = nil,
    problem: DatabaseError? = nil
  ) {
    (self.name, quotedName, self.table) = (name, name.quotedIdentifier, table)
    (self.type, self.isNullable, self.stored) = (type, isNullable, stored)
    var declared = Declared(problem: problem)
    func refuse(_ reason: String, _ code: ResultCode = .misuse) {
      declared.problem = DatabaseError(.migrate, code: code, reason, table: table, column: name)
    }
    for constraint in constraints {
      switch constraint.kind {
      case .primaryKey(let autoincrement, let resolution):
        (declared.isPrimaryKey, declared.isAutoincrement) = (true, autoincrement)
        declared.keyConflict = resolution
      case .unique(let resolution):
        (declared.isUnique, declared.uniqueConflict) = (true, resolution)
      case .notNull(let resolution): declared.nullConflict = resolution
      case .defaultValue(let value):
        do throws(DatabaseError) {
          declared.defaultSQL = try DatabaseValue(storing: value).literal
        } catch {
          refuse(error.message, error.code)
        }
      case .name(let text):
        refuse(
          "'\(text)' is not a constraint: a column's name belongs in @Column, as its first argument"
        )
      case .initial(let value): declared.initial = value
      case .ofModel:
        refuse(
          "Column \(name) comes from a model in an @Embedded property, which takes only values and "
            + "structs with @Selection. Store the model's key, or declare a @Selection with these columns"
        )
      case .defaultSQL(let sql):
        (declared.defaultSQL, declared.isDefaultedByDatabase) = (sql, true)
        guard let time = stored as? any TimeStored.Type, time != TextSeconds.self,
          SQLToken.all(in: sql).contains(where: { $0.isKeyword("current_timestamp") })
        else { continue }
        let reason =
          (stored as? any ColumnValue.Type)?.columnType == .text
          ? "has no fraction of a second, so the text differs from the text of the same Date, and "
            + "comparisons miss the row"
          : "is a text, and the column stores a number"
        refuse(
          "CURRENT_TIMESTAMP \(reason): write .default(.now), or @Column(as: .textSeconds) for whole "
            + "seconds as text")
      case .currentTime:
        declared.isDefaultedByDatabase = true
        declared.defaultSQL = (stored as? any TimeStored.Type)?.currentTime
        guard declared.defaultSQL == nil else { continue }
        refuse(".default(.now) is for columns of dates: write .default(sql:) for other types")
      case .check(let sql): declared.checks.append(sql)
      case .collate(let name): declared.collation = name
      case .references(let key): declared.foreignKey = key
      case .generated(let sql, let stored): declared.generated = (sql, stored)
      case .renamed(let names): declared.formerNames = names
      case .type(let sql, let nullable):
        (declared.typeSQL, declared.isNullable) = (sql, nullable)
      }
    }
    if declared.nullConflict != nil, declared.isNullable ?? isNullable {
      refuse(
        "A column with .notNull(onConflict:) is NOT NULL: declare the property without an optional, "
          + "or leave the constraint out")
    }
    (self.declared, defaultSQL) = (declared, declared.defaultSQL)
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
      text +=
        " PRIMARY KEY\(declared.keyConflict.clause)" + (isAutoincrement ? " AUTOINCREMENT" : "")
    }
    if !isDeclaredNullable { text += " NOT NULL\(declared.nullConflict.clause)" }
    if isUnique { text += " UNIQUE\(declared.uniqueConflict.clause)" }
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
