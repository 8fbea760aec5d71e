/// See [UPSERT](https://www.sqlite.org/lang_upsert.html).
extension Insert {
  /// The columns of the row that could not be inserted, which a conflict's `update` takes.
  public typealias Excluded = AliasedColumns<T.Columns>

  /// Updates the row that conflicts with one to insert: ON CONFLICT … DO UPDATE.
  ///
  /// ```swift
  /// companies.insert(contentsOf: drafts)
  ///   .onConflict { $0.name } update: { row, new in row.size = row.size + new.size }
  /// ```
  /// Of several `onConflict`, the first that names the violated constraint applies. A second one
  /// for the same columns, and any after one without columns, throws when the insertion runs. If
  /// the update skips the row, or violates another constraint, nothing is inserted.
  /// - Parameters:
  ///   - target: A closure that takes the table's columns and returns the column or tuple of
  ///     columns of a UNIQUE constraint, a unique index or the primary key, or an expression that
  ///     an index has.
  ///   - targetCondition: The condition of a partial index.
  ///   - update: A closure that assigns to columns of the existing row, from that row and the one
  ///     that could not be inserted.
  ///   - condition: The rows to update; others stay as they are.
  public func onConflict<each Value>(
    _ target: (T.Columns) -> (repeat SQLExpression<each Value>),
    targetWhere targetCondition: ((T.Columns) -> any SQLCondition)? = nil,
    update: (inout Assignments<T>, Excluded) -> Void,
    where condition: ((T.Columns, Excluded) -> any SQLCondition)? = nil
  ) -> Insert {
    var terms: [Ordering] = []
    repeat terms.append((each target(T.columns)).ordering)
    return named(terms).adding(
      terms, called(targetCondition), assignments(update), called(condition))
  }

  /// Updates the row that conflicts with one to insert, whichever constraint is violated: ON
  /// CONFLICT DO UPDATE, which must come last.
  /// - Parameters:
  ///   - update: A closure that assigns to columns of the existing row, from that row and the one
  ///     that could not be inserted.
  ///   - condition: The rows to update; others stay as they are.
  public func onConflict(
    update: (inout Assignments<T>, Excluded) -> Void,
    where condition: ((T.Columns, Excluded) -> any SQLCondition)? = nil
  ) -> Insert {
    adding([], nil, assignments(update), called(condition))
  }

  /// Skips a row if another one has the same values in a unique set of columns: ON CONFLICT … DO
  /// NOTHING.
  /// - Parameters:
  ///   - target: A closure that takes the table's columns and returns the column or tuple of
  ///     columns of a UNIQUE constraint, a unique index or the primary key, or an expression that
  ///     an index has.
  ///   - targetCondition: The condition of a partial index.
  public func onConflictDoNothing<each Value>(
    _ target: (T.Columns) -> (repeat SQLExpression<each Value>),
    targetWhere targetCondition: ((T.Columns) -> any SQLCondition)? = nil
  ) -> Insert {
    var terms: [Ordering] = []
    repeat terms.append((each target(T.columns)).ordering)
    return named(terms).adding(terms, called(targetCondition), nil, nil)
  }

  /// Skips a row that violates any UNIQUE constraint, unique index or the primary key: ON CONFLICT
  /// DO NOTHING. Unlike with `.or(.ignore)`, other violations throw.
  public func onConflictDoNothing() -> Insert { adding([], nil, nil, nil) }

  /// Refuses a closure that returns nothing, which would mean every conflict.
  private func named(_ target: [Ordering]) -> Insert {
    guard target.isEmpty, problem == nil else { return self }
    var insert = self
    insert.conflicts.problem = .query(
      "onConflict names no column: give it one, or a tuple of columns")
    return insert
  }

  private static var excluded: Excluded { Excluded(T.columns, as: "excluded") }

  private func assignments(
    _ update: (inout Assignments<T>, Excluded) -> Void
  ) -> AssignedColumns {
    EnclosingQueries.calling(with: T.schema.conflictTables) {
      Assignments<T>.made(from: T.columns) { update(&$0, Self.excluded) }
    }
  }

  private func called(
    _ condition: ((T.Columns) -> any SQLCondition)?
  ) -> SQLPart? {
    guard let condition else { return nil }
    return EnclosingQueries.calling(with: T.schema.tables) { condition(T.columns).part }
  }

  private func called(
    _ condition: ((T.Columns, Excluded) -> any SQLCondition)?
  ) -> SQLPart? {
    guard let condition else { return nil }
    return EnclosingQueries.calling(with: T.schema.conflictTables) {
      condition(T.columns, Self.excluded).part
    }
  }

