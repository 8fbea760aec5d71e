/// An INSERT of rows, of a query's rows, or of default values only.
///
/// ```swift
/// try await archive.insert(from: companies.where { $0.size == 0 }).or(.ignore).run(in: database)
/// ```
///
/// See [INSERT](https://www.sqlite.org/lang_insert.html).
public struct Insert<T: Model>: Change {
  let rows: InsertedRows
  private var resolution: ConflictResolution?
  var conflicts = Conflicts()

  var problem: DatabaseError? { conflicts.problem ?? rows.problem }

  init(
    into table: Table<T>, _ columns: [ColumnSchema], _ source: InsertedRows.Source,
    problem: DatabaseError? = nil
  ) {
    self.init(into: table, list: columns.map(\.quotedName).list, source, problem: problem)
  }

  /// - Parameter list: The names of the columns, with parentheses.
  fileprivate init(
    into table: Table<T>, list: String, _ source: InsertedRows.Source,
    problem: DatabaseError? = nil
  ) {
    rows = InsertedRows(
      into: table.schema.source + list, source, problem: table.insertionProblem ?? problem)
  }

  /// Sets the effect of a constraint violation, as in `.or(.ignore)`.
  ///
  /// An `onConflict` clause that names the violated constraint takes precedence.
  public func or(_ resolution: ConflictResolution) -> Insert {
    var insert = self
    insert.resolution = resolution
    return insert
  }

  /// The statement of the change.
  @_documentation(visibility: internal)
  public var asStatement: ChangeStatement<T> {
    var problem = problem
    let parts = rows.statements(resolution, conflicts.last, &problem)
    return ChangeStatement(parts: parts, resolution: resolution, problem: problem)
  }
}

extension Table {
  /// The error if the table has conditions, which an insertion cannot apply.
  fileprivate var insertionProblem: DatabaseError? {
    guard !isWhole else { return nil }
    do throws(DatabaseError) {
      try checkInsertable()
      return nil
    } catch {
      return error
    }
  }
}

final class InsertedRows: Sendable {
  enum Source: Sendable {
    /// `(?, ?)` for each row.
    case values([SQL])
    case select(SelectClauses)
    /// The number of rows of DEFAULT VALUES.
    case defaults(Int)
  }

  /// The table, and the list of columns.
  private let target: String
  private let source: Source
  let problem: DatabaseError?

  init(into target: String, _ source: Source, problem: DatabaseError?) {
    (self.target, self.source, self.problem) = (target, source, problem)
  }

  func statements(
    _ resolution: ConflictResolution?, _ conflict: ConflictClause?,
    _ problem: inout DatabaseError?
  ) -> [SQL] {
    let head = "INSERT \(resolution.map { "OR \($0.rawValue) " } ?? "")INTO \(target)"
    switch source {
    case .defaults(let count):
      if conflict != nil {
        problem = problem ?? .query("SQLite has no ON CONFLICT for DEFAULT VALUES: use or(_:)")
      }
      return Array(repeating: SQL(raw: "\(head) DEFAULT VALUES"), count: count)
    case .values(let rows):
      return Self.split(rows, before: conflict).map { rows in
        var sql = SQL(capacity: 16)
        sql.append(head)
        for (index, row) in rows.enumerated() {
          sql.append(index == 0 ? " VALUES " : ", ")
          sql.append(row)
        }
        conflict?.append(to: &sql)
        return sql
      }
    case .select(var clauses):
      if conflict != nil { clauses.endBeforeConflict() }
      problem = problem ?? clauses.problem
      var sql = SQL(raw: "\(head) ").appending(clauses.sql)
      conflict?.append(to: &sql)
      return [sql]
    }
  }

  private static func split(_ rows: [SQL], before conflict: ConflictClause?) -> [[SQL]] {
    guard rows.count > 1 else { return rows.isEmpty ? [] : [rows] }
    var tail = SQL(segments: [])
    conflict?.append(to: &tail)
    // Every build of SQLite allows 32,000 parameters. RETURNING may have a few of its own.
    let limit = 32_000 - tail.parameterCount
    var parts: [[SQL]] = []
    var count = 0
    for row in rows {
      count += row.parameterCount
      if parts.isEmpty || count > limit {
        parts.append([])
        count = row.parameterCount
      }
      parts[parts.count - 1].append(row)
    }
    return parts
  }
}

