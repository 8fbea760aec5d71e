import MiniORM

struct FileContents: Sendable {
  struct Object: Sendable {
    enum Kind: String, Sendable {
      case table, view, index, trigger
      case virtualTable = "virtual table"
    }

    let kind: Kind
    let name: String
    /// The table of an index or a trigger.
    let table: ExactText
    let sql: String
    /// True if MiniORM created the object and it is not a table of a model.
    let isDeclared: Bool
    var columns: [Column] = []
    /// The formats that MiniORM recorded, by the folded names of the columns.
    var formats: [ExactText: String] = [:]
    /// Why the rows cannot be read.
    var problem: String?
    /// Why rows cannot be written.
    var failures: [String] = []
    /// Why the object has no model.
    var omission: String?
  }

  struct Column: Sendable {
    let name: String
    let type: String
    let isGenerated: Bool
    /// All storage classes if the rows cannot be read.
    var found = StoredClasses.everything
  }

  var version: Int32 = 1
  var objects: [Object] = []

  static func read(_ database: Database, limit: Duration) async throws -> FileContents {
    var contents = try await database.read { db in try read(db) }
    let end = ContinuousClock.now + limit
    for (index, object) in contents.objects.enumerated()
    where [.view, .virtualTable].contains(object.kind) {
      do {
        contents.objects[index] = try await withTimeLimit(end - .now) {
          try await database.read { db in try object.reading(db) }
        }
      } catch let error as DatabaseError where error.code.primary == .interrupt {
        contents.objects[index].omission =
          "it takes too long to read, so it is left out: --view-seconds gives it more time"
      }
    }
    contents.leaveOutShadowTables()
    return contents
  }

