import CSQLCipher

/// The columns that a statement reads, and all its possible writes, also by triggers and foreign
/// key actions.
///
/// See [Authorizer Action Codes](https://www.sqlite.org/c3ref/c_alter_table.html).
struct RecordedAccess {
  /// A column, or the table itself if the column is empty.
  struct Item {
    let table: String
    let column: String
    /// The schema's name, or nil if a query reads no column of the table and does not qualify it.
    let schema: String?
    let context: String?
    /// True for a foreign key action, which never replaces rows.
    var isForeignKeyAction = false
  }

  enum Control {
    case transaction
    case savepoint, release, rollback
  }

  private(set) var reads: [Item] = []
  private(set) var insertions: [Item] = []
  private(set) var deletions: [Item] = []
  private(set) var updates: [Item] = []
  private var target: String?
  private(set) var changesSchema = false
  private(set) var created: [SchemaTable] = []
  private(set) var alteredSchema: String?
  private(set) var droppedTable: SchemaTable?
  private(set) var control: Control?
  private(set) var savepoint: ExactText = ""
  private(set) var isPragma = false
  private(set) var setsPragma = false
  private(set) var hasContext = false

  typealias CText = UnsafePointer<CChar>

  // Properties of a file outside its tables, readable for example through `pragma_user_version`.
  private static let storedPragmas: Set<ExactText> = [
    "application_id", "encoding", "schema_version", "user_version", "writable_schema",
  ]

  mutating func record(
    _ action: Int32, _ first: CText?, _ second: CText?, _ schema: CText?, _ context: CText?
  ) {
    // Names without a NUL: SQL ends at a NUL.
    func text(_ pointer: CText?) -> String { pointer.map { String(cString: $0) } ?? "" }
    func item(_ column: CText?) -> Item {
      Item(
        table: text(first), column: text(column), schema: schema.map { text($0) },
        context: context.map { text($0) })
    }
    func written(_ column: CText?) -> Item {
      var item = item(column)
      // SQLite reports the statement's own table first. Others are written by foreign key actions.
      let target = target ?? item.table
      self.target = target
      item.isForeignKeyAction = context == nil && !target.hasSameBytes(as: item.table)
      return item
    }
    if context != nil { hasContext = true }
    switch action {
    case SQLITE_READ: reads.append(item(second))
    case SQLITE_INSERT where !Self.isSchema(first): insertions.append(written(nil))
    case SQLITE_DELETE where !Self.isSchema(first): deletions.append(written(nil))
    case SQLITE_UPDATE where !Self.isSchema(first): updates.append(written(second))
    case SQLITE_TRANSACTION: control = .transaction
    case SQLITE_SAVEPOINT:
      savepoint = text(second).folded
      switch text(first) {
      case "BEGIN": control = .savepoint
      case "RELEASE": control = .release
      default: control = .rollback
      }
    case SQLITE_PRAGMA:
      isPragma = true
      setsPragma = second != nil
      if second != nil, Self.storedPragmas.contains(text(first).folded) { changesSchema = true }
    case SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE, SQLITE_ATTACH, SQLITE_DETACH: break
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_TEMP_VIEW,
      SQLITE_CREATE_VTABLE:
      changesSchema = true
      created.append(SchemaTable(schema: text(schema), table: text(first)))
    case SQLITE_ALTER_TABLE:
      changesSchema = true
      alteredSchema = text(first)
    case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE:
      changesSchema = true
      droppedTable = SchemaTable(schema: text(schema), table: text(first))
    default: changesSchema = true  // CREATE, DROP, REINDEX, ANALYZE, and writes to the schema
    }
  }

  var changedTable: SchemaTable? {
    let item = (insertions + updates).first { $0.context == nil && !$0.isForeignKeyAction }
    guard let item, let schema = item.schema else { return nil }
    return SchemaTable(schema: schema, table: item.table)
  }

  var isReading: Bool { insertions.isEmpty && deletions.isEmpty && updates.isEmpty }

  private static func isSchema(_ table: CText?) -> Bool {
    guard let table else { return false }
    return strcmp(table, "sqlite_master") == 0 || strcmp(table, "sqlite_temp_master") == 0
  }
}
