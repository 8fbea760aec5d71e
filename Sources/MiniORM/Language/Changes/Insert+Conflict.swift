/// See [UPSERT](https://www.sqlite.org/lang_upsert.html).
extension Insert {
  /// The columns of the row that could not be inserted.
  public typealias Excluded = AliasedColumns<T.Columns>

  // A separate overload for a single column: without a parameter pack, a call looks no types up.

  /// Updates the existing row on a conflict in a column: ON CONFLICT … DO UPDATE.
  @_documentation(visibility: internal)
  @inlinable
  public func onConflict<Value>(
    _ target: (T.Columns) -> SQLExpression<Value>,
    targetWhere targetCondition: ((T.Columns) -> any SQLCondition)? = nil,
    update: (inout Assignments<T>, Excluded) -> Void,
    where condition: ((T.Columns, Excluded) -> any SQLCondition)? = nil
  ) -> Insert {
    adding(
      ConflictTarget(target(T.columns), called(targetCondition)), assignments(update),
      called(condition))
  }

  /// Updates the existing row on a conflict: ON CONFLICT … DO UPDATE.
  ///
  /// ```swift
  /// companies.insert(contentsOf: drafts)
  ///   .onConflict { $0.name } update: { row, new in row.size = row.size + new.size }
  /// ```
  /// If several `onConflict` clauses name the violated constraint, the first applies. An update
  /// that violates a constraint throws, and nothing is inserted. Running the insertion also throws
  /// if two clauses name the same columns, or if a clause follows a clause without columns.
  /// - Parameters:
  ///   - target: The column or tuple of columns of a UNIQUE constraint, a unique index or the
  ///     primary key, or an indexed expression.
  ///   - targetCondition: The condition of a partial index.
  ///   - update: A closure that assigns to columns of the existing row. Its arguments are the
  ///     assignments and the columns of the row that could not be inserted.
  ///   - condition: The condition for the update. If the condition is not true, neither row is
  ///     written.
  @_disfavoredOverload
  public func onConflict(
    @ExpressionBuilder _ target: (T.Columns) -> [Ordering],
    targetWhere targetCondition: ((T.Columns) -> any SQLCondition)? = nil,
    update: (inout Assignments<T>, Excluded) -> Void,
    where condition: ((T.Columns, Excluded) -> any SQLCondition)? = nil
  ) -> Insert {
    adding(
      ConflictTarget(target(T.columns), called(targetCondition)), assignments(update),
      called(condition))
  }

  /// Updates the existing row on a conflict with any constraint: ON CONFLICT DO UPDATE. This clause
  /// must be the last `onConflict`.
  public func onConflict(
    update: (inout Assignments<T>, Excluded) -> Void,
    where condition: ((T.Columns, Excluded) -> any SQLCondition)? = nil
  ) -> Insert {
    adding(ConflictTarget([], nil), assignments(update), called(condition))
  }

  /// Skips a row on a conflict with an existing row: ON CONFLICT … DO NOTHING. Unlike with
  /// `.or(.ignore)`, other violations throw.
  /// - Parameters:
  ///   - target: The column or columns, as for ``onConflict(_:targetWhere:update:where:)``. By
  ///     default, any UNIQUE constraint, unique index or primary key.
  ///   - targetCondition: The condition of a partial index.
  public func onConflictDoNothing(
    @ExpressionBuilder _ target: (T.Columns) -> [Ordering] = { _ in return [] },
    targetWhere targetCondition: ((T.Columns) -> any SQLCondition)? = nil
  ) -> Insert { adding(ConflictTarget(target(T.columns), called(targetCondition)), nil, nil) }

  @inlinable
  func assignments(_ update: (inout Assignments<T>, Excluded) -> Void) -> AssignedColumns {
    EnclosingQueries.calling(with: T.schema.conflictTables) {
      Assignments<T>.made(from: nil) { update(&$0, Excluded(T.columns, as: "excluded")) }
    }
  }

  @usableFromInline
  func called(_ condition: ((T.Columns) -> any SQLCondition)?) -> SQLPart? {
    guard let condition else { return nil }
    return EnclosingQueries.calling(with: T.schema.tables) { condition(T.columns).part }
  }

  @usableFromInline
  func called(_ condition: ((T.Columns, Excluded) -> any SQLCondition)?) -> SQLPart? {
    guard let condition else { return nil }
    return EnclosingQueries.calling(with: T.schema.conflictTables) {
      condition(T.columns, Excluded(T.columns, as: "excluded")).part
    }
  }

  @usableFromInline
  consuming func adding(
    _ target: consuming ConflictTarget, _ update: consuming AssignedColumns?,
    _ condition: consuming SQLPart?
  ) -> Insert {
    if let problem = problem ?? update?.problem(of: "onConflict") { conflicts.problem = problem }
    conflicts.add(target, update, condition, to: T.self)
    return self
  }
}

