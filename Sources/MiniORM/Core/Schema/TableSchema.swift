/// A table as its model describes it, with prebuilt SQL texts.
public final class TableSchema: Sendable {
  /// The table's name.
  public let name: String
  /// The columns, in the model's order.
  public let columns: [ColumnSchema]

  let database: String?
  var qualifier: String { database.map { $0.quotedIdentifier + "." } ?? "" }
  let source: String
  let options: TableOptions
  @usableFromInline let tables: EnclosingQueries.Tables
  @usableFromInline let conflictTables: EnclosingQueries.Tables
  package let formerNames: [String]
  @usableFromInline let primaryKey: [ColumnSchema]
  let hasRowIDKey: Bool
  let columnList: String

  @usableFromInline let selectAll: StatementText
  @usableFromInline let selectByKey: StatementText
  @usableFromInline let selectByRowID: StatementText
  @usableFromInline let updateByKey: StatementText
  @usableFromInline let deleteByKey: StatementText
  @usableFromInline let insertion: (model: Insertion, draft: Insertion, keyedDraft: Insertion)

  /// Creates a schema, for the code of `@Table`.
  @_documentation(visibility: internal)
  public convenience init(
    _ name: String, _ columns: [ColumnSchema], primaryKey: [String] = [],
    options: TableOptions = [.strict], renamedFrom formerNames: [String] = []
  ) {
    self.init(
      name, columns, primaryKey: primaryKey, options: options, renamedFrom: formerNames,
      in: nil)
  }

  func attached(as database: String) -> TableSchema {
    TableSchema(
      name, columns, primaryKey: primaryKey.map(\.name), options: options,
      renamedFrom: formerNames, in: database)
  }

  private init(
    _ name: String, _ columns: [ColumnSchema], primaryKey: [String], options: TableOptions,
    renamedFrom formerNames: [String], in database: String?
  ) {
    let table = (database.map { $0.quotedIdentifier + "." } ?? "") + name.quotedIdentifier
    self.name = name
    self.database = database
    source = table
    tables = EnclosingQueries.Tables([name])
    conflictTables = EnclosingQueries.Tables([name, "excluded"])
    self.columns = columns
    self.options = options
    self.formerNames = formerNames
    let keys =
      primaryKey.isEmpty
      ? columns.filter(\.isPrimaryKey)
      : primaryKey.compactMap { key in columns.first { $0.name.hasSameBytes(as: key) } }
    self.primaryKey = keys
    // SQLite assigns only a key that is declared as INTEGER.
    hasRowIDKey =
      keys.count == 1 && keys[0].type == .integer && !options.contains(.withoutRowID)
      && (keys[0].typeSQL.map { $0.uppercasedASCII == ColumnType.integer.rawValue } ?? true)

    let list = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    columnList = list
    let inserted = columns.filter { $0.generated == nil }
    // A model binds its columns to ?1, ?2, … in order, in updates and insertions.
    func assignments(_ columns: [ColumnSchema], _ separator: String) -> String {
      Self.assignments(columns, among: inserted, separator) { "?\($0 + 1)" }
    }
    let others = inserted.filter { column in !keys.contains { $0 === column } }
    let byKey = keys.map { "\($0.name.quotedIdentifier) = ?" }.joined(separator: " AND ")
    selectAll = StatementText("SELECT \(list) FROM \(table)")
    selectByKey = StatementText("SELECT \(list) FROM \(table) WHERE \(byKey)")
    rowIDName = RowID.name(besides: columns.map(\.name.folded)) ?? RowID.names[0]
    selectByRowID = StatementText("SELECT \(list) FROM \(table) WHERE \(rowIDName) = ?")
    deleteByKey = StatementText("DELETE FROM \(table) WHERE \(byKey)")
    // Setting a key to itself still reports whether the row exists.
    updateByKey = StatementText(
      "UPDATE \(table) SET \(assignments(others.isEmpty ? keys : others, ", ")) WHERE \(assignments(keys, " AND "))"
    )
    let model = Insertion(into: table, inserted, returning: columns)
    let hasDefaults = inserted.contains(where: \.isDefaultedByDatabase)
    let keyedDraft =
      hasDefaults
      ? Insertion(into: table, inserted, returning: columns, isDraft: true) : model
    let draft =
      hasRowIDKey
      ? Insertion(into: table, others, returning: columns, isDraft: hasDefaults)
      : keyedDraft
    insertion = (model, draft, keyedDraft)
  }

  /// The first name of the rowid that no column has: `rowid`, `_rowid_` or `oid`.
  ///
  /// See [ROWIDs and the INTEGER PRIMARY KEY](https://www.sqlite.org/lang_createtable.html#rowid).
  let rowIDName: String

  var rowKey: String { hasRowIDKey ? primaryKey[0].name : rowIDName }

  /// - Parameter value: The value of a column by its place among the inserted columns.
  private static func assignments(
    _ columns: [ColumnSchema], of table: String = "", among inserted: [ColumnSchema],
    _ separator: String, _ value: (Int) -> String
  ) -> String {
    columns.map { column in
      let index = inserted.firstIndex { $0 === column }
      return "\(table)\(column.quotedName) = \(index.map(value) ?? "NULL")"
    }.joined(separator: separator)
  }

