/// The columns of rows that a full-text search finds: those of the model, and what the search knows
/// of them.
///
/// A member here hides a column of its name, which ``Model/columns`` has.
@dynamicMemberLookup
public struct MatchColumns<T: Model>: SourceColumns {
  /// What is read: the model.
  public typealias Projected = T
  /// The columns of the model as a property of a `@Selection`.
  public typealias _Part = AliasedColumns<T.Columns>
  /// The columns of the model as an optional property of a `@Selection`.
  public typealias _OptionalPart = NullableColumns<AliasedColumns<T.Columns>>

  private let index: FullTextIndex<T>
  private let columns: T.Columns

  init(_ index: FullTextIndex<T>, _ columns: T.Columns) {
    (self.index, self.columns) = (index, columns)
  }

  /// The index as SQL. A table of text may have another name in the query, where it has a column of its
  /// own name.
  private var name: SQL {
    index.isExternal
      ? SQL(raw: index.name.quotedIdentifier) : SQL(column: index.name, of: columns._table.name)
  }

  /// A column of the index.
  private func column(_ name: String) -> SQL {
    SQL(column: name, of: index.isExternal ? index.name : columns._table.name)
  }

  /// A column of the model.
  public subscript<Value>(dynamicMember path: KeyPath<T.Columns, SQLExpression<Value>>)
    -> SQLExpression<
      Value
    >
  { columns[keyPath: path] }

  /// How well the row matches: the less, the better. `order { $0.rank }` gives the best first.
  ///
  /// See [Sorting by Auxiliary Function
  /// Results](https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results).
  public var rank: SQLExpression<Double> { SQLExpression(column("rank"), Coding()) }

  /// How well the row matches, with columns of different weights: `bm25`.
  ///
  /// See [The bm25() function](https://www.sqlite.org/fts5.html#the_bm25_function).
  /// - Parameter weights: What a word counts in each column, in the index's order; 1 where there is
  ///   none.
  public func bm25(_ weights: Double...) -> SQLExpression<Double> {
    SQLExpression(.call("bm25", [name] + weights.map { SQL(binding: $0) }), Coding())
  }

  /// The text of a column with marks around what was found: `highlight`.
  ///
  /// See [The highlight() function](https://www.sqlite.org/fts5.html#the_highlight_function).
  /// - Parameters:
  ///   - column: A column of the index.
  ///   - open: What stands before each place.
  ///   - close: What stands behind it.
  public func highlight<Value>(_ column: SQLExpression<Value>, _ open: String, _ close: String)
    -> SQLExpression<String?>
  {
    let marks = [open, close].map { SQL(binding: $0) }
    return SQLExpression<String?>(
      .call("highlight", [name, number(of: column.column)] + marks), Coding())
  }

  /// A part of a column's text, with marks around what was found: `snippet`.
  ///
  /// See [The snippet() function](https://www.sqlite.org/fts5.html#the_snippet_function).
  /// - Parameters:
  ///   - column: A column of the index.
  ///   - open: What stands before each place.
  ///   - close: What stands behind it.
  ///   - ellipsis: What stands for text that is left out.
  ///   - count: The number of words: 1 to 64.
  public func snippet<Value>(
    _ column: SQLExpression<Value>, _ open: String = "", _ close: String = "",
    ellipsis: String = "…", count: Int = 16
  ) -> SQLExpression<String?> { snippet(number(of: column.column), open, close, ellipsis, count) }

  /// A part of the text of the column that matches best, with marks around what was found:
  /// `snippet`.
  /// - Parameters:
  ///   - open: What stands before each place.
  ///   - close: What stands behind it.
  ///   - ellipsis: What stands for text that is left out.
  ///   - count: The number of words: 1 to 64.
  public func snippet(
    _ open: String = "", _ close: String = "", ellipsis: String = "…", count: Int = 16
  ) -> SQLExpression<String?> { snippet(SQL(raw: "-1"), open, close, ellipsis, count) }

  private func snippet(
    _ column: SQL, _ open: String, _ close: String, _ ellipsis: String, _ count: Int
  ) -> SQLExpression<String?> {
    let marks = [open, close, ellipsis].map { SQL(binding: $0) }
    return SQLExpression<String?>(
      .call("snippet", [name, column] + marks + [SQL(binding: count)]), Coding())
  }

  /// The column's place in the index. FTS5 takes a wrong number for no mistake, SQLite a wrong name.
  private func number(of column: ColumnSchema?) -> SQL {
    let place = index.columns.firstIndex { $0.name == column?.name && $0.table == column?.table }
    return place.map { SQL(raw: "\($0)") }
      ?? self.column("\(column?.name ?? "expression") in the full-text index")
  }

  /// The same columns of a table that has another name.
  /// - Parameters:
  ///   - columns: The columns.
  ///   - table: The name.
  public static func renamed(_ columns: MatchColumns, as table: String) -> MatchColumns {
    MatchColumns(columns.index, T.Columns.renamed(columns.columns, as: table))
  }

  /// The columns of the model.
  public var _part: _Part { AliasedColumns(columns, as: nil) }
  /// The columns of the model, which can be NULL.
  public var _optionalPart: _OptionalPart { NullableColumns(_part) }

  /// How many columns the model has.
  public static var _columnCount: Int32 { T.Columns._columnCount }

  /// The columns of the model.
  public static func resultColumns(_ projection: MatchColumns) -> [ResultColumn] {
    T.Columns.resultColumns(projection.columns)
  }

  /// What reads all the rows of a result.
  public static func reader(_ projection: MatchColumns) -> RowReader<T> {
    T.Columns.reader(T.columns)
  }
}

extension Table {
  /// The rows that a full-text search finds.
  ///
  /// ```swift
  /// companies.matching(text, Match(words: input, prefix: true)).order { $0.rank }.limit(20)
  /// ```
  /// What is found can be filtered, put in an order, joined with other tables and selected, also
  /// with the ``MatchColumns/rank`` of a row and pieces of its text.
  /// - Parameters:
  ///   - index: The index.
  ///   - match: What to look for.
  public func matching(_ index: FullTextIndex<T>, _ match: Match) -> Alias<MatchColumns<T>> {
    let from = from
    var clauses = from.clauses
    let name = index.name.quotedIdentifier
    var table = from.tables[0]
    table.isSearch = true
    if index.isExternal {
      let key = T.schema.primaryKey.first?.name ?? ""
      // In the same database, attached or not.
      let search = SearchJoin(
        table: clauses.from, index: SQL(raw: schema.qualifier + name), name: name,
        key: SQL(column: key, of: table.name), match: match)
      clauses.from.append(search.join(.inner))
      table.search = search
    } else {
      let search = SQL(column: index.name, of: table.name)
        .appending(SQL(raw: " MATCH "), SQL(binding: match.text))
      clauses.condition = SelectClauses.and(search, clauses.condition)
    }
    if !clauses.isFilter {
      clauses.record(.query("A search stands before limit and distinct, which choose of its rows"))
    }
    for column in match.columns
    where !index.columns.contains(where: { $0.name == column?.name && $0.table == column?.table }) {
      clauses.record(
        .query(
          "\(column?.name ?? "An expression") is no column of the full-text index \(index.name)"))
    }
    return Alias(MatchColumns(index, from.columns), clauses: clauses, table: table)
  }
}
