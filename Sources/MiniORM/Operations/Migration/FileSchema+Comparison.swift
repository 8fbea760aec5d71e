// The differences between a file and the models.
extension FileSchema {
  func report(_ declared: DeclaredSchema) -> SchemaReport {
    SchemaReport(
      differences: declared.tables.flatMap { reported($0, among: declared.tables) }
        + objectDifferences(declared.objects))
  }

  /// A table with a former name counts as renamed, not as missing.
  private func reported(_ model: ModelTable, among models: [ModelTable])
    -> [SchemaReport.Difference]
  {
    let former =
      object("table", model.name) == nil && object("view", model.name) == nil
      ? model.formerNames.first { object("table", $0) != nil } : nil
    let second = formerTable(beside: model, models)
    let name = (former ?? second.map { "\(model.name) and \($0)" }).map {
      SchemaReport.Difference.differentTable(
        table: model.name, property: "name", file: $0, model: model.name)
    }
    return (name.map { [$0] } ?? []) + differences(model, in: former ?? model.name)
  }

  /// Returns the table with a former name of a model whose own table exists too. A different model
  /// may now have the former name.
  func formerTable(beside model: ModelTable, _ models: [ModelTable]) -> String? {
    guard !model.formerNames.isEmpty, object("table", model.name) != nil else { return nil }
    return model.formerNames.first { former in
      object("table", former) != nil && !models.contains { $0.name.folded == former.folded }
    }
  }

  func differences(_ model: ModelTable) -> [SchemaReport.Difference] {
    differences(model, in: model.name)
  }

  private func differences(_ model: ModelTable, in name: String) -> [SchemaReport.Difference] {
    let object = object("table", name)
    // A statement of MiniORM need not be parsed.
    let isKnown = object?.sql.hasSameBytes(as: model.sql) ?? false
    var found: [SchemaReport.Difference] = []
    if !isKnown {
      do throws(DatabaseError) {
        guard let table = try definition(of: model, in: name) else {
          return [.missingTable(model.name)]
        }
        found = table.differences(from: model.definition, renamedFrom: model.formerColumns) {
          $0 == model.name.folded ? model.definition.primaryKey : primaryKey(of: $0.string)
        }
      } catch {
        return [.notATable(model.name)]
      }
    }
    return found + (object.map { formatDifferences(model, in: $0, isKnown: isKnown) } ?? [])
      + indexDifferences(model, in: name)
  }

  /// Returns the definition of a model's table, without the foreign keys that are kept.
  func definition(
    of model: ModelTable, in name: String? = nil
  ) throws(DatabaseError) -> TableDefinition? {
    var table = try definition(name ?? model.name)
    table?.foreignKeys.subtract(model.keptKeys.map(\.key))
    return table
  }

  private func formatDifferences(
    _ model: ModelTable, in object: Object, isKnown: Bool
  ) -> [SchemaReport.Difference] {
    let recorded = records.formats(in: object, isKnown: isKnown)
    guard !recorded.isEmpty else { return [] }
    let columns = Set(model.create.columns.map(\.name.folded))
    return model.create.columns.compactMap { column in
      let names =
        [column.name.folded] + column.formerNames.map(\.folded).filter { !columns.contains($0) }
      guard let mine = names.lazy.compactMap({ recorded[$0]?.format }).first,
        let wanted = column.format, mine != wanted
      else { return nil }
      return .differentColumn(
        table: model.name, column: column.name, property: "format", file: mine.name.string,
        model: wanted.name.string)
    }
  }

  private func indexDifferences(
    _ model: ModelTable, in name: String
  ) -> [SchemaReport.Difference] {
    var found = indexes(of: name)
    var differences: [SchemaReport.Difference] = []
    for index in model.indexes {
      let name = index.name.folded
      if let position = found.firstIndex(where: { $0.name.folded == name }) {
        let mine = found.remove(at: position)
        if !mine.hasSameClause(as: index) {
          differences.append(
            .differentIndex(
              table: model.name, index: index.name, file: mine.clause.text, model: index.clause.text
            ))
        }
      } else {
        differences.append(.missingIndex(table: model.name, index: index.name))
      }
    }
    return differences + found.map { .extraIndex(table: model.name, index: $0.name) }
  }

  // MARK: Objects

  /// Returns the file's object for a definition. A trigger may have the name of a table or a view.
  func object(of definition: SchemaObjectDefinition) -> Object? {
    definition.kind == .trigger
      ? object("trigger", definition.name)
      : object("view", definition.name) ?? object("table", definition.name)
  }

  private func objectDifferences(
    _ definitions: [SchemaObjectDefinition]
  ) -> [SchemaReport.Difference] {
    definitions.compactMap { definition -> SchemaReport.Difference? in
      let (type, name) = (definition.kind.type, definition.name)
      guard let object = object(of: definition) else {
        return .missingObject(type: type, name: name)
      }
      return isChanged(definition)
        ? .differentObject(type: type, name: name, file: object.sql, model: definition.sql) : nil
    } + extraObjects(definitions).map { .extraObject(type: $0.type, name: $0.name) }
  }

  /// Returns MiniORM's objects that are not declared.
  private func extraObjects(_ definitions: [SchemaObjectDefinition]) -> [Object] {
    let declared = Set(definitions.map { FileRecords.Object($0.kind.type, $0.name) })
    return objects.filter { object in
      object.type != "index" && records.contains(object)
        && !declared.contains(FileRecords.Object(object.type, object.name))
    }
  }

  /// Returns the next object to drop, undeclared or declared differently.
  /// - Throws: ``DatabaseError`` if rows would be lost.
  func obsoleteObject(
    _ definitions: [SchemaObjectDefinition]
  ) throws(DatabaseError) -> (type: String, name: String)? {
    let existing = definitions.compactMap { definition in
      object(of: definition).map { object in
        (definition, object, mayHoldRows: object.type == "table" && !records.contains(object))
      }
    }
    // A trigger that uses a virtual table is dropped before the virtual table: afterwards, the
    // trigger would prevent changes to the trigger's own table.
    for (definition, _, mayHoldRows) in existing where definition.owner != nil && !mayHoldRows {
      let isOfChanged = definitions.contains {
        $0.kind == .virtualTable && definition.owner?.hasSameBytes(as: $0.name) ?? false
          && isChanged($0)
      }
      if isOfChanged { return (definition.kind.type, definition.name) }
    }
    for (definition, object, mayHoldRows) in existing where isChanged(definition) {
      guard !mayHoldRows, !definition.holdsData else {
        throw DatabaseError(
          .migrate, code: .misuse,
          "The table \(definition.name) of the file differs from its declaration, and its rows would be "
            + "lost: write a step that keeps or drops them", table: definition.name)
      }
      return (object.type, object.name)
    }
    return extraObjects(definitions).first.map { ($0.type, $0.name) }
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
