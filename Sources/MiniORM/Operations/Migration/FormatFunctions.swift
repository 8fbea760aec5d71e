enum FormatFunctions {
  static let convert = "miniorm_convert"
  static let reads = "miniorm_reads"
  static let canonical = "miniorm_canonical"

  static func all(for declared: DeclaredSchema) -> [SQLFunctionDefinition] {
    [conversion, reading(declared), respelling]
  }

  /// Converts a value. Arguments 2 and 3 name the formats. Returns NULL if there is no equal value.
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

  /// Returns a value as MiniORM writes it. Argument 2 names the format. An unreadable value is not
  /// changed.
  private static let respelling = SQLFunctionDefinition(
    name: canonical, argumentCount: 2, isDeterministic: true, isInnocuous: false,
    kind: .scalar { arguments in
      let value = try arguments.value(DatabaseValue.self, at: 0)
      let format = ColumnFormat(name: try arguments.value(String.self, at: 1))
      guard value != .null, let type = format.spelledType else { return value }
      func respelled<Value: ColumnValue>(_ type: Value.Type) -> DatabaseValue {
        (try? DatabaseValue(storing: arguments.value(type, at: 0))) ?? value
      }
      return respelled(type)
    })

  /// True if a model can read a value. Arguments 2 and 3 name the table and the column.
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
