extension Migrator {
  private static let firstSpan: Int64 = 20_000
  private static let wantedRows = 20_000...80_000
  private static let backfilledAtOnce = 500

  func perform(_ action: MigrationAction, on connection: isolated Connection)
    throws(DatabaseError)
  {
    switch action {
    case .sql(let sql, _) where sql.startsWithBytes(of: "ALTER TABLE "):
      // SQLite compiles all indexes, views and triggers of the file, but does not access entries of
      // indexes, so stand-ins suffice.
      try StandInCollations.using(on: connection.handle) { () throws(DatabaseError) in
        try connection.withSyntaxOfFile { () throws(DatabaseError) in
          _ = try connection.query(SQL(raw: sql))
        }
      }
    case .sql(let sql, _) where sql.startsWithBytes(of: "PRAGMA "):
      // MiniORM's own setting, which it refuses in SQL of users.
      _ = try Connection.text(sql, connection.handle)
    case .sql(let sql, _): _ = try connection.query(SQL(raw: sql))
    case .note: break
    case .dropVirtualTable(let name, let remains):
      do throws(DatabaseError) {
        _ = try connection.query(SQL(raw: action.text))
      } catch {
        guard error.code.primary == .error else { throw error }
        // SQLite cannot drop a virtual table whose module or tokenizer is missing, such as FTS4.
        try connection.withWritableSchema { database throws(DatabaseError) in
          let sql =
            "DELETE FROM main.sqlite_schema WHERE type = 'table' AND rootpage = 0 AND name = "
            + name.quotedLiteral
          _ = try Connection.text(sql, database)
        }
        for sql in remains { _ = try connection.query(SQL(raw: sql)) }
      }
    case .script(let script): try track(on: connection) { try $0.execute(script: script) }
    case .refuse(let table, let obstacles): try refuse(obstacles, of: table, on: connection)
    case .copy(let copy):
      do throws(DatabaseError) {
        try perform(copy, on: connection)
      } catch {
        throw error.naming(copy.source, insteadOf: copy.target)
      }
    case .backfill(let table, let values):
      guard !isPlanning else { return }
      noteChanges(try backfill(table, values, on: connection))
    case .run(let body):
      if !isPlanning { try track(on: connection, body) }
    }
  }

  /// Runs statements of the user, and updates the records of what they may have changed.
  private func track(
    on connection: isolated Connection, _ body: @Sendable (isolated Connection) throws -> Void
  ) throws(DatabaseError) {
    let before = try connection.fileSchema()
    let changed: Set<ChangedColumn>
    do {
      changed = try connection.lend(isStep: true) { db in
        try body(db)
        return db.changedColumns
      }
    } catch {
      throw Self.failure(error)
    }
    records.follow(from: before, to: try connection.fileSchema())
    noteChanges(changed)
  }

  private static func failure(_ error: any Error, table: String? = nil) -> DatabaseError {
    if let error = error as? DatabaseError { return error }
    if error is CancellationError {
      return DatabaseError(.migrate, code: .interrupt, "The task was cancelled", table: table)
    }
    return DatabaseError(.migrate, "\(error)", table: table)
  }

  func refuse(
    _ obstacles: [MigrationAction.Obstacle], of table: String, on connection: isolated Connection
  ) throws(DatabaseError) {
    guard !obstacles.isEmpty else { return }
    let sums = obstacles.map { "count(*) FILTER (WHERE \($0.condition))" }
    let row = try connection.query(
      SQL(raw: "SELECT \(sums.joined(separator: ", ")) FROM \(table.quotedIdentifier)"))
    for (value, obstacle) in zip(row.first?.values ?? [], obstacles) {
      guard case .integer(let count) = value, count > 0 else { continue }
      throw DatabaseError(
        .migrate, code: obstacle.code,
        "\(count) \(count == 1 ? "row" : "rows") of \(table) "
          + (obstacle.namesRows ? try rows(of: table, obstacle, on: connection) : "")
          + "\(count == 1 ? obstacle.verb.one : obstacle.verb.many) \(obstacle.message)",
        table: table,
        column: obstacle.column)
    }
  }

  /// Returns the rowids of the first rows; an empty text without rowids.
  private func rows(
    of table: String, _ obstacle: MigrationAction.Obstacle, on connection: isolated Connection
  ) throws(DatabaseError) -> String {
    guard let rowID = try connection.fileSchema().definition(table)?.rowIDName else { return "" }
    let limit = 5
    let rows = try connection.query(
      SQL(
        raw: "SELECT \(rowID) FROM \(table.quotedIdentifier) WHERE \(obstacle.condition) "
          + "ORDER BY \(rowID) LIMIT \(limit + 1)"))
    let names = rows.prefix(limit).compactMap(\.values.first).map(\.description)
    return "(rowid \(names.joined(separator: ", "))\(rows.count > limit ? ", …" : "")) "
  }

