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

  let rows: InsertedRows
  private var resolution: ConflictResolution?
  var conflicts = Conflicts()

  /// A mistake that the type system cannot catch.
  var problem: DatabaseError? { conflicts.problem ?? rows.problem }

  init(
    into table: Table<T>, _ columns: [ColumnSchema], _ source: InsertedRows.Source,
    problem: DatabaseError? = nil
  ) {
    self.init(into: table, columns: columns.map(\.quotedName), source, problem: problem)
  }

  fileprivate init(
    into table: Table<T>, columns: [String], _ source: InsertedRows.Source,
    start: String? = nil, problem: DatabaseError? = nil
  ) {
    var problem = problem
    do throws(DatabaseError) {
      try table.checkInsertable()
    } catch {
      problem = error
    }
    rows = InsertedRows(
      into: table.schema.source, columns, source, start: start, problem: problem)
  }

  /// Sets what happens to a row that violates a constraint: OR IGNORE and so on.
  ///
  /// If an `onConflict` names the violated constraint, that applies instead.
  /// - Parameter resolution: What happens to the row.
  public func or(_ resolution: ConflictResolution) -> Insert {
    var insert = self
    insert.resolution = resolution
    return insert
  }

  /// The statement that runs.
  public var asStatement: ChangeStatement<T> {
    var problem = problem
    let parts = rows.statements(resolution, conflicts.sql, &problem)
    return ChangeStatement(parts: parts, resolution: resolution, problem: problem)
  }
}

/// What is inserted, whatever the model is.
final class InsertedRows: Sendable {
  enum Source: Sendable {
    /// `(?, ?)` for each row.
    case values([SQL])
    case select(SelectClauses)
    /// DEFAULT VALUES, for a number of rows.
    case defaults(Int)
  }

  /// The table, with the name of its database if it is attached.
  private let target: String
  /// The columns that are given values, quoted.
  let columns: [String]
  private let source: Source
  /// "INSERT INTO table (columns) VALUES ", where that is known.
  private let start: String?
  let problem: DatabaseError?

  init(
    into target: String, _ columns: [String], _ source: Source, start: String?,
    problem: DatabaseError?
  ) {
    (self.target, self.columns, self.source) = (target, columns, source)
    (self.start, self.problem) = (start, problem)
  }

  /// The statements that insert them.
  /// - Parameters:
  ///   - resolution: What follows OR.
  ///   - conflicts: The clauses that begin with ON CONFLICT.
  ///   - problem: The first mistake.
  func statements(
    _ resolution: ConflictResolution?, _ conflicts: [SQL], _ problem: inout DatabaseError?
  ) -> [SQL] {
    if resolution == nil, let start, case .values(let rows) = source, rows.count == 1 {
      // One row, as mostly: all of it is there.
      var sql = SQL(capacity: 2 + (conflicts.first?.parts.count ?? 0))
      sql.append(start)
      sql.append(rows[0])
      for conflict in conflicts { sql.append(conflict) }
      return [sql]
    }
    let head = "INSERT \(resolution.map { "OR \($0.rawValue) " } ?? "")INTO \(target)"
    let list = columns.isEmpty ? "" : " (\(columns.joined(separator: ", ")))"
    let tail = SQL.joined(conflicts, separator: "")
    switch source {
    case .defaults(let count):
      if !conflicts.isEmpty {
        problem = problem ?? .query("SQLite has no ON CONFLICT for DEFAULT VALUES: use or(_:)")
      }
      return Array(repeating: SQL(raw: "\(head) DEFAULT VALUES"), count: count)
    case .values(let rows):
      return Self.split(rows, besides: tail.parameterCount).map { rows in
        SQL(raw: "\(head)\(list) VALUES ").appending(.joined(rows, separator: ", "), tail)
      }
    case .select(var clauses):
      if !conflicts.isEmpty { clauses.endBeforeConflict() }
      problem = problem ?? clauses.problem
      return [SQL(raw: "\(head)\(list) ").appending(clauses.sql, tail)]
    }
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

extension Insert {
  fileprivate init(into table: Table<T>, _ insertion: Insertion, _ rows: [SQL]) {
    self.init(into: table, columns: insertion.columnNames, .values(rows), start: insertion.start)
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
    let insertion = schema.insertion(of: Row.self)
    guard !insertion.columns.isEmpty else { return insertDefaultValues() }
    return Insert(into: self, insertion, [InsertedRow.sql(row, insertion, T.schema.name)])
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
    return Insert(
      into: self, insertion, rows.map { InsertedRow.sql($0, insertion, T.schema.name) })
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
      return Insert(
        into: self, [], .defaults(1),
        problem: .nothingAssigned("insert", "; insertDefaultValues() inserts the defaults"))
    }
    return Insert(
      into: self, columns: assignments.columns.map(\.name),
      .values([.list(assignments.columns.map(\.value))]), problem: assignments.problem)
  }
}