  /// Leaves out shadow tables of missing modules, by which SQLite would recognize the tables.
  private mutating func leaveOutShadowTables() {
    for virtual in objects where virtual.kind == .virtualTable {
      guard let problem = virtual.problem, problem.hasPrefix("no such module: ") else { continue }
      let module = problem.dropFirst("no such module: ".count)
      let prefix = "\(virtual.name)_".folded.string
      let parts = VirtualTable(virtual.name, sql: virtual.sql).shadowTables.map(\.folded)
      for (index, object) in objects.enumerated() where object.kind == .table {
        let name = object.name.folded
        guard parts.isEmpty ? name.string.hasPrefix(prefix) : parts.contains(name) else { continue }
        objects[index].omission =
          "it belongs to the virtual table \(virtual.name), whose module \(module) is missing, so it "
          + "is left out"
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
    for case (let type, let name, let table, let sql?) in rows {
      let listed = type == "table" ? kinds[ExactText(name)] : nil
      let isDeclared = declared.contains(ExactText("\(type) \(name)"))
      // Excludes MiniORM's own tables and the shadow tables of full-text indexes.
      guard let kind = listed == "virtual" ? .virtualTable : Object.Kind(rawValue: type),
        listed != "shadow", kind != .table || !isDeclared
      else { continue }
      var object = Object(
        kind: kind, name: name, table: table.folded, sql: sql, isDeclared: isDeclared)
      object.formats = formats[name.folded] ?? [:]
      if name.isEmpty || SwiftName.isReserved(name) {
        object.omission = "its name cannot be written in a model, so it is left out"
      }
      contents.objects.append(kind == .table ? try object.reading(db) : object)
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
        (String, String, Int64).self,
        "SELECT name, type, hidden FROM pragma_table_xinfo(\(name)) WHERE hidden <> 1 ORDER BY cid"
      ).map { FileContents.Column(name: $0.0, type: $0.1, isGenerated: $0.2 > 1) }
      if kind == .table { object.addFailures(db) }
      // SQLite compares each aggregate with all others, which takes quadratic time.
      for start in stride(from: 0, to: object.columns.count, by: 50) {
        try object.addClasses(start..<min(start + 50, object.columns.count), db)
      }
    } catch {
      guard error.code.primary != .interrupt, error.code.primary != .corrupt else { throw error }
      object.problem = error.message
      if kind != .table {
        object.omission = "it cannot be read, so it is left out: \(error.message)"
      }
    }
    return object
  }

  /// Compiles statements that write rows: a trigger, a constraint or a default may use a function,
  /// a table or a module that is missing.
  private mutating func addFailures(_ db: isolated Connection) {
    let table = "main.\(name.quotedIdentifier)"
    let assignments = columns.filter { !$0.isGenerated }.map(\.name.quotedIdentifier)
      .map { "\($0) = \($0)" }.joined(separator: ", ")
    var verbs: [String: [String]] = [:]
    // SQLite does not compile the checks of a file that is open for reading, and reports only the
    // first missing part.
    let definition = try? TableDefinition(parsing: sql)
    let checks = (definition.map { $0.checks + $0.columns.compactMap(\.defaultValue) } ?? [])
      .map { ("insert", "SELECT \($0.text) FROM \(table)") }
    for (verb, sql) in [
      ("insert", "INSERT INTO \(table) DEFAULT VALUES"),
      ("update", "UPDATE \(table) SET \(assignments)"), ("delete", "DELETE FROM \(table)"),
    ] + checks {
      do throws(DatabaseError) {
        try db.compile(sql)
      } catch {
        // SQLite names the function of a default as "unknown function: name()".
        let function = error.message.firstMatch(of: /\ function: (.+?)(?:\(\))?$/)?.1
        guard !sql.hasPrefix("SELECT") || function != nil else { continue }
        let reason =
          function.map {
            "no such function: \($0). Define the function in Configuration.functions, with "
              + "innocuous: true"
          } ?? error.message + (error.recoverySuggestion.map { ". \($0)" } ?? "")
        if !verbs[reason, default: []].contains(verb) { verbs[reason, default: []].append(verb) }
      }
    }
    failures = verbs.sorted { $0.key < $1.key }.map { message, verbs in
      "SQLite cannot \(verbs.joined(separator: " or ")) rows: \(message)"
    }
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
  /// A number that is no time since 2001-09-09 in seconds since 1970. Smaller numbers may be times
  /// since another date.
  static let noUnixSeconds = StoredClasses(rawValue: 256)
  /// A text that `CURRENT_TIMESTAMP` does not write.
  static let noTextSeconds = StoredClasses(rawValue: 512)
  /// Seconds since 1970, from 2001-09-09 until 2040. Smaller numbers may be times since 2001.
  static let recentSeconds = StoredClasses(rawValue: 1024)
  /// The same times in milliseconds.
  static let recentMilliseconds = StoredClasses(rawValue: 2048)
  /// A text such as 2026-11-21T10:04:58Z.
  static let dateText = StoredClasses(rawValue: 4096)
  /// A value that is none of the three.
  static let noTime = StoredClasses(rawValue: 8192)
  /// A text that is not UTF-8.
  static let noUTF8 = StoredClasses(rawValue: 16384)
  static let everything = StoredClasses(rawValue: 16383)

  /// Returns a condition for each bit.
  fileprivate static func conditions(_ name: String) -> [String] {
    let isNumber = "typeof(\(name)) IN ('integer', 'real')"
    let times = [
      "\(isNumber) AND \(name) BETWEEN 1e9 AND 2208988800",
      "\(isNumber) AND \(name) BETWEEN 1e12 AND 2208988800000",
      "typeof(\(name)) = 'text' AND \(name) GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*' "
        + "AND julianday(\(name)) IS NOT NULL",
    ]
    let noTime = "NOT (\(name) IS NULL OR \(times.joined(separator: " OR ")))"
    return [
      "typeof(\(name)) = 'integer'", "typeof(\(name)) = 'real'", "typeof(\(name)) = 'text'",
      "typeof(\(name)) = 'blob'", "\(name) IS NULL",
      "typeof(\(name)) = 'integer' AND \(name) NOT BETWEEN -9007199254740992 AND 9007199254740992",
      "typeof(\(name)) = 'integer' AND \(name) NOT IN (0, 1)",
      "typeof(\(name)) = 'text' AND CAST(\(name) AS BLOB) "
        + "IS NOT CAST(strftime('%Y-%m-%d %H:%M:%f', \(name)) AS BLOB)",
      "\(isNumber) AND \(name) NOT BETWEEN 1e9 AND 1e10",
      "typeof(\(name)) = 'text' AND CAST(\(name) AS BLOB) IS NOT CAST(datetime(\(name)) AS BLOB)",
    ] + times + [noTime]
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
      guard case .integer(let bits) = value else { continue }
      columns[index].found = StoredClasses(rawValue: bits)
      guard columns[index].found.contains(.text) else { continue }
      let text = columns[index].name.quotedIdentifier
      let sql =
        "SELECT count(miniorm_is_text(\(text))) FROM main.\(name.quotedIdentifier) "
        + "WHERE typeof(\(text)) = 'text' "
        + "AND (\(text) GLOB '*[^\u{1}-\u{7f}]*' OR instr(\(text), char(0)))"
      do throws(DatabaseError) {
        _ = try db.query(SQL(raw: sql))
      } catch {
        guard error.message.contains("UTF-8") else { throw error }
        columns[index].found.insert(.noUTF8)
      }
    }
  }

  /// Fails for a text that is not UTF-8.
  static let isText = SQLFunction("miniorm_is_text", deterministic: true) { (_: String) in true }
}
