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
    /// The name of the model.
    var typeName = ""
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
    var found = Set<Finding>.everything
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
      guard let module = virtual.problem?.wholeMatch(of: /no such module: (.*)/)?.1 else {
        continue
      }
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
    let rows = try db.query(
      (String, String, String, String, String).self,
      """
      WITH listed AS MATERIALIZED (
        SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type <> 'table'
      )
      SELECT object.type, iif(listed.type = 'virtual', 'virtual table', ifnull(listed.type, object.type)),
        object.name, tbl_name, sql
      FROM sqlite_schema AS object LEFT JOIN listed ON object.type = 'table' AND listed.name = object.name
      WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY object.rowid
      """)
    for (type, kind, name, table, sql) in rows {
      let isDeclared = declared.contains(ExactText("\(type) \(name)"))
      // Excludes MiniORM's own tables and the shadow tables of full-text indexes.
      guard let kind = Object.Kind(rawValue: kind), kind != .table || !isDeclared else { continue }
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
    let parts = definition.map { $0.checks + $0.columns.compactMap(\.defaultValue) } ?? []
    for (verb, sql) in [
      ("insert", "INSERT INTO \(table) DEFAULT VALUES"),
      ("update", "UPDATE \(table) SET \(assignments)"), ("delete", "DELETE FROM \(table)"),
    ] + parts.map({ ("insert", "SELECT \($0.text) FROM \(table)") }) {
      do throws(DatabaseError) {
        try db.compile(sql)
      } catch {
        var reason = error.message + (error.recoverySuggestion.map { ". \($0)" } ?? "")
        // SQLite names the function of a default as "unknown function: name()".
        if let function = error.message.firstMatch(of: /\ function: (.+?)(?:\(\))?$/)?.1 {
          reason =
            "no such function: \(function). Define the function in Configuration.functions, with "
            + "innocuous: true"
        } else if sql.hasPrefix("SELECT") {
          continue
        }
        if !verbs[reason, default: []].contains(verb) { verbs[reason, default: []].append(verb) }
      }
    }
    failures = verbs.sorted { $0.key < $1.key }.map { message, verbs in
      "SQLite cannot \(verbs.joined(separator: " or ")) rows: \(message)"
    }
  }
}

/// A kind of value in a column `#`, with its condition.
enum Finding: String, CaseIterable {
  case integer = "typeof(#) = 'integer'"
  case real = "typeof(#) = 'real'"
  case text = "typeof(#) = 'text'"
  case blob = "typeof(#) = 'blob'"
  case null = "# IS NULL"
  /// An integer without an equal double.
  case hugeInteger =
    "typeof(#) = 'integer' AND # NOT BETWEEN -9007199254740992 AND 9007199254740992"
  /// An integer other than 0 and 1.
  case noBool = "typeof(#) = 'integer' AND # NOT IN (0, 1)"
  /// A text that is not a date in MiniORM's format.
  case noDate =
    "typeof(#) = 'text' AND CAST(# AS BLOB) IS NOT CAST(strftime('%Y-%m-%d %H:%M:%f', #) AS BLOB)"
  /// A number that is no time since 2001-09-09 in seconds since 1970. Smaller numbers may be times
  /// since another date.
  case noUnixSeconds = "typeof(#) IN ('integer', 'real') AND # NOT BETWEEN 1e9 AND 1e10"
  /// A text that `CURRENT_TIMESTAMP` does not write.
  case noTextSeconds = "typeof(#) = 'text' AND CAST(# AS BLOB) IS NOT CAST(datetime(#) AS BLOB)"
  /// Seconds since 1970, from 2001-09-09 until 2040. Smaller numbers may be times since 2001.
  case recentSeconds = "typeof(#) IN ('integer', 'real') AND # BETWEEN 1e9 AND 2208988800"
  /// The same times in milliseconds.
  case recentMilliseconds = "typeof(#) IN ('integer', 'real') AND # BETWEEN 1e12 AND 2208988800000"
  /// A text such as 2026-11-21T10:04:58Z.
  case dateText =
    "typeof(#) = 'text' AND # GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*' AND julianday(#) IS NOT NULL"
  /// A value that is none of the three.
  case noTime
  /// A text that is not UTF-8, which no condition finds.
  case noUTF8 = "FALSE"

  private var condition: String {
    let times: [Finding] = [.recentSeconds, .recentMilliseconds, .dateText, .null]
    return self == .noTime ? "NOT (\(times.map(\.rawValue).joined(separator: " OR ")))" : rawValue
  }

  /// An expression for the findings of a column as bits, split at the column's names. `|` and `<<`
  /// have equal precedence in SQLite, so each shift is in parentheses.
  fileprivate static let bits = allCases.enumerated()
    .map { "(ifnull(max(\($1.condition)), 0) << \($0))" }.joined(separator: " | ")
    .split(separator: "#", omittingEmptySubsequences: false)
}

extension Set<Finding> {
  /// The findings of a column whose rows cannot be read.
  static let everything = Set(Finding.allCases).subtracting([.noUTF8])

  var values: Self { intersection([.integer, .real, .text, .blob]) }
}

extension FileContents.Object {
  private mutating func addClasses(
    _ range: Range<Int>, _ db: isolated Connection
  ) throws(DatabaseError) {
    let terms = columns[range].map { Finding.bits.joined(separator: $0.name.quotedIdentifier) }
    let row = try db.query(
      SQL(raw: "SELECT \(terms.joined(separator: ", ")) FROM main.\(name.quotedIdentifier)")
    ).first
    for (index, value) in zip(range, row?.values ?? []) {
      guard case .integer(let bits) = value else { continue }
      columns[index].found = Set(
        Finding.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
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
