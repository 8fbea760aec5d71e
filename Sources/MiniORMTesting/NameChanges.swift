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

  init(_ before: StoredTables, _ steps: [DatabaseSchema.Step], _ models: [any Model.Type]) {
    for (name, table) in before.tables {
      tables[name] = name
      for column in table.columns { columns[name, default: [:]][column.key] = column.key }
    }
    for operation in steps.flatMap(\.operations) {
      switch operation.kind {
      case .sql(let script): follow(SQLToken.all(in: script))
      case .renameTable(let name, let newName): rename(name.folded, to: newName.folded)
      case .renameColumn(let name, let newName, let table):
        rename(name.folded, to: newName.folded, in: table.folded)
      case .dropTable(let name), .dropIndex(let name), .dropColumn(let name, _):
        dropped.insert(name.folded)
      case .convertColumn(let column, _, _): computed.insert(column.name.folded)
      case .rebuildTable(_, let values):
        computed.formUnion(values.keys.map(\.folded))
        // An expression that names a column moves its values.
        dropped.formUnion(
          values.values.flatMap { SQLToken.all(in: $0) }.filter(\.isName).map(\.text))
      default: break
      }
    }
    for model in models.map({ $0.schema }) {
      let (name, names) = (model.name.folded, Set(model.columns.map(\.name.folded)))
      for former in model.formerNames where !tables.values.contains(name) {
        rename(former.folded, to: name)
      }
      for column in model.columns {
        for former in column.formerNames where !names.contains(former.folded) {
          rename(former.folded, to: column.name.folded, in: name)
        }
      }
    }
  }

  private mutating func rename(_ name: ExactText, to newName: ExactText) {
    tables = tables.mapValues { $0 == name ? newName : $0 }
  }

  private mutating func rename(_ name: ExactText, to newName: ExactText, in table: ExactText) {
    for (old, current) in tables where current == table {
      columns[old] = columns[old]?.mapValues { $0 == name ? newName : $0 }
    }
  }

  /// Follows ALTER TABLE and DROP statements.
  private mutating func follow(_ tokens: [SQLToken]) {
    let optional: Set<ExactText> = ["table", "column", "index", "view", "trigger", "if", "exists"]
    for start in tokens.indices where ["alter", "drop"].contains(tokens[start].text) {
      let words = tokens[start...].prefix(9).map(\.text).filter { !optional.contains($0) }
      if words[0] == "drop", words.count > 1 { dropped.insert(words[1]) }
      guard words[0] == "alter", words.count > 4, words[2] == "rename" else { continue }
      if words[3] == "to" {
        rename(words[1], to: words[4])
      } else if words.count > 5 {
        rename(words[3], to: words[5], in: words[1])
      }
    }
  }

  func table(_ name: ExactText) -> ExactText { tables[name] ?? name }
  func column(_ name: ExactText, of table: ExactText) -> ExactText { columns[table]?[name] ?? name }
  func drops(_ names: ExactText...) -> Bool { !dropped.isDisjoint(with: names) }
  func computes(_ column: ExactText) -> Bool { computed.contains(column) }
}
