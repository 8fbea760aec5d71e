/// An INSERT of rows, of the rows of a query, or of nothing but defaults.
///
/// ```swift
/// try await archive.insert(from: companies.where { $0.size == 0 }).or(.ignore).run(in: database)
/// ```
///
/// See [INSERT](https://www.sqlite.org/lang_insert.html).
public struct Insert<T: Model>: Change {
  enum Source: Sendable {
    /// `(?, ?)` for each row.
    case values([SQL])
    case select(SelectClauses)
    /// DEFAULT VALUES, for a number of rows.
    case defaults(Int)
  }

  /// The table, with the name of its database if it is attached.
  let target: String
  /// The columns that are given values, quoted.
  var columns: [String]
  /// "INSERT INTO table (columns) VALUES ", where that is known.
  private var start: String?
  let source: Source
  var resolution: ConflictResolution?
  var conflicts: [SQL] = []
  var conflictTargets: [ConflictTarget] = []
  var problem: DatabaseError?

  init(
    into table: Table<T>, _ columns: [ColumnSchema], _ source: Source,
    problem: DatabaseError? = nil
  ) {
    target = table.schema.source
    self.columns = columns.map(\.name.quotedIdentifier)
    self.source = source
    self.problem = problem
    do throws(DatabaseError) {
      try table.checkInsertable()
    } catch {
      self.problem = error
    }
  }

  private init(into table: Table<T>, _ insertion: Insertion, _ rows: [SQL]) {
    self.init(into: table, [], .values(rows))
    (columns, start) = (insertion.columnNames, insertion.start)
  }

  fileprivate init<Rows: Collection>(
    into table: Table<T>, _ insertion: Insertion, rows: Rows
  ) where Rows.Element: Insertable {
    self.init(
      into: table, insertion,
      rows.map { row in
        SQL(segments: [.row(InsertedRow(row, insertion, T.schema.name))])
      })
  }

  /// Sets what happens to a row that violates a constraint: OR IGNORE and so on.
  ///
  /// If an `onConflict` names the violated constraint, that applies instead.
  /// - Parameter resolution: What happens to the row.
  public func or(_ resolution: ConflictResolution) -> Insert {
    var insert = self
    insert.resolution = resolution
    insert.start = nil
    return insert
  }

  /// The statement that runs.
  public var asStatement: ChangeStatement<T> {
    var statement = ChangeStatement<T>(parts: [], resolution: resolution, problem: problem)
    switch source {
    case .values(let rows) where start != nil && rows.count == 1:
      var sql = SQL(capacity: 2 + conflicts.reduce(0) { $0 + $1.parts.count })
      if let start { sql.append(start) }
      sql.append(rows[0])
      for conflict in conflicts { sql.append(conflict) }
      statement.parts = [sql]
      return statement
    default: break
    }
    let head = "INSERT \(resolution.map { "OR \($0.rawValue) " } ?? "")INTO \(target)"
    let list = columns.isEmpty ? "" : " (\(columns.joined(separator: ", ")))"
    let tail = SQL.joined(conflicts, separator: "")
    switch source {
    case .defaults(let count):
      if !conflicts.isEmpty {
        statement.problem =
          statement.problem
          ?? .query("SQLite has no ON CONFLICT for DEFAULT VALUES: use or(_:)")
      }
      statement.parts = Array(repeating: SQL(raw: "\(head) DEFAULT VALUES"), count: count)
    case .values(let rows):
      for rows in Self.split(rows, besides: tail.parameterCount) {
        statement.parts.append(
          SQL(raw: "\(head)\(list) VALUES ").appending(.joined(rows, separator: ", "), tail))
      }
    case .select(var clauses):
      if !conflicts.isEmpty { clauses.endBeforeConflict() }
      statement.problem = statement.problem ?? clauses.problem
      statement.parts = [SQL(raw: "\(head)\(list) ").appending(clauses.sql, tail)]
    }
    return statement
  }

  /// Splits rows into statements, each with as many rows as there is room for parameters.
  private static func split(_ rows: [SQL], besides others: Int) -> [[SQL]] {
    // Every build of SQLite allows this many, and RETURNING may have a few of its own.
    let limit = 32_000 - others
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
  /// Ends the text so that ON CONFLICT can follow: after a table's name, SQLite would take it for
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
  /// Returns an insertion of a row, for `run(in:)` or `returning` to run.
  ///
  /// ```swift
  /// try await companies.insert(Company.Draft(name: "Acme"))
  ///   .onConflict { $0.name } update: { row, new in row.size = new.size }
  ///   .run(in: database)
  /// ```
  /// ``insert(_:in:)-(_,Database)`` inserts a row at once.
  /// - Parameter row: A draft, whose rowid the database assigns, or a model with its key.
  public func insert<Row: Insertable>(_ row: Row) -> Insert<T> where Row.Stored == T {
    insert(contentsOf: CollectionOfOne(row))
  }

  /// Returns an insertion of rows, for `run(in:)` or `returning` to run.
  ///
  /// The values are part of the statement, or of several if SQLite does not have room for all of
  /// them in one. For many rows, ``insert(contentsOf:in:)-(_,Database)`` is faster.
  /// - Parameter rows: Drafts or models, of which there may be none.
  /// - Complexity: O(*n*) in the number of values, which are stored.
  public func insert<Rows: Collection>(contentsOf rows: Rows) -> Insert<T>
  where Rows.Element: Insertable, Rows.Element.Stored == T {
    let insertion = schema.insertion(of: Rows.Element.self)
    guard !insertion.columns.isEmpty else {
      return Insert(into: self, [], .defaults(rows.count))
    }
    return Insert(into: self, insertion, rows: rows)
  }

  /// Returns an insertion of a row with only the table's declared defaults: DEFAULT VALUES.
  public func insertDefaultValues() -> Insert<T> { Insert(into: self, [], .defaults(1)) }

  /// Returns an insertion of a row of expressions, for `run(in:)` or `returning` to run.
  ///
  /// ```swift
  /// companies.insert { $0.name = "Acme"; $0.size = companies.select { $0.size.max() }.scalar() ?? 0 }
  /// ```
  /// - Parameter values: A closure that assigns to at least one column. Other columns take their
  ///   defaults. There is no row yet whose columns could be read.
  public func insert(_ values: (inout Assignments<T>) -> Void) -> Insert<T> {
    let assignments = Assignments<T>.made(for: Table(scope: nil), by: values)
    guard !assignments.columns.isEmpty else {
      var insert = insertDefaultValues()
      insert.problem =
        insert.problem ?? .nothingAssigned("insert", "; insertDefaultValues() inserts the defaults")
      return insert
    }
    var insert = Insert<T>(
      into: self, [], .values([.list(assignments.columns.map(\.value))]),
      problem: assignments.problem)
    insert.columns = assignments.columns.map(\.name)
    return insert
  }
}
