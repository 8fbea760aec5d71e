import CSQLCipher
import MiniORM

extension Salvage {
  func write(
    to database: OpaquePointer, knowing collations: [Collation],
    _ progress: (Double) throws(DatabaseError) -> Void
  ) throws(DatabaseError) -> SalvageReport {
    func run(_ sql: String) throws(DatabaseError) { _ = try Connection.text(sql, database) }
    var lost: [String] = []
    func make(_ object: Object) throws(DatabaseError) {
      guard let sql = object.sql else { return }
      do throws(DatabaseError) {
        try run(sql)
      } catch {
        // An error of the new file, such as a full disk, ends the salvage.
        guard error.isOfSQL else { throw error }
        lost.append("\(object.type) \(object.name): \(error.message)")
      }
    }
    try run("PRAGMA encoding = '\(["UTF-8", "UTF-16le", "UTF-16be"][Int(encoding) - 1])'")
    if header(52) > 0 { try run("PRAGMA auto_vacuum = \(header(64) > 0 ? 2 : 1)") }
    // Keep rows that violate a constraint.
    try run("PRAGMA ignore_check_constraints = ON")
    try run("PRAGMA foreign_keys = OFF")
    try run("BEGIN")
    // Creating a virtual table also creates its shadow tables.
    for object in objects where object.isVirtual { try make(object) }
    for object in objects
    where object.type == "table" && object.root != 0 && !object.name.startsWithBytes(of: "sqlite_")
    {
      if try StoredTable(object.name, in: database) == nil { try make(object) }
    }
    let total = max(1, tables.reduce(0) { $0 + $1.trees.reduce(0) { $0 + $1.pages.count } })
    var done = 0
    for rows in tables {
      // Statistics are not copied, because ANALYZE runs below.
      if rows.table.name.startsWithBytes(of: "sqlite_stat") { continue }
      guard try StoredTable(rows.table.name, in: database) != nil else {
        lost.append("table \(rows.table.name), with its rows")
        continue
      }
      try run("DELETE FROM main.\(rows.table.name.quotedIdentifier)")
      let writer = RowWriter(rows.table, database, encoding: encoding)
      for page in rows.trees.flatMap(\.pages) {
        try walk.forEachRow(of: page) { row throws(DatabaseError) in
          guard let values = row.values, rows.table.fits(values, isKnown: true) else {
            rows.broken += 1
            return
          }
          if try writer.insert(row.rowID, values) {
            rows.rowCount += 1
          } else {
            rows.rejected += 1
          }
        }
        done += 1
        try progress(0.9 * Double(done) / Double(total))
      }
    }
    let found = try writeUnassigned(database)
    for type in ["index", "view", "trigger"] {
      for object in objects where object.type == type { try make(object) }
    }
    var reports = tables.filter { !$0.table.name.startsWithBytes(of: "sqlite_stat") }.map(report)
    lost += try renewVirtualTables(reports, database)
    if objects.contains(where: { $0.name.startsWithBytes(of: "sqlite_stat") }) {
      try run("ANALYZE")
    }
    if let found { reports.append(found) }
    let foreign = ForeignIndex.query(knowing: collations)
    lost += try Connection.rows(foreign, database).compactMap { ForeignIndex($0)?.advice }
    try run("PRAGMA user_version = \(Int32(truncatingIfNeeded: header(60)))")
    try run("PRAGMA application_id = \(Int32(truncatingIfNeeded: header(68)))")
    try progress(0.95)
    guard source.isReadable else {
      throw DatabaseError(
        .copy, code: .inputOutput, "The file could not be read completely: check the disk")
    }
    try run("COMMIT")
    return SalvageReport(
      damagedPages: source.damaged.union(source.unread).sorted(), tables: reports,
      lostObjects: lost, unassignedPages: unassigned.sorted())
  }

  private func writeUnassigned(
    _ database: OpaquePointer
  ) throws(DatabaseError) -> SalvageReport.Table? {
    var name = "lost_and_found"
    let names = Set(objects.map { $0.name.folded })
    while names.contains(name.folded) { name += "_" }
    var width = 0
    var count = 0
    for page in unassigned {
      try walk.forEachRow(of: page) { row throws(DatabaseError) in
        guard let values = row.values else { return }
        (width, count) = (max(width, values.count), count + 1)
      }
    }
    guard count > 0 else { return nil }
    // Two more columns hold the page number and the rowid.
    width = min(width, Int(sqlite3_limit(database, SQLITE_LIMIT_COLUMN, -1)) - 2)
    let columns = (0..<width).map { ", c\($0)" }.joined()
    _ = try Connection.text("CREATE TABLE main.\(name) (page, id\(columns))", database)
    guard let table = try StoredTable(name, in: database) else { return nil }
    let writer = RowWriter(table, database, encoding: encoding)
    var number: Int64 = 0
    for page in unassigned {
      try walk.forEachRow(of: page) { row throws(DatabaseError) in
        guard let values = row.values?.prefix(width) else { return }
        number += 1
        let id = row.rowID.map { StoredValue.integer($0) } ?? .null
        _ = try writer.insert(number, [.integer(Int64(page)), id] + values)
      }
    }
    return SalvageReport.Table(
      name: name, rowCount: count, damagedPages: [], brokenRowCount: 0, rejectedRowCount: 0)
  }

  private func report(_ rows: Rows) -> SalvageReport.Table {
    SalvageReport.Table(
      name: rows.table.name, rowCount: rows.rowCount,
      damagedPages: Set(rows.gaps.map(\.page)).sorted(), brokenRowCount: rows.broken,
      rejectedRowCount: rows.rejected)
  }

  /// Rebuilds FTS5 indexes if rows may be missing. Returns a message for each virtual table that
  /// may be incomplete.
  private func renewVirtualTables(
    _ reports: [SalvageReport.Table], _ database: OpaquePointer
  ) throws(DatabaseError) -> [String] {
    guard !reports.allSatisfy(\.isComplete) || !unassigned.isEmpty else { return [] }
    var lost: [String] = []
    for object in objects where object.isVirtual {
      let own = reports.filter {
        $0.name.folded.string.startsWithBytes(of: object.name.folded.string + "_")
      }
      let module = VirtualTable(object.name, sql: object.sql ?? "").module
      if module == "fts5" {
        let name = object.name.quotedIdentifier
        do throws(DatabaseError) {
          _ = try Connection.text("INSERT INTO main.\(name)(\(name)) VALUES ('rebuild')", database)
          continue
        } catch {
          guard error.isOfSQL else { throw error }
          // A contentless full-text table cannot be rebuilt.
          if own.allSatisfy(\.isComplete) { continue }
        }
      } else if own.allSatisfy(\.isComplete) {
        continue
      }
      lost.append("table \(object.name): a part of its contents is on damaged pages")
    }
    return lost
  }
}

extension DatabaseError {
  /// True if the statement or the data caused the error, and not the disk, a lock or memory.
  var isOfSQL: Bool {
    [.error, .constraint, .mismatch, .corrupt, .misuse, .tooBig].contains(code.primary)
  }
}