struct Conflicts: Sendable {
  private(set) var last: ConflictClause?
  var problem: DatabaseError?

  /// If two clauses name the same index, SQLite before 3.45 corrupts the index, and later versions
  /// ignore the second clause.
  fileprivate mutating func add<T: Model>(
    _ target: consuming ConflictTarget, _ update: consuming AssignedColumns?,
    _ condition: consuming SQLPart?, to model: T.Type
  ) {
    do throws(DatabaseError) {
      // A single column needs no text.
      var text: String?
      if target.column == nil {
        target.table = model.schema.name
        text = try target.text
      }
      var previous = last
      while let clause = previous {
        if clause.target.isEverything {
          throw .query(
            "An ON CONFLICT clause without columns handles every conflict: write it last")
        }
        if try clause.target.meansSameIndex(as: target, of: model) {
          throw .query(
            "Two ON CONFLICT clauses for \(try target.list): SQLite would ignore the second, so remove it"
          )
        }
        previous = clause.previous
      }
      last = ConflictClause(target, text, update, condition, after: last)
    } catch {
      problem = problem ?? error
    }
  }
}

final class ConflictClause: Sendable {
  fileprivate let target: ConflictTarget
  private let text: String?
  private let update: AssignedColumns?
  private let condition: SQLPart?
  fileprivate let previous: ConflictClause?

  fileprivate init(
    _ target: consuming ConflictTarget, _ text: consuming String?,
    _ update: consuming AssignedColumns?, _ condition: consuming SQLPart?,
    after previous: consuming ConflictClause?
  ) {
    (self.target, self.text, self.update) = (target, text, update)
    (self.condition, self.previous) = (condition, previous)
  }

  func append(to sql: inout SQL) {
    previous?.append(to: &sql)
    sql.append(" ON CONFLICT")
    if let column = target.column {
      sql.append(" (")
      sql.append(column)
      sql.append(")")
    } else if let text {
      sql.append(text)
    }
    guard let update, !update.columns.isEmpty else { return sql.append(" DO NOTHING") }
    sql.append(" DO UPDATE SET ")
    update.append(to: &sql)
    guard let condition else { return }
    sql.append(" WHERE ")
    sql.append(condition)
  }
}

/// The target of an ON CONFLICT clause. Names are compared as bytes, because SQLite may distinguish
/// strings that are equal in Swift.
@usableFromInline
struct ConflictTarget: Sendable {
  fileprivate let column: String?
  private let ordering: [Ordering]
  private let targetCondition: SQLPart?
  fileprivate var table = ""

  @usableFromInline
  init<Value>(_ expression: SQLExpression<Value>, _ condition: SQLPart?) {
    column = condition == nil ? expression.column?.quotedName : nil
    ordering = column == nil ? [expression.ordering] : []
    targetCondition = condition
  }

  fileprivate init(_ ordering: [Ordering], _ condition: SQLPart?) {
    (column, self.ordering, targetCondition) = (nil, ordering, condition)
  }

  // Computed only for comparing several targets.

  /// The columns and expressions without directions and collations, which do not distinguish
  /// indexes for SQLite.
  private var terms: Set<[UInt8]> {
    get throws(DatabaseError) {
      if let column { return [Array(column.utf8)] }
      var names: Set<[UInt8]> = []
      for term in ordering {
        let name = Ordering(
          expression: term.expression.withoutCollation, direction: "", column: term.column)
        names.insert(Array(try name.indexed(table: table).utf8))
      }
      return names
    }
  }

  private var condition: [UInt8]? {
    get throws(DatabaseError) {
      guard let targetCondition else { return nil }
      return Array(try SQL(targetCondition).literalText().utf8)
    }
  }

  var isEverything: Bool { column == nil && ordering.isEmpty }

  fileprivate var text: String {
    get throws(DatabaseError) {
      guard !isEverything else { return "" }
      var names: [String] = []
      for term in ordering { names.append(try term.indexed(table: table)) }
      let list = " (\(names.joined(separator: ", ")))"
      // Literals instead of parameters: SQLite compares the condition with the index's declaration.
      guard let targetCondition else { return list }
      return list + " WHERE \(try SQL(targetCondition).literalText())"
    }
  }

  var list: String {
    get throws(DatabaseError) {
      try terms.map { String(decoding: $0, as: UTF8.self) }.sorted().joined(separator: ", ")
    }
  }

  /// Returns whether both targets may match the same index. Conditions distinguish partial indexes.
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

extension SQL {
  fileprivate var withoutCollation: SQL {
    var sql = self
    while sql.parts.count == 1, case .operation(let part) = sql.parts[0],
      let text = part.left, part.name == SQLPart.collate
    {
      sql = SQL(text)
    }
    return sql
  }
}
