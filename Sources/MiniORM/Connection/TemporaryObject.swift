/// A temporary view or trigger, as SQLite has it: renaming a table changes its text.
struct TemporaryObject: Sendable, Hashable {
  let type: String
  let name: String
  /// The table or view that a trigger is for.
  let table: String
  let sql: String

  /// The statement that creates it. SQLite keeps it without TEMP.
  var creation: String { "CREATE TEMP \(sql.dropFirst("CREATE ".count))" }

  var removal: String { "DROP \(type.uppercased()) IF EXISTS temp.\(name.quotedIdentifier)" }

  /// Returns whether both have one name, whatever their text.
  func isSame(as other: TemporaryObject) -> Bool {
    type == other.type && name.folded == other.name.folded
  }
}

/// What ``Database/createTemporary(_:)`` has created on a connection.
struct TemporaryObjects: Sendable {
  var all: [TemporaryObject] = []
  /// How often the writer's have changed. The reader follows them, and never back.
  var version = 0
}

extension Connection {
  /// Returns the temporary views and triggers that there are now, those of SQL included.
  func temporarySchema() throws(DatabaseError) -> [TemporaryObject] {
    let rows = try query(
      """
      SELECT type, name, tbl_name, sql FROM sqlite_temp_schema WHERE type IN ('view', 'trigger')
      ORDER BY rowid
      """)
    return rows.compactMap { row in
      guard case .text(let type) = row.values[0], case .text(let name) = row.values[1],
        case .text(let table) = row.values[2], case .text(let sql) = row.values[3]
      else { return nil }
      return TemporaryObject(type: type, name: name, table: table, sql: sql)
    }
  }

  /// Looks at what has become of the temporary objects: a table that they name may have another
  /// name now, or be gone.
  /// - Returns: What there is now.
  func refreshTemporaryObjects() throws(DatabaseError) -> TemporaryObjects {
    let known = state.temporaryObjects.all
    guard !known.isEmpty else { return state.temporaryObjects }
    let now = try temporarySchema().filter { object in known.contains { $0.isSame(as: object) } }
    if now != known {
      state.temporaryObjects.all = now
      state.temporaryObjects.version += 1
    }
    return state.temporaryObjects
  }

  /// Makes the temporary objects of this connection those that the one that writes has, or throws
  /// and leaves them as they are.
  func adopt(_ objects: TemporaryObjects) throws(DatabaseError) {
    let mine = state.temporaryObjects
    guard objects.version > mine.version else { return }
    if objects.all != mine.all {
      try atomically(.deferred) { () throws(DatabaseError) in
        for object in mine.all.reversed() { _ = try query(SQL(raw: object.removal)) }
        for object in objects.all { _ = try query(SQL(raw: object.creation)) }
      }
    }
    state.temporaryObjects = objects
  }

  /// The same where there is no way back. Where it fails, the file is opened anew at the next use,
  /// which then has them or says why not.
  func follow(_ objects: TemporaryObjects) {
    guard (try? adopt(objects)) == nil else { return }
    state.temporaryObjects = objects
    reopenLater()
  }
}
