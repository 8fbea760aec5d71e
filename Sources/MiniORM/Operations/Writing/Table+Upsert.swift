import Synchronization

/// The outcome of an upsert.
public enum UpsertOutcome<T: Model>: Sendable {
  /// The row did not exist and was inserted.
  case inserted(T)
  /// The row existed and was changed.
  case updated(T)
  /// The row existed with the same values.
  case unchanged(T)

  /// The stored row.
  public var row: T {
    switch self {
    case .inserted(let row), .updated(let row), .unchanged(let row): row
    }
  }
}

/// See [UPSERT](https://www.sqlite.org/lang_upsert.html).
extension Table {
  /// Inserts a row, or updates the row with equal values in unique columns.
  ///
  /// ```swift
  /// try await companies.upsert(draft, onConflict: { $0.name }, in: database)
  /// ```
  ///
  /// An existing row keeps its primary key.
  /// - Parameters:
  ///   - row: A draft or a model.
  ///   - target: A closure that takes the table's columns and returns the column or tuple of
  ///     columns of a UNIQUE constraint, a unique index or the primary key.
  ///   - updated: A closure that takes the table's columns and returns the column or tuple of
  ///     columns to update; by default, every inserted column.
  ///   - overwritesWithNil: True if a `nil` in `row` replaces a stored value.
  ///   - connection: The connection of a transaction.
  /// - Returns: The outcome, with the stored row.
  /// - Throws: ``DatabaseError`` if the columns are not unique together, another constraint is
  ///   violated, or a value cannot be stored.
  /// - Complexity: O(log *n*) in the number of rows of the table.
  @discardableResult
  public func upsert<Row: Insertable>(
    _ row: Row, @ExpressionBuilder onConflict target: (T.Columns) -> [Ordering],
    @ExpressionBuilder updating updated: (T.Columns) -> [Ordering]? = { _ in return nil },
    overwritesWithNil: Bool = true, in connection: isolated Connection
  ) throws(DatabaseError) -> UpsertOutcome<T> where Row.Stored == T {
    try upsert(
      row, onConflict: target(T.columns).map(\.name),
      updating: updated(T.columns)?.map(\.name), overwritesWithNil, in: connection)
  }

  /// Inserts a row, or updates the row with equal values in unique columns, in a transaction of its
  /// own.
  @discardableResult
  public func upsert<Row: Insertable>(
    _ row: Row, @ExpressionBuilder onConflict target: @Sendable (T.Columns) -> [Ordering],
    @ExpressionBuilder updating updated: @Sendable (T.Columns) -> [Ordering]? = { _ in return nil },
    overwritesWithNil: Bool = true, in database: Database
  ) async throws -> UpsertOutcome<T> where Row.Stored == T {
    let target = target(T.columns).map(\.name)
    let updated = updated(T.columns)?.map(\.name)
    return try await database.writeOperation {
      try upsert(row, onConflict: target, updating: updated, overwritesWithNil, in: $0)
    }
  }

  /// - Parameter updated: The names of the columns to update; nil for every inserted column, except
  ///   the target and the primary key.
  func upsert<Row: Insertable>(
    _ row: Row, onConflict target: [String], updating updated: [String]?,
    _ overwritesWithNil: Bool, in connection: isolated Connection
  ) throws(DatabaseError) -> UpsertOutcome<T> where Row.Stored == T {
    if !isWhole { try checkInsertable() }
    let sql = UpsertSQL.of(
      schema, schema.insertion(of: Row.self), target: target, updates: updated, overwritesWithNil)
    if let problem = sql.problem { throw problem }
    return try connection.atomically { () throws(DatabaseError) in
      let outcome: UpsertOutcome<T>
      if let stored = try insertedRow(
        row, schema, sql.insert, sql.insertReturning, in: connection)
      {
        outcome = .inserted(stored)
      } else if let update = sql.update,
        let stored = try changedRow(statement(update, row, in: connection), schema, in: connection)
      {
        outcome = .updated(stored)
      } else if let stored = try statement(sql.select, row, in: connection).fetchOne(T.self) {
        outcome = .unchanged(stored)
      } else {
        throw Self.notStored()
      }
      return outcome
    }
  }

