import MiniORM

/// The names of tables and columns before and after a migration, and what its steps declare to
/// change or to drop.
struct NameChanges {
  /// The current names, by the names before the migration.
  private var tables: [ExactText: ExactText] = [:]
  private var columns: [ExactText: [ExactText: ExactText]] = [:]
  /// The tables, columns and indexes that a step drops.
  private var dropped: Set<ExactText> = []
  /// The columns that a step computes.
  private var computed: Set<ExactText> = []

  init(_ before: StoredTables, _ plan: MigrationPlan?, _ steps: [DatabaseSchema.Step]) {
    for (name, table) in before.tables {
      tables[name] = name
      for column in table.columns { columns[name, default: [:]][column.key] = column.key }
    }
    for statement in plan?.transactions.flatMap(\.statements) ?? [] {
      follow(SQLToken.all(in: statement))
    }
    for operation in steps.flatMap(\.operations) {
      switch operation.kind {
      case .dropTable(let name), .dropIndex(let name): dropped.insert(name.folded)
      case .dropColumn(let name, _): dropped.insert(name.folded)
      case .convertColumn(let column, _, _): computed.insert(column.name.folded)
      case .rebuildTable(_, let values):
        computed.formUnion(values.keys.map(\.folded))
        // An expression that names a column moves its values.
        dropped.formUnion(
          values.values.flatMap { SQLToken.all(in: $0) }.filter(\.isName).map(\.text))
      default: break
      }
    }
  }

  /// Follows ALTER TABLE and DROP statements.
  private mutating func follow(_ tokens: [SQLToken]) {
    let optional: Set<ExactText> = ["table", "column", "index", "if", "exists"]
    for start in tokens.indices where ["alter", "drop"].contains(tokens[start].text) {
      let words = tokens[start...].prefix(9).map(\.text).filter { !optional.contains($0) }
      if words[0] == "drop", words.count > 1 { dropped.insert(words[1]) }
      guard words[0] == "alter", words.count > 4, words[2] == "rename",
        let old = tables.first(where: { $0.value == words[1] })?.key
      else { continue }
      if words[3] == "to" {
        tables[old] = words[4]
      } else if let column = columns[old]?.first(where: { $0.value == words[3] }), words.count > 5 {
        columns[old]?[column.key] = words[5]
      }
    }
  }

  func table(_ name: ExactText) -> ExactText { tables[name] ?? name }
  func column(_ name: ExactText, of table: ExactText) -> ExactText {
    columns[table]?[name] ?? name
  }
  func drops(_ names: ExactText...) -> Bool { !dropped.isDisjoint(with: names) }
  func computes(_ column: ExactText) -> Bool { computed.contains(column) }
}
