/// A view: a query that the database stores, and that other queries use like a table.
///
/// ```swift
/// let lines = DatabaseView("company_line", as: companies.leftJoin(cities).select {
///   CompanyLine.Columns(name: $0.name, city: $1.name)
/// })
/// try await database.migrate(DatabaseSchema(Company.self, City.self, objects: [lines]))
/// let inReims = try await lines.where { $0.city == "Reims" }.fetchAll(in: database)
/// ```
///
/// A row is a ``Selection`` or a model. A view is read-only, unless a ``Trigger`` handles writes.
///
/// See [CREATE VIEW](https://www.sqlite.org/lang_createview.html).
public struct DatabaseView<Columns: SourceColumns>: NamedSource, SchemaObject {
  /// The type of a row.
  @_documentation(visibility: internal)
  public typealias Output = Columns.Projected

  /// The view's name.
  public let name: String
  /// The view as the FROM clause of a query.
  @_documentation(visibility: internal)
  public let from: From<Columns, Columns.Projected>
  private let query: SelectClauses

  /// Creates a view of a query whose rows are a ``Selection`` or a model. The query's bound values
  /// become literals.
  public init<Row: Selection>(_ name: String, as query: some SelectStatement<Row>)
  where Columns == Row.Columns {
    self.name = name
    self.query = query.asSelect.clauses
    from = From(
      Row.columns(of: name), clauses: SelectClauses(from: SQL(table: name)),
      table: JoinedTable(name: name, model: Row.self as? any Model.Type))
  }

  /// The declaration of the view in the file.
  @_documentation(visibility: internal)
  public var definitions: [SchemaObjectDefinition] {
    get throws(DatabaseError) {
      if let problem = query.problem { throw problem.adding(operation: .migrate) }
      do throws(DatabaseError) {
        let text = try query.sql(namingColumns: true).statement.literalText()
        return [
          SchemaObjectDefinition(
            .view, name, body: "AS \(text)",
            probe: "SELECT * FROM \(name.quotedIdentifier)")
        ]
      } catch {
        throw error.adding(operation: .migrate, table: name)
      }
    }
  }
}