  /// Updates the rows with the keys of ``BoundRows``.
  @usableFromInline var updateOfRows: StatementText {
    let columns = insertion.model.columns
    let others = columns.filter { column in !primaryKey.contains { $0 === column } }
    let changed = Self.assignments(
      others.isEmpty ? primaryKey : others, among: columns, ", ", BoundRows.column)
    let keys = Self.assignments(
      primaryKey, of: "\(name.quotedIdentifier).", among: columns, " AND ", BoundRows.column)
    return StatementText(
      "UPDATE \(source) SET \(changed) FROM \(BoundRows.moduleName)(?) WHERE \(keys)")
  }

  /// Deletes the rows with the keys in ``BoundRows``.
  @usableFromInline var deleteOfRows: StatementText {
    let keys = primaryKey.map(\.name.quotedIdentifier).joined(separator: ", ")
    let values = primaryKey.indices.map(BoundRows.column).joined(separator: ", ")
    return StatementText(
      "DELETE FROM \(source) WHERE (\(keys)) IN (SELECT \(values) FROM \(BoundRows.moduleName)(?))")
  }

  @inlinable
  func insertion(omitsRowID: Bool, isModel: Bool) -> Insertion {
    omitsRowID ? insertion.draft : isModel ? insertion.model : insertion.keyedDraft
  }
}

/// Options of a table.
///
/// See [CREATE TABLE](https://www.sqlite.org/lang_createtable.html).
public struct TableOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: Int
  /// Creates options from bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// STRICT, the default: SQLite rejects a value whose type does not match its column.
  public static let strict = TableOptions(rawValue: 1)
  /// WITHOUT ROWID: rows are stored by primary key. Suitable for keys that are not integers.
  public static let withoutRowID = TableOptions(rawValue: 2)
}

@usableFromInline
final class Insertion: Sendable {
  let columns: [ColumnSchema]
  @usableFromInline let one: StatementText
  @usableFromInline let oneReturning: StatementText
  @usableFromInline let many: StatementText
  @usableFromInline let rowsPerStatement: Int
  let head: String
  let start: String
  let row: String
  /// The names of the columns, with parentheses.
  let list: String
  private let target: String

  let isDraft: Bool

  @usableFromInline var columnCount: Int32 { Int32(columns.count) }

  init(
    into table: String, _ columns: [ColumnSchema], returning all: [ColumnSchema],
    isDraft: Bool = false
  ) {
    self.columns = columns
    self.isDraft = isDraft
    let results = all.map(\.name.quotedIdentifier).joined(separator: ", ")
    let target = "INSERT INTO \(table)"
    self.target = target
    list = columns.map(\.quotedName).list
    start = "\(target)\(list) VALUES "
    let values = columns.map { isDraft ? $0.drafted("?") : "?" }
    let row = "(\(values.joined(separator: ", ")))"
    self.row = row
    head = columns.isEmpty ? "\(target) DEFAULT VALUES" : start + row
    one = StatementText(head)
    oneReturning = StatementText("\(head) RETURNING \(results)")
    // More rows gain nothing, and the count stays far below the 32,766 parameters that SQLite
    // allows.
    rowsPerStatement = columns.isEmpty ? 1 : max(1, min(32, 2000 / columns.count))
    many = StatementText(head + String(repeating: ", \(row)", count: rowsPerStatement - 1))
  }

  /// Inserts ``BoundRows``.
  @usableFromInline var ofRows: StatementText {
    let values = columns.enumerated().map { index, column in
      isDraft ? column.drafted(BoundRows.column(index)) : BoundRows.column(index)
    }
    return StatementText(
      "\(target)\(list) SELECT \(values.joined(separator: ", ")) FROM \(BoundRows.moduleName)(?)")
  }
}

extension [String] {
  /// Quoted names as the list of columns of INSERT, after a space.
  var list: String { isEmpty ? "" : " (\(joined(separator: ", ")))" }
}

extension ColumnSchema {
  var draftedMark: String { drafted("?") }

  func drafted(_ value: String) -> String {
    isDefaultedByDatabase ? "ifnull(\(value), (\(defaultSQL ?? "NULL")))" : value
  }
}

package struct CreateTable: Sendable {
  var name: String
  var columns: [ColumnSchema]
  var primaryKey: [String]
  var options: TableOptions
  var constraints: [String] = []

  package init(
    name: String, columns: [ColumnSchema], primaryKey: [String], options: TableOptions,
    constraints: [String] = []
  ) {
    (self.name, self.columns, self.primaryKey) = (name, columns, primaryKey)
    (self.options, self.constraints) = (options, constraints)
  }

  /// Omits the table's name before columns, so that the table can be created under a temporary
  /// name.
  package func sql(named other: String? = nil) -> String {
    let isStrict = options.contains(.strict)
    // A constraint can declare the key with clauses that columns do not have.
    let hasKey = constraints.contains { text in
      SQLToken.all(in: text).contains { $0.isKeyword("primary") }
    }
    var parts = columns.map { column in
      column.definition(
        isKey: !hasKey
          && (primaryKey == [column.name] || (primaryKey.isEmpty && column.isPrimaryKey)),
        isStrict: isStrict, of: name)
    }
    if primaryKey.count > 1, !hasKey {
      parts.append("PRIMARY KEY (\(primaryKey.map(\.quotedIdentifier).joined(separator: ", ")))")
    }
    parts += constraints
    var words: [String] = []
    if isStrict { words.append("STRICT") }
    if options.contains(.withoutRowID) { words.append("WITHOUT ROWID") }
    let body = parts.joined(separator: ",\n  ")
    return "CREATE TABLE \((other ?? name).quotedIdentifier) (\n  \(body)\n)"
      + (words.isEmpty ? "" : " " + words.joined(separator: ", "))
  }
}