  private func adding(
    _ target: [Ordering], _ targetCondition: SQLPart?, _ update: AssignedColumns?,
    _ condition: SQLPart?
  ) -> Insert {
    var insert = self
    insert.conflicts.problem = problem ?? update?.problem(of: "onConflict")
    insert.conflicts.add(
      ConflictTarget(
        ordering: target, targetCondition: targetCondition.map { SQL($0) }, table: T.schema.name),
      update, condition
    ) { (target, other) throws(DatabaseError) in try other.meansSameIndex(as: target, of: T.self) }
    return insert
  }
}

/// What happens where rows are there already.
struct Conflicts: Sendable {
  private(set) var sql: [SQL] = []
  private var targets: [ConflictTarget] = []
  /// A mistake that the type system cannot catch.
  var problem: DatabaseError?

  /// Adds a clause, unless a previous one makes it meaningless.
  ///
  /// If two clauses name the same index, SQLite before 3.45 corrupts the index, which only an
  /// integrity check finds; later versions ignore the second clause.
  fileprivate mutating func add(
    _ target: ConflictTarget, _ update: AssignedColumns?, _ condition: SQLPart?,
    areSame: (ConflictTarget, ConflictTarget) throws(DatabaseError) -> Bool
  ) {
    do throws(DatabaseError) {
      var sql = SQL(capacity: 8 + (update?.columns.count ?? 0) * 4)
      sql.append(" ON CONFLICT")
      try target.append(to: &sql)
      if targets.contains(where: \.isEverything) {
        throw .query(
          "nothing can follow an ON CONFLICT without columns, which is for every conflict")
      }
      for other in targets where try areSame(target, other) {
        throw .query(
          "two ON CONFLICT clauses for \(try target.list): only the first would hold, so leave one out"
        )
      }
      targets.append(target)
      if let update, !update.columns.isEmpty {
        sql.append(" DO UPDATE SET ")
        update.append(to: &sql)
        if let condition {
          sql.append(" WHERE ")
          sql.append(condition)
        }
      } else {
        sql.append(" DO NOTHING")
      }
      self.sql.append(sql)
    } catch {
      problem = problem ?? error
    }
  }
}

/// The target of an ON CONFLICT, in bytes: names that are equal in Swift may be different in
/// SQLite.
struct ConflictTarget: Sendable {
  fileprivate let ordering: [Ordering]
  fileprivate let targetCondition: SQL?
  fileprivate let table: String

  // Asked for only where there is more than one target.

  /// The columns and expressions, without what does not distinguish indexes in SQLite: their order,
  /// directions and collations.
  private var terms: Set<[UInt8]> {
    get throws(DatabaseError) {
      var names: Set<[UInt8]> = []
      for term in ordering {
        let name = Ordering(expression: term.expression, direction: "", column: term.column)
        names.insert(Self.withoutCollation(Array(try name.indexed(table: table).utf8)))
      }
      return names
    }
  }

  private var condition: [UInt8]? {
    get throws(DatabaseError) {
      guard let targetCondition else { return nil }
      return Array(try targetCondition.literalText().utf8)
    }
  }

  /// Returns `"name"` for `("name" COLLATE NOCASE)`.
  private static func withoutCollation(_ term: [UInt8]) -> [UInt8] {
    let collate = Array(" COLLATE ".utf8)
    guard term.first == UInt8(ascii: "("), term.last == UInt8(ascii: ")"),
      let start = term.indices.last(where: { term[$0...].starts(with: collate) })
    else { return term }
    let name = term[(start + collate.count)...].dropLast()
    let isName = !name.contains { [UInt8(ascii: "\""), UInt8(ascii: "'"), 40, 41].contains($0) }
    return isName ? withoutCollation(Array(term[1..<start])) : term
  }

  var isEverything: Bool { ordering.isEmpty }

  /// Appends the columns with their condition.
  fileprivate func append(to sql: inout SQL) throws(DatabaseError) {
    guard !isEverything else { return }
    for index in ordering.indices {
      sql.append(index == 0 ? " (" : ", ")
      sql.append(try ordering[index].indexed(table: table))
    }
    sql.append(")")
    // Without parameters: SQLite compares it with the index's declaration.
    if let targetCondition { sql.append(" WHERE \(try targetCondition.literalText())") }
  }

  /// The columns as text, for a message.
  var list: String {
    get throws(DatabaseError) {
      try terms.map { String(decoding: $0, as: UTF8.self) }.sorted().joined(separator: ", ")
    }
  }

  /// Returns whether both may mean the same index. Partial indexes of a model are distinguished by
  /// their conditions.
  func meansSameIndex<T: Model>(as other: ConflictTarget, of model: T.Type)
    throws(DatabaseError) -> Bool
  {
    guard try terms == other.terms else { return false }
    guard let condition = try condition, let other = try other.condition, condition != other else {
      return true
    }
    let declared = T.indexes.filter(\.isUnique).map { index in
      (try? index.condition?.literalText()).map { Array($0.utf8) }
    }
    return !(declared.contains(condition) && declared.contains(other))
  }
}
