import MiniORM

@testable import MiniORM

/// Two random schemas of a few tables, such that rows of the first can become rows of the second.
struct GeneratedPair {
  private var random: SeededRandom
  private(set) var tables: [GeneratedTable] = []
  private var names: [String]

  init(seed: Int) {
    random = SeededRandom(UInt64(seed))
    names = Self.tableNames.shuffled(using: &random)
    let count = Int.random(in: 1...3, using: &random)
    for index in 0..<count { tables.append(table(index)) }
    for index in tables.indices { addForeignKeys(to: index) }
  }

  /// Adds a column to the first table, which may prevent the migration.
  mutating func add(
    _ sides: [GeneratedColumn.Side?], _ value: @escaping @Sendable (_ row: Int) -> DatabaseValue
  ) {
    let index = tables[0].columns.count
    tables[0].columns.append(GeneratedColumn(sides: sides, fixed: value))
    for side in 0...1 { tables[0].sides[side]?.order.append(index) }
    tables[0].rowCount = max(2, tables[0].rowCount)
  }

  private static let tableNames = [
    "person", "Order", "te st", "quo\"te", "Äpfel", "select", "tab'le", "[x]", "a.b", "T1", "table",
    "x--y", "new", "index", "中文", "_", "0", "(", "values", "If Not Exists",
  ]
  private static let columnNames = [
    "name", "Group", "a b", "q\"uote", "Ünï", "[br]", "rowid", "oid", "it's", "select", "check",
    "x/*y", "b--c", "default", "strict", "a.b", ",", ")", "unique", "primary", "0", "Key", "as",
    "generated", "always", "_rowid_", "null", "constraint", "without", "日", "x'y", "`", "foreign",
  ]

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  // MARK: Tables

