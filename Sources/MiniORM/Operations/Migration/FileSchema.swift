/// A file's schema: the contents of `sqlite_schema`.
///
/// See [The Schema Table](https://www.sqlite.org/schematab.html).
struct FileSchema: Sendable {
  struct Object: Sendable {
    let type: String
    let name: String
    let table: String
    let sql: String
    /// The root page of a table or an index; 0 for views, triggers and virtual tables.
    var root: Int64 = 0

    /// The statement that creates the object again.
    var statement: String { type == "trigger" ? sql.removingSchemaOfTrigger : sql }
  }

  let objects: [Object]
  var records = FileRecords()
  /// A migration reads the schema after each change, and shares the parsed statements.
  var parsed = ParsedTables()
  // Dictionaries, because a migration looks up every object.
  private let named: [ExactText: [Object]]
  private let ofTable: [ExactText: [Object]]

  init(objects: [Object]) {
    self.objects = objects
    named = Dictionary(grouping: objects) { $0.name.folded }
    ofTable = Dictionary(grouping: objects) { $0.table.folded }
  }

  private func objects(_ type: String, of table: String? = nil) -> [Object] {
    (table.map { ofTable[$0.folded] ?? [] } ?? objects).filter { $0.type == type }
  }

  func object(_ type: String, _ name: String) -> Object? {
    named[name.folded]?.first { $0.type == type }
  }

  var tables: [Object] { objects("table") }
  var views: [Object] { objects("view") }
  var triggers: [Object] { objects("trigger") }
  func triggers(of table: String) -> [Object] { objects("trigger", of: table) }

  /// Returns the indexes of a table, without the indexes of UNIQUE and PRIMARY KEY constraints.
  func indexes(of table: String) -> [IndexDefinition] {
    objects("index", of: table).filter { !$0.sql.isEmpty }.map {
      IndexDefinition(name: $0.name, table: $0.table, sql: $0.sql)
    }
  }

  /// Returns nil if the table does not exist. Throws for a view.
  func definition(_ table: String) throws(DatabaseError) -> TableDefinition? {
    guard let object = object("table", table) else {
      if object("view", table) != nil {
        throw DatabaseSchema.misuse("\(table) is a view: name a table")
      }
      return nil
    }
    return try parsed.definition(object.sql)
  }

  func primaryKey(of table: String) -> [ExactText] {
    (try? definition(table))?.primaryKey ?? []
  }
}

extension Connection {
  func fileSchema() throws(DatabaseError) -> FileSchema {
    // MiniORM's own tables and SQLite's internal tables are not part of the schema.
    let rows = try query(
      """
      SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema
      WHERE tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """)
    return FileSchema(
      objects: rows.compactMap { row in
        func text(_ index: Int) -> String {
          if case .text(let text) = row.values[index] { text } else { "" }
        }
        let (type, name, sql) = (text(0), text(1), text(3))
        guard type != "table" || !FileRecords.isOwn(name, sql) else { return nil }
        var object = FileSchema.Object(type: type, name: name, table: text(2), sql: sql)
        if case .integer(let root) = row.values[4] { object.root = root }
        return object
      })
  }
}