  private func bounds(
    of table: String, _ rowID: String, on connection: isolated Connection
  ) throws(DatabaseError) -> ClosedRange<Int64>? {
    let (name, table) = (table, table.quotedIdentifier)
    // Separate queries read the ends of the b-tree. A single query with min and max would read
    // every row.
    guard
      let first = try connection.value(
        Int64?.self, SQL(raw: "SELECT min(\(rowID)) FROM \(table)")) ?? nil,
      let last = try connection.value(
        Int64?.self, SQL(raw: "SELECT max(\(rowID)) FROM \(table)")) ?? nil
    else { return nil }
    guard first <= last else {
      throw DatabaseError(
        .migrate, code: .corrupt,
        "The rows of \(name) are not in the order of their rowids: the table is damaged. Recover the rows with Database.salvage",
        table: name)
    }
    return first...last
  }

  /// - Parameter part: The last processed rowid, and the table's rowids; nil without rowids.
  private func report(_ table: String, _ rows: Int, _ part: (Int64, of: ClosedRange<Int64>)? = nil)
  {
    let fraction = part.map { done, bounds in
      // The difference of two rowids can overflow Int64.
      let whole = Double(bounds.upperBound) - Double(bounds.lowerBound)
      return whole > 0 ? min(1, (Double(done) - Double(bounds.lowerBound)) / whole) : 1
    }
    progress?(
      MigrationProgress(version: version, name: name, table: table, rows: rows, fraction: fraction))
  }

  private func perform(_ copy: TableCopy, on connection: isolated Connection)
    throws(DatabaseError)
  {
    guard let rowID = copy.rowID else {
      return report(copy.source, try connection.execute(SQL(raw: copy.sql)))
    }
    guard let bounds = try bounds(of: copy.source, rowID, on: connection) else { return }
    var emptiesSource = false
    var (start, span, rows) = (bounds.lowerBound, Self.firstSpan, 0)
    while true {
      let (sum, overflows) = start.addingReportingOverflow(span - 1)
      let end = overflows ? bounds.upperBound : min(sum, bounds.upperBound)
      let count = try connection.execute(
        "\(raw: copy.sql) WHERE \(raw: rowID) BETWEEN \(start) AND \(end)")
      rows += count
      report(copy.source, rows, (end, of: bounds))
      guard end < bounds.upperBound else { return }
      try Self.checkCancellation()
      if copy.emptiesSource {
        if !emptiesSource { try dropWhatFollowsRows(of: copy.source, on: connection) }
        emptiesSource = true
        try connection.execute(
          """
          DELETE FROM \(raw: copy.source.quotedIdentifier)
          WHERE \(raw: rowID) BETWEEN \(start) AND \(end)
          """)
      }
      start = end + 1
      // Adapt the span, because the gaps between rowids vary.
      if count < Self.wantedRows.lowerBound, span < .max / 2 {
        span *= 2
      } else if count > Self.wantedRows.upperBound {
        span /= 2
      }
    }
  }

  private func dropWhatFollowsRows(of table: String, on connection: isolated Connection)
    throws(DatabaseError)
  {
    let file = try connection.fileSchema()
    for index in file.indexes(of: table) {
      _ = try connection.query(SQL(raw: "DROP INDEX \(index.name.quotedIdentifier)"))
    }
    for trigger in file.triggers(of: table) {
      _ = try connection.query(SQL(raw: "DROP TRIGGER \(trigger.name.quotedIdentifier)"))
    }
    let passing = try connection.query(
      """
      SELECT name FROM sqlite_temp_schema
      WHERE type = 'trigger' AND tbl_name = \(table) COLLATE NOCASE
      """)
    for case .text(let name)? in passing.map(\.values.first) {
      _ = try connection.query(SQL(raw: "DROP TRIGGER temp.\(name.quotedIdentifier)"))
    }
  }

