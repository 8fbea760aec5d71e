/// The declarations of a ``DatabaseSchema``, for comparison with a file.
struct DeclaredSchema: Sendable {
  var tables: [ModelTable] = []
  var objects: [SchemaObjectDefinition] = []

  /// Throws if SQL in a model cannot be parsed.
  func check() throws(DatabaseError) {
    for table in tables { try table.check() }
  }

  /// Throws if tables are renamed in a circle: a file that has all of them does not show whether
  /// they were renamed.
  func checkRenames() throws(DatabaseError) {
    for table in tables {
      guard let circle = circle(through: [table]) else { continue }
      throw DatabaseError(
        .migrate, code: .misuse,
        "The renamedFrom: of the tables \(circle.map(\.name).joined(separator: ", ")) form a circle, "
          + "so that a file does not show which table is which: rename them with .renameTable in a "
          + "step, through another name, and remove renamedFrom:",
        table: table.name)
    }
  }

  private func circle(through path: [ModelTable]) -> [ModelTable]? {
    guard let first = path.first, let last = path.last else { return nil }
    for former in last.formerNames where former.folded != last.name.folded {
      if former.folded == first.name.folded { return path }
      guard let next = tables.first(where: { $0.name.folded == former.folded }),
        !path.contains(where: { $0.name.folded == former.folded })
      else { continue }
      if let found = circle(through: path + [next]) { return found }
    }
    return nil
  }
}

extension DeclaredSchema {
  /// Throws if a foreign key can never match a row of its parent table. SQLite accepts such a key,
  /// and later fails insertions without a reason.
  /// - Parameter isComplete: True if no step can still create a parent table.
  func checkForeignKeys(in file: FileSchema, isComplete: Bool) throws(DatabaseError) {
    let models = Dictionary(
      tables.map { ($0.name.folded, $0) }, uniquingKeysWith: { first, _ in first })
    for model in tables {
      for key in model.definition.foreignKeys.sorted(by: { "\($0.columns)" < "\($1.columns)" }) {
        let own = "\(model.name).\(key.columns.map(\.string).joined(separator: ", "))"
        if let parent = models[key.parent] {
          try check(key, own, of: model, parent.definition, parent.name) { parent.column($0) }
        } else if let parent = try file.definition(key.parent.string) {
          guard isComplete else { continue }
          try check(key, own, of: model, parent, parent.name) { _ in nil }
        } else if isComplete {
          throw Self.refusal(
            "\(own) references the table \(key.parent), which is neither in the schema nor in the "
              + "file: add the model of \(key.parent) to the schema", model, key.columns.first)
        }
      }
    }
  }

  private func check(
    _ key: TableDefinition.ForeignKey, _ own: String, of model: ModelTable,
    _ parent: TableDefinition, _ name: String, _ schema: (ExactText) -> ColumnSchema?
  ) throws(DatabaseError) {
    let targets = key.parentColumns.isEmpty ? parent.primaryKey : key.parentColumns
    guard targets.count == key.columns.count else {
      throw Self.refusal(
        "\(own) references \(targets.count) columns of \(name) with \(key.columns.count): name as "
          + "many parent columns", model, key.columns.first)
    }
    for (column, target) in zip(key.columns, targets) {
      guard let other = parent.column(target) else {
        throw Self.refusal(
          "\(own) references the column \(target), which \(name) does not have: correct the name",
          model, column)
      }
      // The collations may differ: SQLite compares with the parent's collation.
      if let child = model.column(column), let parent = schema(target) {
        let columns = "\(model.name).\(child.name) references \(name).\(other.name)"
        let (format, others) = (StoredFormat(of: child.stored), StoredFormat(of: parent.stored))
        guard format.meeting(others) == .equal else {
          throw Self.refusal(
            "\(columns), but they store equal values differently, as \(format.name) and "
              + "\(others.name): \(others.advice(for: "\(model.name).\(child.name)", from: format))",
            model, column)
        }
        guard child.type == parent.type || child.type == .any || parent.type == .any else {
          throw Self.refusal(
            "\(columns), but their types are \(child.type.rawValue) and \(parent.type.rawValue): declare "
              + "both with the same type", model, column)
        }
      }
    }
  }

  private static func refusal(_ message: String, _ model: ModelTable, _ column: ExactText?)
    -> DatabaseError
  {
    DatabaseError(
      .migrate, code: .misuse, message, table: model.name,
      column: column.map { model.definition.column($0)?.name ?? $0.string })
  }
}