  private func statement<Row: Insertable>(
    _ sql: StatementText, _ row: Row, in connection: isolated Connection
  ) throws(DatabaseError) -> Statement where Row.Stored == T {
    let statement = try connection.statement(sql)
    try row.bind(to: statement, at: 1)
    return statement
  }
}

/// The statements of an upsert. SQLite's UPSERT does not tell whether it inserted, updated, or
/// changed nothing.
private final class UpsertSQL: Sendable {
  let insert: StatementText
  let insertReturning: StatementText
  let update: StatementText?
  let select: StatementText
  let problem: DatabaseError?
  /// Retained, because a hand-written model can create a schema at every access: the object
  /// identifier must stay unique.
  private let insertion: Insertion

  private struct Form: Hashable {
    let insertion: ObjectIdentifier
    let target: [ExactText]
    let updates: [ExactText]?
    let overwritesWithNil: Bool
  }
  private static let known = Mutex(BoundedCache<Form, UpsertSQL>(capacity: 1_000))

  static func of(
    _ schema: TableSchema, _ insertion: Insertion, target: [String], updates: [String]?,
    _ overwritesWithNil: Bool
  ) -> UpsertSQL {
    let form = Form(
      insertion: ObjectIdentifier(insertion), target: target.map { ExactText($0) },
      updates: updates?.map { ExactText($0) }, overwritesWithNil: overwritesWithNil)
    return known.withLock { known in
      known.value(of: form) {
        UpsertSQL(schema, insertion, target: target, updates: updates, overwritesWithNil)
      }
    }
  }

  private init(
    _ schema: TableSchema, _ insertion: Insertion, target: [String], updates: [String]?,
    _ overwritesWithNil: Bool
  ) {
    self.insertion = insertion
    let kept = Set((target + schema.primaryKey.map(\.name)).map { ExactText($0) })
    let updates =
      updates ?? insertion.columns.map(\.name).filter { !kept.contains(ExactText($0)) }
    let named = Set((target + updates).map { ExactText($0) })
    problem =
      schema.columns.lazy.filter { named.contains(ExactText($0.name)) }
      .compactMap { $0.generatedProblem(in: schema.name) }.first
    let table = schema.name.quotedIdentifier
    let list = schema.columns.map { "\(table).\($0.name.quotedIdentifier)" }.joined(separator: ", ")
    let conflict = target.map(\.quotedIdentifier).joined(separator: ", ")
    let head = "\(insertion.head) ON CONFLICT (\(conflict)) DO NOTHING"
    insert = StatementText(head)
    insertReturning = StatementText("\(head) RETURNING \(schema.columnList)")

    let names = insertion.columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    // If `nil` keeps the stored value, a default of the database must not replace `nil`.
    let marks = insertion.columns.map {
      insertion.isDraft && (overwritesWithNil || target.contains($0.name)) ? $0.draftedMark : "?"
    }
    let given = "WITH given (\(names)) AS (VALUES (\(marks.joined(separator: ", "))))"
    let matches = target.map { "\(table).\($0.quotedIdentifier) = given.\($0.quotedIdentifier)" }
      .joined(separator: " AND ")
    select = StatementText(
      "\(given) SELECT \(list) FROM \(schema.source), given WHERE \(matches)")

    guard !updates.isEmpty else {
      update = nil
      return
    }
    func new(_ name: String) -> String {
      let column = name.quotedIdentifier
      return overwritesWithNil ? "given.\(column)" : "ifnull(given.\(column), \(table).\(column))"
    }
    let assignments = updates.map { "\($0.quotedIdentifier) = \(new($0))" }.joined(separator: ", ")
    // Compares bytes, so that 'acme' replaces 'Acme' in a column with COLLATE NOCASE.
    let differences = updates.map { name in
      let column = "\(table).\(name.quotedIdentifier)"
      let difference = "\(column) COLLATE BINARY IS NOT \(new(name))"
      // In a column of any type, 1 and 1.0 are different values, but compare as equal.
      let isAny = schema.columns.first { $0.name.hasSameBytes(as: name) }?.type == .any
      return isAny ? "\(difference) OR typeof(\(column)) <> typeof(\(new(name)))" : difference
    }.joined(separator: " OR ")
    update = StatementText(
      "\(given) UPDATE \(schema.source) SET \(assignments) FROM given WHERE \(matches) AND (\(differences)) "
        + "RETURNING \(schema.columnList)")
  }
}
