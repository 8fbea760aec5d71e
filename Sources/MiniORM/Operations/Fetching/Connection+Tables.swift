/// A table of the file, with its columns, indexes and foreign keys.
public struct TableInformation: Sendable, Equatable {
  /// A column.
  public struct Column: Sendable, Equatable {
    /// The column's name.
    public let name: String
    /// The declared type, as written.
    public let type: String
    /// False if the column is declared NOT NULL.
    public let isNullable: Bool
    /// The SQL of the default.
    public let defaultSQL: String?
    /// The position in the primary key, from 1.
    public let keyPosition: Int?
  }

  /// An index, created by CREATE INDEX, UNIQUE or PRIMARY KEY.
  public struct Index: Sendable, Equatable {
    /// The index's name.
    public let name: String
    /// The columns in order; nil for an expression.
    public let columns: [String?]
    /// True if two rows cannot have equal values in these columns.
    public let isUnique: Bool
  }

  /// A foreign key.
  public struct ForeignKey: Sendable, Equatable {
    /// The columns of this table.
    public let columns: [String]
    /// The parent table.
    public let parent: String
    /// The columns of the parent table; empty for its primary key.
    public let parentColumns: [String]
    /// The action when the parent row is deleted; nil rejects the deletion.
    public let onDelete: ForeignKeyAction?
  }

  /// The table's name.
  public let name: String
  /// The columns in order, including generated columns.
  public internal(set) var columns: [Column] = []
  /// The indexes, by name.
  public internal(set) var indexes: [Index] = []
  /// The foreign keys, in the order of their declaration.
  public internal(set) var foreignKeys: [ForeignKey] = []
}

extension Connection {
  /// Returns the tables of the main database, including virtual tables, by name.
  ///
  /// ```swift
  /// let tables = try await database.read { db in try db.tables() }
  /// let names = tables.first { $0.name == "company" }?.columns.map(\.name)
  /// ```
  /// - Throws: ``DatabaseError`` if the file cannot be read.
  public func tables() throws(DatabaseError) -> [TableInformation] {
    let names = try query(
      String.self,
      """
      SELECT name FROM main.sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name
      """)
    var tables: [TableInformation] = []
    for name in names {
      var table = TableInformation(name: name)
      for (name, type, isRequired, initial, key) in try query(
        (String, String, Bool, String?, Int).self,
        """
        SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_xinfo(\(name), 'main')
        WHERE hidden <> 1 ORDER BY cid
        """)
      {
        table.columns.append(
          TableInformation.Column(
            name: name, type: type, isNullable: !isRequired, defaultSQL: initial,
            keyPosition: key > 0 ? key : nil))
      }
      for (index, isUnique) in try query(
        (String, Bool).self,
        "SELECT name, \"unique\" FROM pragma_index_list(\(name), 'main') ORDER BY name")
      {
        let columns = try query(
          String?.self, "SELECT name FROM pragma_index_info(\(index), 'main') ORDER BY seqno")
        table.indexes.append(
          TableInformation.Index(name: index, columns: columns, isUnique: isUnique))
      }
      // SQLite lists foreign keys in reverse order.
      let rows = try query(
        (Int, String, String, String?, String).self,
        """
        SELECT id, "table", "from", "to", on_delete FROM pragma_foreign_key_list(\(name), 'main')
        ORDER BY id DESC, seq
        """)
      for (_, parts) in Dictionary(grouping: rows, by: \.0).sorted(by: { $0.key > $1.key }) {
        table.foreignKeys.append(
          TableInformation.ForeignKey(
            columns: parts.map(\.2), parent: parts[0].1, parentColumns: parts.compactMap(\.3),
            onDelete: ForeignKeyAction(rawValue: parts[0].4)))
      }
      tables.append(table)
    }
    return tables
  }
}
