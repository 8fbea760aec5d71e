import MiniORM

@testable import MiniORM

/// A column in the first schema, the second schema or both.
struct GeneratedColumn {
  /// The column in a schema.
  struct Side {
    var name: String
    var type: ColumnType
    var isNullable = true
    var isUnique = false
    var checks: [String] = []
    var collation: Collation?
    var generated: (suffix: String, isStored: Bool)?
    var defaultValue: (constraint: ColumnConstraint, value: DatabaseValue)?
    var foreignKey: ForeignKey?
  }

  struct ForeignKey {
    var table: Int
    var namesColumn: Bool
    var onDelete: ForeignKeyAction?
    var onUpdate: ForeignKeyAction?
    var isDeferred: Bool
  }

  var sides: [Side?]
  /// True if a key or UNIQUE of either schema requires distinct values.
  var isDistinct = false
  /// True if some rows contain NULL.
  var hasNulls = false
  /// The table that the column references.
  var parent: Int?
  /// Fixed values, instead of random values.
  var fixed: (@Sendable (_ row: Int) -> DatabaseValue)?

  /// True if both schemas have the column, and neither generates it.
  var isKept: Bool { sides.allSatisfy { $0.map { $0.generated == nil } ?? false } }
}

/// A table in the first schema, the second schema or both. The first column is in both and is
/// unique.
struct GeneratedTable {
  /// The table in a schema.
  struct Side {
    var name: String
    var options: TableOptions
    /// Indexes into the columns.
    var key: [Int] = []
    var isAutoincrement = false
    /// Unique pairs of columns.
    var uniques: [[Int]] = []
    var indexes: [(name: String, columns: [(Int, isDescending: Bool)], isUnique: Bool, Int?)] = []
    /// The columns in declared order.
    var order: [Int] = []
  }

  var sides: [Side?]
  var columns: [GeneratedColumn] = []
  var rowCount = 0

  func column(_ index: Int, _ side: Int) -> GeneratedColumn.Side? { columns[index].sides[side] }

  func names(_ indexes: [Int], _ side: Int) -> String {
    indexes.compactMap { column($0, side)?.name.quotedIdentifier }.joined(separator: ", ")
  }

  func isStrict(_ side: Int) -> Bool { sides[side]?.options.contains(.strict) ?? true }

  /// A name of the rowid that no column hides; nil without such a name or without a rowid.
  func rowIDName(_ side: Int) -> String? {
    guard let table = sides[side], !table.options.contains(.withoutRowID) else { return nil }
    let names = columns.compactMap { $0.sides[side]?.name.folded }
    return ["rowid", "_rowid_", "oid"].first { !names.contains(ExactText($0)) }
  }

  /// The column that is an alias for the rowid.
  func rowIDKey(_ side: Int) -> Int? {
    guard let table = sides[side], !table.options.contains(.withoutRowID), table.key.count == 1,
      column(table.key[0], side)?.type == .integer
    else { return nil }
    return table.key[0]
  }
}

extension GeneratedPair {
  /// The tables of a schema, for a migration.
  func tables(_ side: Int) -> [ModelTable] {
    tables.compactMap { table in
      guard let declared = table.sides[side] else { return nil }
      let columns = declared.order.compactMap { index in
        table.column(index, side).map { schema($0, index, of: table, side) }
      }
      let create = CreateTable(
        name: declared.name, columns: columns,
        primaryKey: declared.key.compactMap { table.column($0, side)?.name },
        options: declared.options,
        constraints: declared.uniques.map { "UNIQUE (\(table.names($0, side)))" })
      let formerColumns = table.columns.compactMap { column in
        column.sides[1].map { new in
          (new.name.folded, [column.sides[0]?.name].compactMap { $0 })
        }
      }
      return ModelTable(
        create: create, indexes: declared.indexes.map { index(of: table, side, $0) },
        formerNames: side == 0 ? [] : [table.sides[0]?.name].compactMap { $0 },
        formerColumns: side == 0 ? [:] : Dictionary(uniqueKeysWithValues: formerColumns))
    }
  }

  private func schema(
    _ column: GeneratedColumn.Side, _ index: Int, of table: GeneratedTable, _ side: Int
  ) -> ColumnSchema {
    var constraints = column.checks.map { ColumnConstraint.check($0) }
    if column.isUnique { constraints.append(.unique) }
    if let collation = column.collation { constraints.append(.collate(collation)) }
    if let value = column.defaultValue { constraints.append(value.constraint) }
    if let generated = column.generated, let first = table.column(0, side) {
      constraints.append(
        .generated(
          "\(first.name.quotedIdentifier) || '\(generated.suffix)'", stored: generated.isStored))
    }
    if let key = column.foreignKey, let parent = tables[key.table].sides[side] {
      let name = key.namesColumn ? tables[key.table].column(parent.key[0], side)?.name : nil
      constraints.append(
        .references(
          table: parent.name, name, onDelete: key.onDelete, onUpdate: key.onUpdate,
          deferred: key.isDeferred))
    }
    if let declared = table.sides[side], declared.key == [index] {
      constraints.append(.primaryKey(autoincrement: declared.isAutoincrement))
    }
    return ColumnSchema(
      column.name, table: table.sides[side]?.name ?? "", type: column.type,
      isNullable: column.isNullable, constraints)
  }

  private func index(
    of table: GeneratedTable, _ side: Int,
    _ index: (name: String, columns: [(Int, isDescending: Bool)], isUnique: Bool, Int?)
  ) -> IndexDefinition {
    let name = table.sides[side]?.name ?? ""
    let columns = index.columns.map {
      table.names([$0.0], side) + ($0.isDescending ? " DESC" : "")
    }
    let condition = index.3.map { " WHERE \(table.names([$0], side)) IS NOT NULL" } ?? ""
    return IndexDefinition(
      name: index.name, table: name,
      sql: "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(index.name.quotedIdentifier) "
        + "ON \(name.quotedIdentifier) (\(columns.joined(separator: ", ")))" + condition)
  }
}
