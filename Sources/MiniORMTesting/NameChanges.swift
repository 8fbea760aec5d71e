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

  init(_ before: StoredTables, _ plan: MigrationPlan, _ steps: [DatabaseSchema.Step]) {
    for (name, table) in before.tables {
      tables[name] = name
      columns[name] = Dictionary(
        table.columns.map { ($0.key, $0.key) }, uniquingKeysWith: { first, _ in first })
    }
    for statement in plan.transactions.flatMap(\.statements) { follow(SQLToken.all(in: statement)) }
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
    for start in tokens.indices where tokens[start].kind == .word {
      let rest = tokens[start...].prefix(9).filter { token in
        !["table", "column", "index", "if", "exists"].contains { token.isKeyword($0) }
      }
      guard rest.count > 1 else { continue }
      if rest[0].isKeyword("drop") {
        dropped.insert(rest[1].text)
      } else if rest[0].isKeyword("alter"), rest.count > 3 {
        let table = rest[1].text
        let old = tables.first { $0.value == table }?.key
        if rest[2].isKeyword("drop") {
          dropped.insert(rest[3].text)
        } else if rest[2].isKeyword("rename"), rest.count > 4, let old {
          if rest[3].isKeyword("to") {
            tables[old] = rest[4].text
          } else if rest.count > 5, let column = columns[old]?.first(where: { $0.value == rest[3].text })
          {
            columns[old]?[column.key] = rest[5].text
          }
        }
      }
    }
  }

  func table(_ name: ExactText) -> ExactText { tables[name] ?? name }
  func column(_ name: ExactText, of table: ExactText) -> ExactText {
    columns[table]?[name] ?? name
  }
  func drops(_ name: ExactText) -> Bool { dropped.contains(name) }
  func computes(_ column: ExactText) -> Bool { computed.contains(column) }
}
