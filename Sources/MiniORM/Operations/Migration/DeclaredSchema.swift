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

extension FileSchema {
  func report(_ declared: DeclaredSchema) -> SchemaReport {
    SchemaReport(
      differences: declared.tables.flatMap { model in
        reported(model)
          + (formerTable(beside: model, declared.tables).map { former in
            [
              .differentTable(
                table: model.name, property: "name", file: "\(model.name) and \(former)",
                model: model.name)
            ]
          } ?? [])
      } + objectDifferences(declared.objects))
  }

  /// Returns the table with a former name of a model whose own table exists too. A different model
  /// may now have the former name.
  func formerTable(beside model: ModelTable, _ models: [ModelTable]) -> String? {
    guard !model.formerNames.isEmpty, object("table", model.name) != nil else { return nil }
    return model.formerNames.first { former in
      object("table", former) != nil && !models.contains { $0.name.folded == former.folded }
    }
  }

  /// Triggers have a namespace of their own.
  func object(of definition: SchemaObjectDefinition) -> Object? {
    definition.kind == .trigger
      ? object("trigger", definition.name)
      : object("view", definition.name) ?? object("table", definition.name)
  }

  private func objectDifferences(
    _ definitions: [SchemaObjectDefinition]
  ) -> [SchemaReport.Difference] {
    let declared = Set(definitions.map { ExactText("\($0.kind.type) \($0.name.folded)") })
    let extra = objects.filter { object in
      object.type != "index"
        && !declared.contains(ExactText("\(object.type) \(object.name.folded)"))
        && records.contains(object)
    }
    return definitions.compactMap { definition -> SchemaReport.Difference? in
      guard let object = object(of: definition) else {
        return .missingObject(type: definition.kind.type, name: definition.name)
      }
      guard !definition.isDeclared(by: object.sql) else { return nil }
      return .differentObject(
        type: definition.kind.type, name: definition.name, file: object.sql, model: definition.sql)
    } + extra.map { .extraObject(type: $0.type, name: $0.name) }
  }

  /// Returns the next object to drop, undeclared or declared differently.
  /// - Throws: ``DatabaseError`` if rows would be lost.
  func obsoleteObject(
    _ definitions: [SchemaObjectDefinition]
  ) throws(DatabaseError) -> (type: String, name: String)? {
    for definition in definitions {
      // A trigger that uses a virtual table is dropped before the virtual table: afterwards, the
      // trigger would prevent changes to the trigger's own table.
      guard let owner = definition.owner, let object = object(of: definition),
        object.type != "table" || records.contains(object),
        let table = definitions.first(where: {
          $0.kind == .virtualTable && $0.name.hasSameBytes(as: owner)
        }),
        isChanged(table)
      else { continue }
      return (definition.kind.type, definition.name)
    }
    for difference in objectDifferences(definitions) {
      switch difference {
      case .extraObject(let type, let name):
        return (type, name)
      case .differentObject(let type, let name, _, _):
        guard
          let definition = definitions.first(where: {
            $0.kind.type == type && $0.name.hasSameBytes(as: name)
          }),
          let object = object(of: definition)
        else { continue }
        let isTable = object.type == "table" && !records.contains(object)
        guard !isTable, !definition.holdsData else {
          throw DatabaseError(
            .migrate, code: .misuse,
            "The table \(name) of the file differs from its declaration, and its rows would be lost: write a "
              + "step that keeps or drops them", table: name)
        }
        return (object.type, object.name)
      default: continue
      }
    }
    return nil
  }

  /// Returns a suggestion for declaring an object; nil for an ordinary table, which may belong to
  /// the user.
  func advice(declaring object: Object, in declared: DeclaredSchema) -> String? {
    let isDeclared = declared.objects.contains {
      $0.kind.type == object.type && $0.name.folded == object.name.folded
    }
    guard !isDeclared else { return nil }
    switch object.type {
    case "index":
      guard !object.sql.isEmpty,
        let model = declared.tables.first(where: { model in
          ([model.name] + model.formerNames).contains { $0.folded == object.table.folded }
        }), !model.indexes.contains(where: { $0.name.folded == object.name.folded })
      else { return nil }
      let index = IndexDefinition(name: object.name, table: object.table, sql: object.sql)
      return "Declare it on the model of \(model.name): "
        + "Index(\"\(object.name)\"\(index.isUnique ? ", unique: true" : "")) { … } in its indexes"
    case "table":
      // A virtual table has no root page.
      guard object.root == 0,
        !declared.tables.contains(where: { $0.name.folded == object.name.folded })
      else { return nil }
    default: break
    }
    return "Declare it in the objects of the schema"
  }

  private func isChanged(_ definition: SchemaObjectDefinition) -> Bool {
    object(of: definition).map { !definition.isDeclared(by: $0.sql) } ?? true
  }

  func changedObjects(_ definitions: [SchemaObjectDefinition]) -> [SchemaObjectDefinition] {
    definitions.filter(isChanged)
  }

  func kept(_ definitions: [SchemaObjectDefinition], in later: FileSchema)
    -> [SchemaObjectDefinition]
  { definitions.filter { !isChanged($0) && !later.isChanged($0) } }

  func missingObject(_ definitions: [SchemaObjectDefinition]) -> SchemaObjectDefinition? {
    definitions.first { object(of: $0) == nil }
  }
}