extension SelectClauses {
  /// Ends the text so that ON CONFLICT can follow. After a table's name, SQLite would parse ON as
  /// the ON of a join. See "Parsing Ambiguity" in
  /// [UPSERT](https://www.sqlite.org/lang_upsert.html).
  fileprivate mutating func endBeforeConflict() {
    guard ordering.isEmpty, limit == nil else { return }
    if !compounds.isEmpty {
      var outer = SelectClauses(from: SQL(raw: "(").appending(sql, SQL(raw: ")")))
      outer.columns = [ResultColumn(SQL(raw: "*"), name: nil)]
      outer.record(problem)
      self = outer
    }
    if condition == nil, grouping.isEmpty, having == nil { condition = SQL(raw: "TRUE") }
  }
}

extension Table {
  /// Returns an insertion of a row. Nothing is inserted until the insertion runs.
  ///
  /// ```swift
  /// try await companies.insert(Company.Draft(name: "Acme"))
  ///   .onConflict { $0.name } update: { row, new in row.size = new.size }
  ///   .run(in: database)
  /// ```
  /// ``insert(_:in:)-(Row,Database)`` inserts a row immediately.
  /// - Parameter row: A draft, or a model with its key. The database assigns a draft's rowid.
  public func insert<Row: Insertable>(_ row: Row) -> Insert<T> where Row.Stored == T {
    insert(contentsOf: CollectionOfOne(row))
  }

  /// Returns an insertion of rows. Nothing is inserted until the insertion runs.
  ///
  /// The SQL has a parameter for each value. Beyond SQLite's limit of parameters, the rows are
  /// split into several statements. For many rows, ``insert(contentsOf:in:)-(_,Database)`` is
  /// faster.
  /// - Parameter rows: Drafts or models, which may be empty.
  /// - Complexity: O(*n*) in the number of values, which are stored.
  public func insert<Rows: Collection>(contentsOf rows: Rows) -> Insert<T>
  where Rows.Element: Insertable, Rows.Element.Stored == T {
    let insertion = schema.insertion(of: Rows.Element.self)
    guard !insertion.columns.isEmpty else {
      return Insert(into: self, [], .defaults(rows.count))
    }
    let schema = schema
    let values = rows.map { row in
      SQL(segments: [.parameter(.row(InsertedRow(row, insertion, into: schema)))])
    }
    return Insert(into: self, list: insertion.list, .values(values))
  }

  /// Returns an insertion of a row of the table's declared defaults: DEFAULT VALUES.
  public func insertDefaultValues() -> Insert<T> { Insert(into: self, [], .defaults(1)) }

  /// Returns an insertion of a row whose values are expressions.
  ///
  /// ```swift
  /// companies.insert { $0.name = "Acme"; $0.size = companies.select { $0.size.max() }.scalar() ?? 0 }
  /// ```
  /// - Parameter values: A closure that assigns to columns, and cannot read columns. Running the
  ///   insertion throws if the closure assigns nothing. Other columns take the defaults.
  public func insert(_ values: (inout Assignments<T>) -> Void) -> Insert<T> {
    let assignments = Assignments<T>.made(for: Table(scope: nil), by: values)
    guard !assignments.columns.isEmpty else {
      return Insert(
        into: self, [], .defaults(1),
        problem: .nothingAssigned("insert", "; insertDefaultValues() inserts the defaults"))
    }
    return Insert(
      into: self, list: assignments.columns.map(\.name).list,
      .values([.list(assignments.columns.map { SQL($0.value) })]), problem: assignments.problem)
  }
}

final class InsertedRow: InsertedValues {
  private let row: any Insertable
  private let insertion: Insertion
  private let table: TableSchema

  init(
    _ row: consuming any Insertable, _ insertion: consuming Insertion,
    into table: consuming TableSchema
  ) {
    self.row = row
    self.insertion = insertion
    self.table = table
  }

  var count: Int { insertion.columns.count }
  var text: String { insertion.row }

  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError) {
    do throws(DatabaseError) {
      try row.bind(to: statement, at: first)
    } catch {
      throw error.adding(table: table.name, rowType: String(describing: type(of: row)))
    }
  }

  var segments: [SQL.Segment] {
    get throws(DatabaseError) {
      let columns = insertion.columns
      let rows = try EchoDatabase.values(count: columns.count, of: CollectionOfOne(self)) {
        (row, statement) throws(DatabaseError) in try row.bind(to: statement, at: 1)
      }
      let values = zip(columns, rows.first ?? []).map { column, value in
        insertion.isDraft ? column.drafted(value) : SQL(binding: value)
      }
      return SQL.list(values).segments
    }
  }
}

extension ColumnSchema {
  fileprivate func drafted(_ value: DatabaseValue) -> SQL {
    let sql = SQL(binding: value)
    guard isDefaultedByDatabase else { return sql }
    return .call("ifnull", [sql, SQL(raw: "(\(defaultSQL ?? "NULL"))")])
  }
}
