/// The rows whose parents are missing, by foreign key. A step must not add such rows, but a file of
/// a program without foreign keys may have some.
struct Orphans {
  /// A foreign key, identified by the names of tables and columns, which a rebuild keeps.
  struct Key: Hashable {
    let child: ExactText
    let columns: [ExactText]
    let parent: ExactText
  }

  struct Row {
    let key: Key
    let table: String
    let rowID: Int64?
    let column: String
    let parent: String
    /// The values of the foreign key's columns; empty if the table has no rowid.
    let values: [DatabaseValue]
  }

  let keys: Set<Key>
  let rows: [Row]

  /// Rows are equal if their foreign keys and values are equal. After a rename, the foreign key is
  /// new, and only values are compared.
  func rows(missingIn earlier: Orphans) -> [Row] {
    var known: [Key: [[DatabaseValue]: Int]] = [:]
    var vanished: [[DatabaseValue]: Int] = [:]
    for row in earlier.rows {
      if keys.contains(row.key) {
        known[row.key, default: [:]][row.values, default: 0] += 1
      } else {
        vanished[row.values, default: 0] += 1
      }
    }
    func take(_ values: [DatabaseValue], from counts: inout [[DatabaseValue]: Int]) -> Bool {
      guard let count = counts[values], count > 0 else { return false }
      counts[values] = count - 1
      return true
    }
    return rows.filter { row in
      earlier.keys.contains(row.key)
        ? !take(row.values, from: &known[row.key, default: [:]])
        : !take(row.values, from: &vanished)
    }
  }
}

extension Connection {
  /// Uses [PRAGMA foreign_key_check](https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
  func orphans() throws(DatabaseError) -> Orphans {
    func text(_ value: DatabaseValue) -> String {
      if case .text(let text) = value { text } else { "" }
    }
    // The keys of both dictionaries combine the table and the number of the foreign key.
    var columns: [ExactText: [String]] = [:]
    var keys: [ExactText: Orphans.Key] = [:]
    let declared = try query(
      """
      SELECT l.name, k.id, k."from", k."table" FROM pragma_table_list AS l
      JOIN pragma_foreign_key_list(l.name) AS k
      WHERE l.schema = 'main' AND l.type = 'table' ORDER BY l.name, k.id, k.seq
      """)
    func identity(_ table: DatabaseValue, _ id: DatabaseValue) -> ExactText {
      ExactText("\(id) \(text(table))")
    }
    for row in declared {
      let id = identity(row.values[0], row.values[1])
      columns[id, default: []].append(text(row.values[2]))
      keys[id] = Orphans.Key(
        child: text(row.values[0]).folded, columns: columns[id, default: []].map(\.folded),
        parent: text(row.values[3]).folded)
    }
    let broken = try query(
      "SELECT \"table\", fkid, rowid, parent FROM pragma_foreign_key_check(NULL, 'main')")
    let file = broken.isEmpty ? nil : try fileSchema()
    var rows: [Orphans.Row] = []
    for row in broken {
      let (table, id) = (text(row.values[0]), identity(row.values[0], row.values[1]))
      guard let key = keys[id], let names = columns[id], let first = names.first else { continue }
      var values: [DatabaseValue] = []
      var rowID: Int64?
      if case .integer(let number) = row.values[2] {
        rowID = number
        let list = names.map(\.quotedIdentifier).joined(separator: ", ")
        let name = try file?.definition(table)?.rowIDName ?? "rowid"
        let found = try query(
          "SELECT \(raw: list) FROM \(raw: table.quotedIdentifier) WHERE \(raw: name) = \(number)")
        values = found.first?.values ?? []
      }
      rows.append(
        Orphans.Row(
          key: key, table: table, rowID: rowID, column: first, parent: text(row.values[3]),
          values: values))
    }
    return Orphans(keys: Set(keys.values), rows: rows)
  }

  func checkForeignKeys(besides earlier: Orphans? = nil) throws(DatabaseError) {
    let now = try orphans()
    let rows = earlier.map { now.rows(missingIn: $0) } ?? now.rows
    guard let first = rows.first else { return }
    let lines = rows.prefix(10).map { row in
      "table \(row.table), rowid \(row.rowID.map { "\($0)" } ?? "?"), column \(row.column): "
        + "no such row in \(row.parent)"
    }
    throw DatabaseError(
      .migrate, code: .constraintForeignKey,
      "Rows would refer to parents that do not exist. Insert the parents, or change these rows:\n"
        + lines.joined(separator: "\n")
        + (rows.count > 10 ? "\nand more" : ""),
      table: first.table, column: first.column)
  }
}
