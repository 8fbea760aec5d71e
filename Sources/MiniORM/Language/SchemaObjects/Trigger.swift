/// A trigger: statements that the database runs when rows of a table change.
///
/// ```swift
/// let counted = Trigger("company_counted", .after, insertInto: companies) { company in
///   [cities.where { $0.id == company.cityID }.update { $0.companyCount += 1 }.sql]
/// }
/// try await database.migrate(DatabaseSchema(Company.self, City.self, objects: [counted]))
/// ```
///
/// A statement is the SQL of a change such as ``Update``, or raw SQL, and cannot begin with a WITH
/// clause. Bound values become literals in the trigger.
///
/// See [CREATE TRIGGER](https://www.sqlite.org/lang_createtrigger.html).
public struct Trigger: SchemaObject {
  /// When the statements run.
  public enum Timing: String, Sendable {
    /// Before the row changes.
    case before = "BEFORE"
    /// After the row has changed.
    case after = "AFTER"
    /// Instead of the change. Only a ``DatabaseView`` supports this timing.
    case insteadOf = "INSTEAD OF"
  }

  /// The trigger's name.
  public let name: String
  private let event: String
  private let probe: String
  private let condition: SQL?
  private let statements: [SQL]
  private let problem: DatabaseError?

  private init<Columns, Row>(
    _ name: String, _ timing: Timing, _ change: String, of updated: [String] = [],
    on source: From<Columns, Row>,
    _ condition: SQL?, _ statements: [SQL]
  ) {
    self.name = name
    let table = source.clauses.from.text
    let list = updated.map(\.quotedIdentifier).joined(separator: ", ")
    event =
      "\(timing.rawValue) \(change)\(list.isEmpty ? "" : " OF \(list)") ON \(table)"
    (self.condition, self.statements) = (condition, statements)
    switch change {
    case "INSERT": probe = "INSERT INTO \(table) DEFAULT VALUES"
    case "DELETE": probe = "DELETE FROM \(table)"
    default:
      let stored = source.tables.first?.schema?.columns.filter { $0.generated == nil }.map(\.name)
      let columns =
        updated.isEmpty
        ? (stored ?? source.resultColumns.compactMap(\.name)).prefix(1) : updated[...]
      let assignments = columns.map { "\($0.quotedIdentifier) = NULL" }.joined(separator: ", ")
      probe = "UPDATE \(table) SET \(assignments)"
    }
    problem =
      source.isWholeTable
      ? nil
      : DatabaseError(
        .migrate, code: .misuse,
        "The trigger \(name) is created on filtered rows: use the whole table or view, with unscoped() if the model has a default scope, and pass the condition to when:"
      )
  }

  /// Creates a trigger that runs statements for each inserted row.
  /// - Parameters:
  ///   - name: The trigger's name.
  ///   - timing: When the statements run.
  ///   - source: The table without conditions, or the view. A trigger runs for every row: call
  ///     ``Table/unscoped()`` for a model with a default scope.
  ///   - condition: A closure that takes the new row's columns and returns the condition for
  ///     running the statements.
  ///   - statements: A closure that takes the new row's columns and returns the statements.
  public init<Columns>(
    _ name: String, _ timing: Timing, insertInto source: some Source<Columns>,
    when condition: ((AliasedColumns<Columns>) -> any SQLCondition)? = nil,
    _ statements: (_ new: AliasedColumns<Columns>) -> [SQL]
  ) {
    let from = source.from
    let new = AliasedColumns(from.columns, as: "new")
    self.init(
      name, timing, "INSERT", on: from, condition?(new).sql, statements(new))
  }

  /// Creates a trigger that runs statements for each deleted row. The closures take the old row's
  /// columns. See ``init(_:_:insertInto:when:_:)``.
  public init<Columns>(
    _ name: String, _ timing: Timing, deleteFrom source: some Source<Columns>,
    when condition: ((AliasedColumns<Columns>) -> any SQLCondition)? = nil,
    _ statements: (_ old: AliasedColumns<Columns>) -> [SQL]
  ) {
    let from = source.from
    let old = AliasedColumns(from.columns, as: "old")
    self.init(
      name, timing, "DELETE", on: from, condition?(old).sql, statements(old))
  }

  /// Creates a trigger that runs statements for each updated row.
  ///
  /// With `columns`, a closure that returns a column or a tuple of columns, the trigger runs only if
  /// the UPDATE sets any of these columns. The other closures take the columns of the old and the
  /// new row. See ``init(_:_:insertInto:when:_:)``.
  public init<Columns>(
    _ name: String, _ timing: Timing, update source: some Source<Columns>,
    @ExpressionBuilder of columns: (Columns) -> [Ordering] = { _ in return [] },
    when condition: (
      (_ old: AliasedColumns<Columns>, _ new: AliasedColumns<Columns>) -> any SQLCondition
    )? = nil,
    _ statements: (_ old: AliasedColumns<Columns>, _ new: AliasedColumns<Columns>) -> [SQL]
  ) {
    let from = source.from
    let old = AliasedColumns(from.columns, as: "old")
    let new = AliasedColumns(from.columns, as: "new")
    self.init(
      name, timing, "UPDATE", of: columns(from.columns).map(\.name), on: from,
      condition?(old, new).sql, statements(old, new))
  }

  /// The declaration of the trigger in the file.
  @_documentation(visibility: internal)
  public var definitions: [SchemaObjectDefinition] {
    get throws(DatabaseError) {
      if let problem { throw problem }
      do throws(DatabaseError) {
        var body = event
        if let condition { body += " WHEN \(try condition.literalText())" }
        let statements = try statements.map { sql throws(DatabaseError) in
          let text = try sql.statement.literalText()
          guard !text.isEmpty else {
            throw DatabaseError(
              .migrate, code: .misuse, "A statement of the trigger \(name) is empty: remove it")
          }
          return text + "; "
        }
        guard !statements.isEmpty else {
          throw DatabaseError(
            .migrate, code: .misuse, "The trigger \(name) has no statements: add a statement")
        }
        body += " BEGIN \(statements.joined())END"
        return [SchemaObjectDefinition(.trigger, name, body: body, probe: probe)]
      } catch {
        throw error.adding(operation: .migrate)
      }
    }
  }
}

extension From {
  fileprivate var isWholeTable: Bool {
    tables.count == 1 && clauses.isFilter && clauses.ordering.isEmpty && clauses.condition == nil
  }
}
