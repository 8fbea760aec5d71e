/// A row without a model, copied out of the database.
public struct ResultRow: Sendable {
  final class Header: Sendable {
    let names: [String]
    let positions: [ExactText: Int]

    var exactNames: [ExactText] { names.map { ExactText($0) } }

    init(_ names: [String]) {
      self.names = names
      positions = Dictionary(
        names.enumerated().map { (ExactText($1), $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  let header: Header

  /// The values, in the order of the result's columns.
  public let values: [DatabaseValue]

  /// The names of the columns.
  public var columnNames: [String] { header.names }

  /// Returns the value of a column, or `nil` if the result has no such column.
  /// - Parameter name: The name in the result. If several columns have the name, the first is used.
  public subscript(name: String) -> DatabaseValue? {
    header.positions[ExactText(name)].map { values[$0] }
  }
}

extension ResultRow {
  /// Returns the value of a column, or `nil` if the result has fewer columns.
  /// - Parameter index: The index in the result, from 0.
  public subscript(index: Int) -> DatabaseValue? {
    values.indices.contains(index) ? values[index] : nil
  }

  /// Returns the value of a column, converted to a type. If several columns have the name, the
  /// first is used. For a value that can be NULL, pass an optional type.
  ///
  /// ```swift
  /// let name = try row["name", as: String.self]
  /// ```
  /// - Throws: ``DatabaseError`` with the operation `read` and the column's name if the result has
  ///   no such column, or the value cannot be converted.
  public subscript<Value: ColumnValue>(name: String, as type: Value.Type) -> Value {
    get throws(DatabaseError) {
      guard let index = header.positions[ExactText(name)] else {
        throw DatabaseError(
          .read, code: .range, "The result has no column \(name): select it, or correct the name",
          column: name)
      }
      return try read(index, as: type)
    }
  }

  /// Returns the value of a column, converted to a type. The index begins at 0. For a value that
  /// can be NULL, pass an optional type.
  /// - Throws: ``DatabaseError`` with the operation `read` if the result has fewer columns, or with
  ///   the column's name if the value cannot be converted.
  public subscript<Value: ColumnValue>(index: Int, as type: Value.Type) -> Value {
    get throws(DatabaseError) {
      guard values.indices.contains(index) else {
        throw DatabaseError(
          .read, code: .range,
          "The result has no column at index \(index): it has \(values.count) columns, counted from 0"
        )
      }
      return try read(index, as: type)
    }
  }

  private func read<Value: ColumnValue>(_ index: Int, as type: Value.Type) throws(DatabaseError)
    -> Value
  {
    do throws(DatabaseError) {
      return try values[index].value(as: type)
    } catch {
      let name = header.names[index]
      throw DatabaseError(
        error.operation, code: error.code, "\(error.message) in column \(name)", column: name)
    }
  }
}

extension ResultRow: CustomStringConvertible {
  /// The names and values, for example `[name: 'Acme', size: 7, founded: NULL]`.
  public var description: String {
    let columns = zip(header.names, values).map { "\($0): \($1)" }
    return "[\(columns.joined(separator: ", "))]"
  }
}

extension ResultRow: Equatable {
  /// Returns whether two rows have the same columns and values.
  @_documentation(visibility: internal)
  public static func == (left: ResultRow, right: ResultRow) -> Bool {
    left.header.exactNames == right.header.exactNames && left.values == right.values
  }
}
