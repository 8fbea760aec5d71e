/// A row whose columns no model describes, copied out of the database.
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

  /// The value of a column, or `nil` when the result has none of that name.
  /// - Parameter name: The column's name in the result. Of several with one name, the first.
  public subscript(name: String) -> DatabaseValue? {
    header.positions[ExactText(name)].map { values[$0] }
  }
}

extension ResultRow: Equatable {
  /// Whether two rows have the same columns and values.
  public static func == (left: ResultRow, right: ResultRow) -> Bool {
    left.header.exactNames == right.header.exactNames && left.values == right.values
  }
}
