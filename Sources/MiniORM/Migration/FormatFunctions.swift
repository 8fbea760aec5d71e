/// The SQL functions with which a migration converts and reads values, as only Swift can.
enum FormatFunctions {
  static let convert = "miniorm_convert"
  static let reads = "miniorm_reads"

  /// Returns the functions for a migration to models.
  static func all(for declared: DeclaredSchema) -> [SQLFunctionDefinition] {
    [conversion, reading(declared)]
  }

  /// A value in another format, by the names of both formats; NULL if no value of it is equal.
  private static let conversion = SQLFunctionDefinition(
    name: convert, argumentCount: 3, isDeterministic: true, isInnocuous: false,
    kind: .scalar { arguments in
      let value = try arguments.value(DatabaseValue.self, at: 0)
      guard value != .null else { return .null }
      let from = ColumnFormat(name: try arguments.value(String.self, at: 1))
      let to = ColumnFormat(name: try arguments.value(String.self, at: 2))
      guard from.conversion(to: to) == .computed else { return .null }
      return from.convert(value, to: to) ?? .null
    })

  /// Whether a model reads a value, by the names of its table and the column.
  private static func reading(_ declared: DeclaredSchema) -> SQLFunctionDefinition {
    let columns = Dictionary(
      declared.tables.map { model in
        (
          model.name,
          Dictionary(
            model.create.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        )
      }, uniquingKeysWith: { first, _ in first })
    return SQLFunctionDefinition(
      name: reads, argumentCount: 3, isDeterministic: true, isInnocuous: false,
      kind: .scalar { arguments in
        let table = try arguments.value(String.self, at: 1)
        let column = try arguments.value(String.self, at: 2)
        return .integer(columns[table]?[column]?.canRead(arguments) ?? true ? 1 : 0)
      })
  }
}
