extension Connection {
  var isReadOnly: Bool { configuration.isReadOnly }

  /// Reads in a transaction, because another process may be migrating the file.
  func migrationState() throws(DatabaseError) -> Migrator.State {
    guard depth == 0 else { return try stateInTransaction() }
    return try whileWaiting { () throws(DatabaseError) in
      try begin(.deferred)
      defer { rollback() }  // it has only read
      return try stateInTransaction()
    }
  }

  private func stateInTransaction() throws(DatabaseError) -> Migrator.State {
    let history = try migrationHistory()
    var file = try fileSchema()
    if history != nil { file.records = try records() }
    return Migrator.State(
      version: try value(Int32.self, "PRAGMA user_version") ?? 0,
      cookie: try value(Int.self, "PRAGMA schema_version") ?? 0, history: history, file: file)
  }

  /// Waits for a process that is migrating the file.
  func beginWaiting() throws(DatabaseError) {
    // With a rollback journal, a reader would make the commit fail: an exclusive transaction has no
    // readers.
    try whileWaiting { () throws(DatabaseError) in try begin(.exclusive) }
  }

  /// The page cache, in KiB. SQLite's default of 2 MiB is too small for an index over values in
  /// random order.
  private static let cacheSize = 65_536

  func enlargeCache() throws(DatabaseError) -> Int {
    let size = try value(Int.self, "PRAGMA cache_size") ?? 0
    // Positive sizes count pages of 4 KiB; negative sizes are KiB.
    if size > -Self.cacheSize, size < Self.cacheSize / 4 { setCacheSize(-Self.cacheSize) }
    return size
  }

  func setCacheSize(_ size: Int) {
    state.interruption.shielding {
      _ = try? Self.text("PRAGMA main.cache_size = \(size)", handle)
    }
  }

  /// Restores a setting. If this fails, the file reopens, so that later statements do not run
  /// without foreign keys.
  func restore(_ setting: String, to value: Int) {
    state.interruption.shielding {
      _ = try? Self.text("PRAGMA \(setting) = \(value)", handle)
      let now = try? self.value(Int.self, "PRAGMA \(raw: setting)")
      if now != value { reopenLater() }
    }
  }

  /// Returns the views and triggers that compile before the migration.
  func workingObjects(of file: FileSchema) -> Set<ExactText> {
    Set(Self.uses(of: file).filter { (try? compile($0.value)) != nil }.keys)
  }

  private static func uses(of file: FileSchema) -> [ExactText: String] {
    var statements: [ExactText: String] = [:]
    for view in file.views {
      statements[ExactText("view \(view.name)")] =
        "SELECT * FROM main.\(view.name.quotedIdentifier)"
    }
    for name in file.triggers.map(\.table) where file.object("table", name) != nil {
      let table = name.quotedIdentifier
      let columns = ((try? file.definition(name))?.columns ?? [])
        .filter { $0.generated == nil }.map(\.name.quotedIdentifier)
      let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
      statements[ExactText("insertion into \(name)")] = "INSERT INTO \(table) DEFAULT VALUES"
      statements[ExactText("update of \(name)")] = "UPDATE \(table) SET \(assignments)"
      statements[ExactText("deletion from \(name)")] = "DELETE FROM \(table)"
    }
    return statements
  }

  func probe(_ objects: [SchemaObjectDefinition]) throws(DatabaseError) {
    cache?.isChecking = true
    defer { cache?.isChecking = false }
    for object in objects {
      guard let probe = object.probe else { continue }
      do throws(DatabaseError) {
        try compile(probe)
      } catch {
        throw error.during("The \(object.kind.type) \(object.name) does not compile")
      }
    }
  }

  /// Throws if a view or a trigger that compiled before the migration no longer compiles.
  func checkObjects(_ working: Set<ExactText>) throws(DatabaseError) {
    let uses = Self.uses(of: try fileSchema())
    cache?.isChecking = true
    defer { cache?.isChecking = false }
    for (name, sql) in uses.sorted(by: { $0.key < $1.key }) where working.contains(name) {
      do throws(DatabaseError) {
        try compile(sql)
      } catch {
        throw error.during(
          "The \(name) would no longer compile: drop or change the view or trigger in a step")
      }
    }
  }

  /// Throws if a row has no parent. The error lists ten such rows.
  ///
  /// Uses [PRAGMA foreign_key_check](https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
  /// - Parameter models: The models, whose kept foreign keys are not checked.
  func checkForeignKeys(of models: [ModelTable]) throws(DatabaseError) {
    let limit = 10
    let kept = models.flatMap { model in
      model.keptKeys.map { "\(model.name.folded) \($0.key.parent)".quotedLiteral }
    }
    let rows = try query(
      """
      SELECT c."table", c.rowid, k."from", c.parent
      FROM pragma_foreign_key_check(NULL, 'main') AS c
      JOIN pragma_foreign_key_list(c."table", 'main') AS k ON k.id = c.fkid AND k.seq = 0
      WHERE lower(c."table" || ' ' || c.parent) NOT IN (\(raw: kept.joined(separator: ", ")))
      LIMIT \(limit + 1)
      """
    ).map { $0.values.map { if case .text(let text) = $0 { text } else { "\($0)" } } }
    guard let first = rows.first else { return }
    let lines = rows.prefix(limit).map { row in
      "table \(row[0]), rowid \(row[1] == "NULL" ? "?" : row[1]), column \(row[2]): "
        + "no such row in \(row[3])"
    }
    throw DatabaseError(
      .migrate, code: .constraintForeignKey,
      "Rows would refer to parents that do not exist. Insert the parents, or change these rows:\n"
        + lines.joined(separator: "\n") + (rows.count > limit ? "\nand more" : ""),
      table: first[0], column: first[2])
  }
}
