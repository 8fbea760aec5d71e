/// An index of a table.
///
/// ```swift
/// Index(unique: true, where: { $0.founded != nil }) { ($0.cityID, $0.founded.descending) }
/// ```
///
/// See [CREATE INDEX](https://www.sqlite.org/lang_createindex.html).
public struct Index<T: Model>: Sendable {
  let name: String
  let isUnique: Bool
  private let terms: [Ordering]
  let condition: SQL?

  /// Creates an index on columns or expressions.
  /// - Parameters:
  ///   - name: The index's name. The default contains the names of the table and the columns.
  ///   - unique: Whether the values must be unique.
  ///   - condition: The condition of the rows in the index; by default, all rows.
  ///   - columns: A closure that takes the table's columns and returns a column, with or without a
  ///     direction, or a tuple of columns.
  public init(
    _ name: String? = nil, unique: Bool = false,
    where condition: ((T.Columns) -> any SQLCondition)? = nil,
    @OrderBuilder on columns: (T.Columns) -> [Ordering]
  ) {
    terms = columns(T.columns)
    let words = terms.map { $0.column ?? "expression" }
    self.name = name ?? "index_\(T.schema.name)_on_\(words.joined(separator: "_"))"
    isUnique = unique
    self.condition = condition.map { $0(T.columns).sql }
  }

  func createSQL() throws(DatabaseError) -> String {
    var columns: [String] = []
    for term in terms { columns.append(try term.indexed(table: T.schema.name)) }
    let filter = try condition?.literalText(columnsOf: T.schema.name)
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name.quotedIdentifier) ON "
      + "\(T.schema.name.quotedIdentifier) (\(columns.joined(separator: ", ")))"
      + (filter.map { " WHERE \($0)" } ?? "")
  }

  /// Returns a unique index's terms and condition for a row, or nil if the index is not unique.
  /// - Parameter row: The row's name: the table's name, or OLD or NEW in a trigger.
  func uniqueTerms(of row: String) throws(DatabaseError) -> (terms: [String], condition: String?)? {
    guard isUnique else { return nil }
    func text(_ sql: SQL) throws(DatabaseError) -> String {
      try sql.literalText(columnsOf: T.schema.name, qualifiedBy: "\(row).")
    }
    var texts: [String] = []
    for term in terms { texts.append(try text(term.expression)) }
    var condition: String?
    if let filter = self.condition { condition = "(\(try text(filter)))" }
    return (texts, condition)
  }
}
