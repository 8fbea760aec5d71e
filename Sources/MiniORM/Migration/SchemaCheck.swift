extension FileSchema {
  func differences(_ model: ModelTable) -> [SchemaReport.Difference] {
    let file: TableDefinition
    do throws(DatabaseError) {
      guard let found = try definition(model.name) else { return [.missingTable(model.name)] }
      file = found
    } catch {
      return [.notATable(model.name)]
    }
    let keys = { (table: ExactText) in
      table == model.name.folded ? model.definition.primaryKey : primaryKey(of: table.string)
    }
    return file.differences(from: model.definition, keys: keys) + indexDifferences(model)
  }

  private func indexDifferences(_ model: ModelTable) -> [SchemaReport.Difference] {
    var found = indexes(of: model.name)
    var differences: [SchemaReport.Difference] = []
    for index in model.indexes {
      let name = index.name.folded
      if let position = found.firstIndex(where: { $0.name.folded == name }) {
        let mine = found.remove(at: position)
        if mine.clause != index.clause {
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