  /// Updates each row with the values of a closure.
  /// - Returns: The changed columns.
  private func backfill(
    _ table: String, _ values: (ResultRow) throws -> [String: any ColumnValue],
    on connection: isolated Connection
  ) throws(DatabaseError) -> Set<ChangedColumn> {
    guard let definition = try connection.fileSchema().definition(table) else {
      throw DatabaseError(.migrate, "no such table: \(table)", table: table)
    }
    let keys = definition.rowIDName.map { [$0] } ?? definition.primaryKey.map(\.quotedIdentifier)
    // If a closure changed the key, the loop could skip the row or read it twice.
    let fixed =
      definition.rowIDName == nil || definition.hasRowIDKey ? definition.primaryKey : []
    let bounds = try definition.rowIDName.map { rowID throws(DatabaseError) in
      try self.bounds(of: table, rowID, on: connection)
    }
    // Each part of the rows is read completely, in key order, before it is changed.
    let list = keys.joined(separator: ", ")
    let head = "SELECT \(list), * FROM \(table.quotedIdentifier)"
    let tail = " ORDER BY \(list) LIMIT \(Self.backfilledAtOnce)"
    var last: [DatabaseValue] = []
    var changed: Set<ChangedColumn> = []
    var count = 0
    while true {
      var select = SQL(raw: head)
      if !last.isEmpty {
        select.append(" WHERE (\(list)) > ")
        select.append(Self.tuple(last))
      }
      select.append(tail)
      let rows = try connection.query(select)
      for row in rows {
        last = Array(row.values.prefix(keys.count))
        let changes: [String: any ColumnValue]
        do {
          changes = try values(row.dropping(keys.count))
        } catch {
          throw Self.failure(error, table: table)
        }
        if let column = changes.keys.first(where: { fixed.contains($0.folded) }) {
          throw DatabaseError(
            .migrate, code: .misuse,
            "A backfill iterates over the rows by key, so it cannot change the key: use .sql",
            table: table, column: column)
        }
        try Self.update(table, list, last, changes, on: connection)
        changed.formUnion(
          changes.keys.map {
            ChangedColumn(table: table.folded, column: $0.folded, change: .update)
          })
      }
      guard !rows.isEmpty else { return changed }
      count += rows.count
      if let bounds = bounds ?? nil, case .integer(let rowID)? = last.first {
        report(table, count, (rowID, of: bounds))
      } else {
        report(table, count)
      }
      guard rows.count == Self.backfilledAtOnce else { return changed }
      try Self.checkCancellation()
    }
  }

  private static func tuple(_ values: [DatabaseValue]) -> SQL {
    SQL(raw: "(").appending(
      SQL.joined(values.map { SQL(binding: $0) }, separator: ", "), SQL(raw: ")"))
  }

  private static func update(
    _ table: String, _ keys: String, _ key: [DatabaseValue], _ changes: [String: any ColumnValue],
    on connection: isolated Connection
  ) throws(DatabaseError) {
    guard !changes.isEmpty else { return }
    // In a fixed order, so that each row has the same statement.
    let sorted = changes.sorted { $0.key < $1.key }
    let assignments = try sorted.map { name, value throws(DatabaseError) in
      SQL(raw: "\(name.quotedIdentifier) = ").appending(SQL(binding: try value.inRawSQL()))
    }
    try connection.execute(
      SQL(raw: "UPDATE \(table.quotedIdentifier) SET ").appending(
        SQL.joined(assignments, separator: ", "), SQL(raw: " WHERE (\(keys)) = "), tuple(key)))
  }
}

extension ResultRow {
  fileprivate func dropping(_ count: Int) -> ResultRow {
    ResultRow(
      header: Header(Array(columnNames.dropFirst(count))), values: Array(values.dropFirst(count)))
  }
}

extension Migrator {
  /// After the last step, throws if a step has created an object that the schema does not declare:
  /// a new file would lack the object.
  func checkMade(
    by step: DatabaseSchema.Step, since before: FileSchema, on connection: isolated Connection
  ) throws(DatabaseError) {
    let file = try file(on: connection)
    for object in file.objects where before.object(object.type, object.name) == nil {
      made[FileRecords.Object(object.type, object.name)] = step
    }
    guard step.version == steps.last?.version, !declared.tables.isEmpty || !declared.objects.isEmpty
    else { return }
    for object in file.objects {
      guard let maker = made[FileRecords.Object(object.type, object.name)],
        let advice = file.advice(declaring: object, in: declared)
      else { continue }
      throw DatabaseError(
        .migrate, code: .misuse,
        "\(maker.version == step.version ? "It" : "\(maker)") creates the \(object.type) \(object.name), "
          + "which is not declared. A new file runs no steps, so the object would be missing. \(advice)",
        table: object.type == "index" || object.type == "trigger" ? object.table : nil)
    }
  }
}
