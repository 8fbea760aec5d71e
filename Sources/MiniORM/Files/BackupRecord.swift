import CSQLCipher

/// The row that a continuous backup keeps in a file.
///
/// A copy of a file is another database: copies by `backup(to:)` and `export` have no row, and
/// `restore(from:)` keeps the row of the database.
package struct BackupRecord: Sendable, Equatable {
  static let table = "miniorm_backup"
  static let sql = """
    CREATE TABLE miniorm_backup (
      identity BLOB PRIMARY KEY NOT NULL,
      epoch INTEGER NOT NULL,
      generation TEXT NOT NULL,
      inode INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """

  /// Random bytes, from the first start of a backup.
  package var identity: [UInt8]
  /// The number of times that a copy has taken over the store.
  package var epoch: UInt64
  /// The name of the last generation of this file; empty before the first.
  package var generation: String
  /// The inode of the file. A copy has a different inode.
  package var inode: UInt64

  package init(identity: [UInt8], epoch: UInt64, generation: String, inode: UInt64) {
    (self.identity, self.epoch) = (identity, epoch)
    (self.generation, self.inode) = (generation, inode)
  }

  /// Returns nil if the file has no row.
  package static func read(_ database: OpaquePointer) throws(DatabaseError) -> BackupRecord? {
    guard try exists("main", database) else { return nil }
    let rows = try Connection.rows(
      "SELECT identity, epoch, generation, inode FROM main.\(table)", database, .copy)
    guard let row = rows.first,
      case (.blob(let identity), .integer(let epoch)) = (row[0], row[1]),
      case (.text(let generation), .integer(let inode)) = (row[2], row[3])
    else { return nil }
    return BackupRecord(
      identity: identity, epoch: UInt64(max(0, epoch)), generation: generation,
      inode: UInt64(bitPattern: inode))
  }

  /// Replaces the row.
  package static func write(
    _ record: BackupRecord?, _ database: OpaquePointer
  ) throws(DatabaseError) {
    let isThere = try remove(from: "main", database)
    guard let record else { return }
    if !isThere {
      do throws(DatabaseError) {
        _ = try Connection.text(sql, database)
      } catch  where error.code == .error {
        throw DatabaseError(
          .copy, code: .misuse,
          "The file has a table \(table) from another program, but MiniORM uses this name for its records: rename that table"
        )
      }
    }
    let identity = DatabaseValue.blob(record.identity)
    _ = try Connection.text(
      "INSERT INTO main.\(table) VALUES (\(identity), \(record.epoch), \(record.generation.quotedLiteral), \(Int64(bitPattern: record.inode)))",
      database)
  }

  /// Deletes the row of a copy. Returns false if the copy has no such table.
  @discardableResult
  static func remove(
    from schema: String, _ database: OpaquePointer
  ) throws(DatabaseError) -> Bool {
    guard try exists(schema, database) else { return false }
    _ = try Connection.text("DELETE FROM \(schema).\(table)", database)
    return true
  }

  /// Compares the SQL, because another program may have a table of this name.
  private static func exists(
    _ schema: String, _ database: OpaquePointer
  ) throws(DatabaseError) -> Bool {
    try Connection.rows(
      "SELECT 1 FROM \(schema).sqlite_schema WHERE type = 'table' AND sql = \(sql.quotedLiteral)",
      database, .copy
    ).count == 1
  }
}