  private mutating func table(_ index: Int) -> GeneratedTable {
    let old = names.removeLast()
    let new = chance(30) ? names.removeLast() : old
    let options: [TableOptions] = [chance(70) ? .strict : [], chance(70) ? .strict : []]
    var table = GeneratedTable(sides: [
      GeneratedTable.Side(name: old, options: options[0]),
      GeneratedTable.Side(name: new, options: options[1]),
    ])
    // The first table is in both schemas, so that each migration has work.
    if index > 0, chance(12) { table.sides[pick([0, 1])] = nil }
    table.rowCount = chance(10) ? 0 : Int.random(in: 1...25, using: &random)
    var free = Self.columnNames.shuffled(using: &random)
    table.columns = [first(&free)]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      table.columns.append(column(&free, table))
    }
    for side in 0...1 where table.sides[side] != nil {
      addKey(to: &table, side)
      addUniques(to: &table, side)
      addIndexes(to: &table, side, named: "index \(index)")
      let columns = table.columns.indices.filter { table.column($0, side) != nil }
      table.sides[side]?.order = columns.shuffled(using: &random)
    }
    addRowIDKey(to: &table, &free)
    for index in table.columns.indices.dropFirst() {
      let column = table.columns[index]
      table.columns[index].hasNulls =
        column.sides.allSatisfy { $0?.isNullable ?? true } && chance(60)
    }
    return table
  }

  private mutating func addKey(to table: inout GeneratedTable, _ side: Int) {
    let candidates = table.columns.indices.filter { table.columns[$0].isKept }
      .shuffled(using: &random)
    let count = min(candidates.count, pick([0, 1, 1, 1, 2]))
    let key = Array(candidates.prefix(count))
    for index in key {
      table.columns[index].isDistinct = true
      table.columns[index].sides[side]?.isNullable = false
      table.columns[index].sides[side]?.defaultValue = nil
    }
    table.sides[side]?.key = key
    if count > 0, chance(30) { table.sides[side]?.options.insert(.withoutRowID) }
    if table.rowIDKey(side) != nil { table.sides[side]?.isAutoincrement = chance(50) }
  }

  /// Adds a key column that becomes an alias for the existing rowids.
  private mutating func addRowIDKey(to table: inout GeneratedTable, _ free: inout [String]) {
    guard let old = table.sides[0], let new = table.sides[1], new.key.isEmpty,
      table.rowIDKey(0) == nil, !old.options.contains(.withoutRowID), table.rowIDName(0) != nil,
      chance(50)
    else { return }
    let index = table.columns.count
    table.columns.append(
      GeneratedColumn(sides: [
        nil, GeneratedColumn.Side(name: free.removeLast(), type: .integer, isNullable: false),
      ]))
    table.sides[1]?.key = [index]
    table.sides[1]?.order.append(index)
    table.sides[1]?.isAutoincrement = chance(30)
  }

  private mutating func addUniques(to table: inout GeneratedTable, _ side: Int) {
    for index in table.columns.indices where chance(15) {
      guard table.columns[index].isKept else { continue }
      table.columns[index].sides[side]?.isUnique = true
      table.columns[index].isDistinct = true
    }
    let others = table.columns.indices.dropFirst().filter { table.columns[$0].isKept }
    if let other = others.randomElement(using: &random), chance(20) {
      table.sides[side]?.uniques = [[0, other]]
    }
  }

  private mutating func addIndexes(
    to table: inout GeneratedTable, _ side: Int, named name: String
  ) {
    let columns = table.columns.indices.filter { table.column($0, side) != nil }
    for number in 0..<3 where chance(40) {
      var list = Array(columns.shuffled(using: &random).prefix(2))
      let isUnique = chance(30)
      if isUnique, !list.contains(0) { list.append(0) }
      table.sides[side]?.indexes.append(
        (
          "\(name) \(number)", list.map { ($0, chance(30)) }, isUnique,
          chance(30) ? pick(columns) : nil
        ))
    }
  }

  private mutating func addForeignKeys(to index: Int) {
    for column in tables[index].columns.indices.dropFirst() where chance(35) {
      let parents = tables.indices.filter { parent in
        let sides = tables[parent].sides.compactMap { $0?.key }
        guard sides.count == 2, sides[0] == sides[1], sides[0].count == 1,
          tables[index].columns[column].isKept, !tables[index].columns[column].isDistinct,
          tables[parent].columns[sides[0][0]].parent == nil
        else { return false }
        let key = tables[parent].columns[sides[0][0]].sides.compactMap { $0?.type }
        return key[0] == key[1] && (parent != index || sides[0][0] != column)
      }
      guard let parent = parents.randomElement(using: &random), tables[parent].rowCount > 0,
        let key = tables[parent].sides[0]?.key.first
      else { continue }
      let isNumbered = tables[parent].column(key, 0)?.collation == nil
      guard isNumbered else { continue }
      var child = tables[index].columns[column]
      child.parent = parent
      for side in 0...1 {
        child.sides[side]?.type = tables[parent].column(key, side)?.type ?? .any
        child.sides[side]?.defaultValue = nil
        child.sides[side]?.collation = nil
        guard chance(75) else { continue }
        child.sides[side]?.foreignKey = GeneratedColumn.ForeignKey(
          table: parent, namesColumn: chance(50),
          onDelete: pick([nil, .cascade, .setNull, .restrict, .setDefault]),
          onUpdate: pick([nil, .cascade, .setNull]), isDeferred: chance(30))
      }
      tables[index].columns[column] = child
    }
  }

  // MARK: Columns

  private mutating func first(_ free: inout [String]) -> GeneratedColumn {
    let name = free.removeLast()
    let type: ColumnType = chance(50) ? .integer : .text
    let old = GeneratedColumn.Side(name: name, type: type, isNullable: chance(30))
    var new = old
    if chance(30) { new.name = free.removeLast() }
    new.isNullable = chance(30)
    return GeneratedColumn(sides: [old, new], isDistinct: true)
  }

  private mutating func column(_ free: inout [String], _ table: GeneratedTable) -> GeneratedColumn {
    let old = side(free.removeLast(), type: pick([.integer, .real, .text, .blob, .any]))
    if chance(15) { return GeneratedColumn(sides: [old, nil]) }
    if chance(20) {
      var new = old
      // An added column must have a value for existing rows.
      if !new.isNullable, new.defaultValue == nil { new.isNullable = true }
      return GeneratedColumn(sides: [nil, generated(new, table)])
    }
    let first = generated(old, table)
    // A generated column may become an ordinary column, and keeps its values.
    let keepsType = first.generated != nil || chance(60)
    let types = keepsType ? [old.type] : successors(of: old.type, table)
    var new = side(chance(30) ? free.removeLast() : old.name, type: pick(types))
    if new.type == old.type, chance(50) { new.collation = old.collation }
    return GeneratedColumn(sides: [first, generated(new, table)])
  }

  /// The types that can store the values of a type without loss.
  private func successors(of type: ColumnType, _ table: GeneratedTable) -> [ColumnType] {
    // A STRICT table converts neither text nor numbers to bytes, nor bytes to text.
    let isStrict = table.isStrict(1)
    return switch type {
    case .integer: [.real, .text, .any]
    case .real: [.integer, .text, .any]
    case .text: isStrict ? [.integer, .real, .any] : [.integer, .real, .any, .blob]
    case .blob: isStrict ? [.any] : [.any, .text]
    default: isStrict ? [.integer, .real, .text] : [.integer, .real, .text, .blob]
    }
  }

  private mutating func side(_ name: String, type: ColumnType) -> GeneratedColumn.Side {
    var side = GeneratedColumn.Side(name: name, type: type, isNullable: chance(60))
    if chance(50) { side.defaultValue = defaultValue(type) }
    if chance(25) {
      side.checks = [
        pick([
          "length(\(name.quotedIdentifier)) >= 0", "\(name.quotedIdentifier) IS NOT 'ne(v)er'",
        ])
      ]
    }
    if type == .text { side.collation = pick([nil, nil, .nocase, .rtrim, .binary]) }
    return side
  }

  private mutating func generated(
    _ side: GeneratedColumn.Side, _ table: GeneratedTable
  ) -> GeneratedColumn.Side {
    guard side.type == .text, chance(25) else { return side }
    var generated = GeneratedColumn.Side(name: side.name, type: .text)
    generated.generated = (pick(["x", "y"]), chance(50))
    return generated
  }

  private mutating func defaultValue(
    _ type: ColumnType
  ) -> (constraint: ColumnConstraint, value: DatabaseValue) {
    let value: DatabaseValue =
      switch type {
      case .integer: .integer(pick([0, 42, -7, .max]))
      case .real: .real(pick([1.5, -2.25, 1e300, .infinity]))
      case .text: .text(pick(["", "de'fault", "(x)", "NULL", "a\"b"]))
      case .blob: .blob(pick([[], [0, 255]]))
      default: .integer(7)
      }
    // A default that ALTER TABLE cannot add.
    if type == .integer, chance(20) { return (.default(sql: "1 + 1"), .integer(2)) }
    return (.default(value), value)
  }

  // MARK: Values

  /// The value of a row in the first schema.
  func value(_ column: GeneratedColumn, _ row: Int, of table: GeneratedTable) -> DatabaseValue {
    if let fixed = column.fixed { return fixed(row) }
    if column.hasNulls, row % 3 == 1 { return .null }
    if let parent = column.parent, let key = tables[parent].sides[0]?.key.first {
      let other = (row * 5 + 2) % tables[parent].rowCount
      return value(tables[parent].columns[key], other, of: tables[parent])
    }
    let number = column.isDistinct ? row : row % 4
    let types = column.sides.map { $0?.type }
    return switch (types[0] ?? .any, types[1] ?? types[0] ?? .any) {
    case (.integer, .real): .integer(Int64(number) * 7 - 20)
    case (.integer, _): .integer(number % 5 == 4 ? .max - Int64(number) : Int64(number) * 7 - 20)
    case (.real, .integer): .real(Double(number * 3 + 1))
    case (.real, .text): .real(Double(number) + 0.125)
    case (.real, _): .real(Double(number - 3) + 0.1)
    case (.text, .integer): .text(String(number * 11 - 30))
    case (.text, .real): .text("\(number).5")
    case (.text, _): .text(number == 0 ? "" : "t'\(number) é\(number % 3 == 0 ? "\0" : "😀")\"")
    case (.blob, _): .blob(number == 0 ? [] : [UInt8(number), 0, 255])
    case (.any, .integer): number % 2 == 0 ? .integer(Int64(number)) : .text(String(number))
    case (.any, .real): number % 2 == 0 ? .integer(Int64(number)) : .real(Double(number) + 0.5)
    case (.any, .text): number % 2 == 0 ? .integer(Int64(number)) : .text("t\(number)")
    default:
      switch number % 4 {
      case 0: .integer(Int64(number))
      case 1: .real(Double(number) + 0.5)
      case 2: .text("any \(number)")
      default: .blob([UInt8(number)])
      }
    }
  }
}

extension DatabaseValue {
  /// This value, converted to a column type without loss.
  func converted(to type: ColumnType) -> DatabaseValue {
    switch (type, self) {
    case (.text, .integer(let value)): return .text(String(value))
    case (.text, .real(let value)): return .text(value.description)
    case (.integer, .real(let value)): return .integer(Int64(value))
    case (.integer, .text(let value)): return Int64(value).map { .integer($0) } ?? self
    case (.real, .integer(let value)): return .real(Double(value))
    case (.real, .text(let value)): return Double(value).map { .real($0) } ?? self
    default: return self
    }
  }
}
