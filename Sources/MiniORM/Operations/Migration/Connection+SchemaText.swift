extension Connection {
  /// Returns the schema of the file as ``SchemaText``. Equal schemas have equal texts, except for
  /// the order of a table's columns.
  package func schemaText() throws(DatabaseError) -> String {
    let state = try migrationState()
    let file = state.file
    let objects = file.objects.filter { !$0.sql.isEmpty }.sorted {
      $0.name.folded < $1.name.folded
    }
    let shadows = Set(
      objects.filter { $0.type == "table" }.flatMap {
        VirtualTable($0.name, sql: $0.sql).shadowTables.map(\.folded)
      })
    func text(_ object: FileSchema.Object) -> String {
      let formats = file.records.formats(in: object)
      let isForeign = formats.isEmpty && !file.records.contains(object)
      let mark = isForeign ? SchemaText.foreign + "\n" : ""
      guard object.type == "table", object.root != 0,
        let definition = try? TableDefinition(parsing: object.sql)
      else { return mark + object.sql + ";" }
      return mark
        + SchemaText.Table(object.sql).text { index in
          guard definition.columns.indices.contains(index) else { return nil }
          return formats[definition.columns[index].key]?.format.description
        } + ";"
    }
    var parts: [String] = []
    for table in objects where table.type == "table" && !shadows.contains(table.name.folded) {
      let indexes = objects.filter {
        $0.type == "index" && $0.table.folded == table.name.folded
      }
      parts.append(([table] + indexes).map(text).joined(separator: "\n"))
    }
    parts += objects.filter { $0.type == "view" }.map(text)
    parts += objects.filter { $0.type == "trigger" }.map(text)
    let steps = state.history?.steps ?? [:]
    let head =
      ["\(SchemaText.version)\(state.version)"]
      + steps.sorted { $0.key < $1.key }.map { version, name in
        "\(SchemaText.step)\(version): "
          + name.split(whereSeparator: \.isNewline).joined(separator: " ")
      }
    let rest = parts.map { "\n\n" + $0 }.joined() + "\n"
    let checksum = SchemaText.checksum(of: head.joined(separator: "\n") + rest)
    return (head + [SchemaText.checksum + checksum]).joined(separator: "\n") + rest
  }
}
