/// A query to which clauses can be added: a ``Source``, or the joined tables of a ``From``.
///
/// A closure takes the columns. For joined tables, it can name each of them:
/// `{ company, city in … }`. With `$0`, `$1` and so on, it must use the last table's number. If it
/// uses only `$0`, it takes a tuple of all tables: `$0.0`, `$0.1`.
///
/// Only MiniORM's types conform.
public protocol FromStatement<Columns>: SelectStatement {
  /// The parameter of closures: the columns of a source, or a tuple of each joined table's columns.
  associatedtype Columns: Sendable
  /// The type of the sorted query.
  associatedtype Ordered

  /// The query as a FROM clause with its following clauses.
  var from: From<Columns, Output> { get }

  /// Sorts the rows by a term or a tuple of terms. A further call sorts rows that compare equal.
  ///
  /// ```swift
  /// companies.order { ($0.employeeCount.descending, $0.name) }
  /// companies.join(cities).order { company, city in (city.name, company.name.descending) }
  /// ```
  /// A closure with an explicit `return` returns an array: `return [company.name.descending]`.
  func order(@OrderBuilder _ terms: (Columns) -> [Ordering]) -> Ordered
}

extension FromStatement {
  /// The query that selects all columns of the rows.
  @_documentation(visibility: internal)
  public var asSelect: Select<Output> { from.selected }

  /// Groups rows with equal values of an expression or a tuple of expressions, with a result for
  /// each group. A further call adds expressions.
  ///
  /// ```swift
  /// companies.group { $0.cityID }.select { ($0.cityID, $0.employeeCount.sum()) }
  /// companies.join(cities).group { company, city in city.id }.select { ($1.name, $0.id.count()) }
  /// ```
  /// The closure ends with the expressions, without `return`.
  public func group(@ExpressionBuilder _ terms: (Columns) -> [Ordering]) -> From<Columns, Output> {
    from.adding(terms) { $0.grouping += $1.map(\.sql) }
  }

  /// Names a window, for `over(_:)` of window functions and aggregates.
  ///
  /// ```swift
  /// companies.window("city") { WindowDefinition(partitionBy: $0.cityID) }
  /// ```
  /// Define a window before the windows that extend it.
  public func window(_ name: String, as window: (Columns) -> WindowDefinition) -> From<
    Columns, Output
  > {
    from.adding(window) {
      $0.windows.append(
        SQL(raw: "\(name.quotedIdentifier) AS (").appending($1.sql, SQL(raw: ")")))
    }
  }

  /// Selects the result of each row: an expression, a table's columns, the `Columns` of a
  /// `@Selection`, or a tuple of these.
  ///
  /// ```swift
  /// let names = try await companies.select { ($0.name, $0.employeeCount) }.fetchAll(in: database)
  /// ```
  /// A `@Selection` is faster to read than a tuple.
  public func select<Selected: Sendable>(
    @SelectBuilder _ projection: (Columns) -> SelectedColumns<Selected>
  ) -> Select<Selected> {
    let from = from.distinguished
    let selected = from.calling(projection)
    return Select(from.clauses, selected.columns, selected.reader)
  }

  // For closures with an explicit `return`. Separate overloads for a single term and for several:
  // the compiler (Swift 6.3) crashes if a closure that names the joined tables returns a pack with
  // a single element. With an empty pack, a closure of any other type would match as a closure that
  // returns Void.

  /// Selects a ``Selection`` or a model.
  @_disfavoredOverload
  public func select<Part: Projection>(_ projection: (Columns) -> Part) -> Select<Part.Projected>
  where Part.Projected: Sendable {
    select { columns in return SelectedColumns(projection(columns)) }
  }

  /// Selects a tuple of values, models or selections.
  @_disfavoredOverload
  public func select<First: Projection, Second: Projection, each Rest: Projection>(
    _ projection: (Columns) -> (First, Second, repeat each Rest)
  ) -> Select<(First.Projected, Second.Projected, repeat (each Rest).Projected)>
  where
    First.Projected: Sendable, Second.Projected: Sendable, repeat (each Rest).Projected: Sendable
  {
    select { columns in return SelectedColumns.tuple(columns, projection) }
  }
}
