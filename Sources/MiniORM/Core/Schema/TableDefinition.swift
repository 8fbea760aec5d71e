/// A parsed CREATE TABLE statement. Equivalent spellings are equal. The parser covers details that
/// no PRAGMA returns, such as CHECK, COLLATE and generated columns.
package struct TableDefinition: Sendable {
  package struct Column: Sendable {
    package let name: String
    package let key: ExactText
    package var type: ExactText = ""
    package var isNotNull = false
    package var defaultValue: Clause?
    package var collation: ExactText = "BINARY"
    package var generated: Clause?
    package var isStored = false
    package var range = 0..<0
    var typeRange = 0..<0
    /// The range of NOT NULL, from the end of the previous token.
    var notNullRange: Range<Int>?

    init(name: String) { (self.name, key) = (name, name.folded) }
  }

  package struct ForeignKey: Hashable, Sendable {
    package var columns: [ExactText]
    package var parent: ExactText = ""
    package var parentColumns: [ExactText] = []
    package var onDelete = "NO ACTION"
    package var onUpdate = "NO ACTION"
    package var isDeferred = false
  }

  package var sql = ""
  package var name = ""
  package var nameRange = 0..<0
  package var columns: [Column] = []
  package var primaryKey: [ExactText] = []
  package var isAutoincrement = false
  package var uniques: Set<[ExactText]> = []
  package var checks: [Clause] = []
  package var foreignKeys: Set<ForeignKey> = []
  package var isStrict = false
  package var isWithoutRowID = false
  /// The ON CONFLICT clauses except ABORT, by constraint, such as `UNIQUE (name)`.
  package var conflicts: [ExactText: ConflictResolution] = [:]
  /// Details that models cannot declare, such as a descending key.
  package var others: Set<ExactText> = []

  package static func constraint(_ kind: String, _ columns: [ExactText]) -> ExactText {
    ExactText("\(kind) (\(columns.map(\.string).joined(separator: ", ")))")
  }

  package func column(_ name: String) -> Column? { column(name.folded) }
  package func column(_ key: ExactText) -> Column? { columns.first { $0.key == key } }

  package var hasRowIDKey: Bool {
    !isWithoutRowID && primaryKey.count == 1 && column(primaryKey[0])?.type == "INTEGER"
      && !others.contains("PRIMARY KEY DESC")
  }

  /// The first name of the rowid that no column has: `rowid`, `_rowid_` or `oid`.
  var rowIDName: String? { isWithoutRowID ? nil : RowID.name(besides: columns.map(\.key)) }
}

extension TableDefinition {
  /// Parses a CREATE TABLE statement.
  /// - Throws: ``DatabaseError`` for any other statement, such as CREATE VIRTUAL TABLE.
  ///
  /// See [CREATE TABLE](https://www.sqlite.org/lang_createtable.html).
  package init(parsing sql: String) throws(DatabaseError) {
    var parser = TableParser(sql)
    self = try parser.table()
  }

  static func foreignKeys(in constraints: [String]) -> [ForeignKey] {
    // Saves the parsing below for most tables, which have no such constraint.
    let references = constraints.filter { text in
      SQLToken.all(in: text).contains { $0.isKeyword("references") }
    }
    guard !references.isEmpty else { return [] }
    let sql = "CREATE TABLE t (c, \(references.joined(separator: ", ")))"
    let keys = (try? TableDefinition(parsing: sql))?.foreignKeys ?? []
    // Sorts, so that equal tables give equal lists: the foreign keys are a set.
    return keys.sorted { "\($0.columns)" < "\($1.columns)" }
  }
}

// The same declaration with changes.
extension TableDefinition {
  func sql(named name: String, removing removed: Column? = nil, adding added: String? = nil)
    -> String
  {
    let kept = columns.filter { $0.key != removed?.key }.map { sql.part($0.range) }
    return sql(named: name, columns: kept + (added.map { [$0] } ?? []))
  }

  func sql(named name: String, retyping column: Column, as type: String, isNotNull: Bool) -> String
  {
    let (start, end) = (column.typeRange.upperBound, column.range.upperBound)
    let gap = column.notNullRange ?? end..<end
    let notNull = column.notNullRange.map { sql.part($0) } ?? " NOT NULL"
    let declaration =
      sql.part(column.range.lowerBound..<column.typeRange.lowerBound) + " \(type)"
      + (isNotNull ? notNull : "") + sql.part(start..<gap.lowerBound)
      + sql.part(gap.upperBound..<end)
    return sql(
      named: name, columns: columns.map { $0.key == column.key ? declaration : sql.part($0.range) })
  }

  private func sql(named name: String, columns declarations: [String]) -> String {
    let start = columns.first?.range.lowerBound ?? nameRange.upperBound
    let end = columns.last?.range.upperBound ?? start
    // The body loses qualifiers of columns, which may be the old table name.
    let body =
      sql.part(nameRange.upperBound..<start) + declarations.joined(separator: ", ")
      + sql.part(end..<sql.utf8.count)
    return sql.part(0..<nameRange.lowerBound) + name.quotedIdentifier
      + body.removingQualifier(self.name)
  }
}
