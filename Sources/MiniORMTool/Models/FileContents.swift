import MiniORM

struct FileContents: Sendable {
  struct Object: Sendable {
    enum Kind: String, Sendable { case table, view, virtualTable = "virtual table" }

    var kind: Kind
    var name: String
    var sql: String
    /// True if MiniORM created the object and it is not a table of a model.
    var isDeclared = false
    var columns: [Column] = []
    var indexes: [(name: String, sql: String)] = []
    /// The formats that MiniORM recorded, by the folded names of the columns.
    var formats: [ExactText: String] = [:]
    var problem: String?
    var isSlow = false
  }

  struct Column: Sendable {
    var name: String
    var type: String
    /// All storage classes if the rows cannot be read.
    var found = StoredClasses.everything
  }

  struct Trigger: Sendable {
    var name: String
    var sql: String
    var isDeclared: Bool
  }

  var version: Int32 = 1
  var objects: [Object] = []
  var triggers: [Trigger] = []
  /// The shadow tables of virtual tables whose module is missing.
  var leftOut: [(name: String, reason: String)] = []

  static func read(_ database: Database, limit: Duration) async throws -> FileContents {
    var contents = try await database.read { db in try read(db) }
    let end = ContinuousClock.now + limit
    for index in contents.objects.indices where contents.objects[index].kind != .table {
      let object = contents.objects[index]
      do {
        contents.objects[index] = try await withTimeLimit(end - .now) {
          try await database.read { db in try object.reading(db) }
        }
      } catch let error as DatabaseError where error.code.primary == .interrupt {
        contents.objects[index].isSlow = true
      }
    }
    contents.leaveOutShadowTables()
    return contents
  }

  /// Leaves out shadow tables of missing modules, by which SQLite would recognize the tables.
  private mutating func leaveOutShadowTables() {
    for object in objects where object.kind == .virtualTable {
      guard let problem = object.problem, problem.hasPrefix("no such module: ") else { continue }
      let module = problem.dropFirst("no such module: ".count)
      let prefix = "\(object.name)_".folded.string
      let parts = VirtualTable(object.name, sql: object.sql).shadowTables.map(\.folded)
      objects.removeAll { table in
        let name = table.name.folded
        let isPart = parts.isEmpty ? name.string.hasPrefix(prefix) : parts.contains(name)
        guard table.kind == .table, isPart else { return false }
        leftOut.append(
          (
            table.name,
            "it belongs to the virtual table \(object.name), whose module \(module) is missing, so it "
              + "is left out"
          ))
        return true
      }
    }
  }

  private static func read(_ db: isolated Connection) throws -> FileContents {
    var contents = FileContents()
    if let version = try db.value(Int32.self, "PRAGMA user_version"), version > 0 {
      contents.version = version
    }
    let formats = try db.recordedFormats()
    let declared = Set(try db.declaredObjects().map { ExactText("\($0.type) \($0.name)") })
    func isDeclared(_ type: String, _ name: String) -> Bool {
      declared.contains(ExactText("\(type) \(name)"))
    }
    // In a join, SQLite would compute the list for each row.
    let listed = try db.query(
      (String, String).self, "SELECT name, type FROM pragma_table_list WHERE schema = 'main'")
    let kinds = Dictionary(
      listed.map { (ExactText($0.0), $0.1) }, uniquingKeysWith: { first, _ in first })
    let rows = try db.query(
      (String, String, String, String?).self,
      """
      SELECT type, name, tbl_name, sql FROM sqlite_schema
      WHERE tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
      """)
    var indexes: [ExactText: [(name: String, sql: String)]] = [:]
    for case ("index", let name, let table, let sql?) in rows {
      indexes[table.folded, default: []].append((name, sql))
    }
    for (type, name, _, sql) in rows where ["table", "view"].contains(type) {
      let kind = kinds[ExactText(name)]
      guard let sql, kind != "shadow" else { continue }
      // Excludes MiniORM's own tables and the shadow tables of full-text indexes.
      guard type == "view" || kind == "virtual" || !isDeclared(type, name) else { continue }
      var object = Object(
        kind: type == "view" ? .view : kind == "virtual" ? .virtualTable : .table, name: name,
        sql: sql, isDeclared: isDeclared(type, name))
      object.indexes = indexes[name.folded] ?? []
      object.formats = formats[name.folded] ?? [:]
      contents.objects.append(object.kind == .table ? try object.reading(db) : object)
    }
    for case ("trigger", let name, _, let sql) in rows {
      contents.triggers.append(
        Trigger(name: name, sql: sql ?? "", isDeclared: isDeclared("trigger", name)))
    }
    return contents
  }
}

