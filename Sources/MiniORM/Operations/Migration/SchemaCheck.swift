extension FileSchema {
  /// Returns a model's differences. A table or a column with a former name counts as renamed, not
  /// as missing.
  func reported(_ model: ModelTable) -> [SchemaReport.Difference] {
    let former =
      object("table", model.name) == nil && object("view", model.name) == nil
      ? model.formerNames.first { object("table", $0) != nil } : nil
    var found = differences(model, in: former ?? model.name)
    let file = (try? definition(former ?? model.name)) ?? nil
    for (column, names) in model.formerColumns {
      let missing = found.firstIndex { difference in
        if case .missingColumn(_, let name) = difference { name.folded == column } else { false }
      }
      guard let missing, let wanted = model.definition.column(column),
        let mine = names.lazy.compactMap({ file?.column($0) }).first
      else { continue }
      let differences =
        [("name", mine.name, wanted.name)] + mine.properties(comparedWith: wanted)
        + formatDifference(model, column, from: mine.key, of: former ?? model.name)
      found.replaceSubrange(
        missing...missing,
        with: differences.map {
          .differentColumn(
            table: model.name, column: wanted.name, property: $0.0, file: $0.1,
            model: $0.2)
        })
      found.removeAll { difference in
        if case .extraColumn(_, let name) = difference { name.folded == mine.key } else { false }
      }
    }
    guard let former else { return found }
    return [
      .differentTable(table: model.name, property: "name", file: former, model: model.name)
    ] + found
  }

  func differences(_ model: ModelTable) -> [SchemaReport.Difference] {
    differences(model, in: model.name)
  }

  private func differences(_ model: ModelTable, in name: String) -> [SchemaReport.Difference] {
    // Fast path: a statement of MiniORM need not be parsed.
    if let object = object("table", name), object.sql.hasSameBytes(as: model.sql) {
      return formatDifferences(model, in: object, isKnown: true)
        + indexDifferences(model, in: name)
    }
    let file: TableDefinition
    do throws(DatabaseError) {
      guard let found = try definition(name) else { return [.missingTable(model.name)] }
      file = found
    } catch {
      return [.notATable(model.name)]
    }
    let keys = { (table: ExactText) in
      table == model.name.folded ? model.definition.primaryKey : primaryKey(of: table.string)
    }
    return file.differences(from: model.definition, keys: keys)
      + (object("table", name).map { formatDifferences(model, in: $0, isKnown: false) } ?? [])
      + indexDifferences(model, in: name)
  }

  private func formatDifferences(
    _ model: ModelTable, in object: Object, isKnown: Bool
  ) -> [SchemaReport.Difference] {
    let recorded = records.formats(in: object, isKnown: isKnown)
    guard !recorded.isEmpty else { return [] }
    return model.create.columns.compactMap { column in
      guard let mine = recorded[column.name.folded]?.format, let wanted = column.format,
        mine != wanted
      else { return nil }
      return .differentColumn(
        table: model.name, column: column.name, property: "format", file: mine.name.string,
        model: wanted.name.string)
    }
  }

  private func formatDifference(
    _ model: ModelTable, _ column: ExactText, from former: ExactText, of table: String
  ) -> [(property: String, file: String, model: String)] {
    guard let object = object("table", table), let mine = records.formats(in: object)[former]?.format,
      let wanted = model.column(column)?.format, mine != wanted
    else { return [] }
    return [("format", mine.name.string, wanted.name.string)]
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
}