extension FileContents.Object {
  /// Reads every row, once per 50 columns.
  fileprivate func reading(_ db: isolated Connection) throws(DatabaseError) -> Self {
    var object = self
    do throws(DatabaseError) {
      object.columns = try db.query(
        (String, String).self,
        "SELECT name, type FROM pragma_table_xinfo(\(name)) WHERE hidden <> 1 ORDER BY cid"
      ).map { FileContents.Column(name: $0.0, type: $0.1) }
      // SQLite compares each aggregate with all others, which takes quadratic time.
      for start in stride(from: 0, to: object.columns.count, by: 50) {
        try object.addClasses(start..<min(start + 50, object.columns.count), db)
      }
    } catch {
      guard error.code.primary != .interrupt, error.code.primary != .corrupt else { throw error }
      object.problem = error.message
    }
    return object
  }
}

struct StoredClasses: OptionSet, Sendable {
  let rawValue: Int64

  static let integer = StoredClasses(rawValue: 1)
  static let real = StoredClasses(rawValue: 2)
  static let text = StoredClasses(rawValue: 4)
  static let blob = StoredClasses(rawValue: 8)
  static let null = StoredClasses(rawValue: 16)
  /// An integer without an equal double.
  static let hugeInteger = StoredClasses(rawValue: 32)
  /// An integer other than 0 and 1.
  static let noBool = StoredClasses(rawValue: 64)
  /// A text that is not a date in MiniORM's format.
  static let noDate = StoredClasses(rawValue: 128)
  static let everything = StoredClasses(rawValue: 255)

  /// Returns a condition for each bit.
  fileprivate static func conditions(_ name: String) -> [String] {
    [
      "typeof(\(name)) = 'integer'", "typeof(\(name)) = 'real'", "typeof(\(name)) = 'text'",
      "typeof(\(name)) = 'blob'", "\(name) IS NULL",
      "typeof(\(name)) = 'integer' AND \(name) NOT BETWEEN -9007199254740992 AND 9007199254740992",
      "typeof(\(name)) = 'integer' AND \(name) NOT IN (0, 1)",
      "typeof(\(name)) = 'text' AND CAST(\(name) AS BLOB) "
        + "IS NOT CAST(strftime('%Y-%m-%d %H:%M:%f', \(name)) AS BLOB)",
    ]
  }

  var values: StoredClasses { intersection([.integer, .real, .text, .blob]) }
}

extension FileContents.Object {
  private mutating func addClasses(
    _ range: Range<Int>, _ db: isolated Connection
  ) throws(DatabaseError) {
    let terms = columns[range].map(\.name.quotedIdentifier).map { name in
      // `|` and `<<` have equal precedence in SQLite, so each shift is in parentheses.
      StoredClasses.conditions(name).enumerated().map { bit, condition in
        "(ifnull(max(\(condition)), 0) << \(bit))"
      }.joined(separator: " | ")
    }
    let row = try db.query(
      SQL(raw: "SELECT \(terms.joined(separator: ", ")) FROM main.\(name.quotedIdentifier)")
    ).first
    for (index, value) in zip(range, row?.values ?? []) {
      if case .integer(let bits) = value { columns[index].found = StoredClasses(rawValue: bits) }
    }
  }
}
