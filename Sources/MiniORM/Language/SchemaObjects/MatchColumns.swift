/// The columns of a full-text search: the model's columns, and the results of the search.
///
/// A member of this type hides a column with the same name: use ``Model/columns`` to access the
/// column.
@dynamicMemberLookup
public struct MatchColumns<T: Model>: SourceColumns {
  /// The model.
  @_documentation(visibility: internal)
  public typealias Projected = T
  /// The type of the columns in a `@Selection` property.
  public typealias _Part = AliasedColumns<T.Columns>
  /// The type of the columns in an optional `@Selection` property.
  public typealias _OptionalPart = NullableColumns<AliasedColumns<T.Columns>>

  private let index: FullTextIndex<T>
  private let columns: T.Columns
  private let isRanked: Bool

  init(_ index: FullTextIndex<T>, _ columns: T.Columns, isRanked: Bool) {
    (self.index, self.columns, self.isRanked) = (index, columns, isRanked)
  }

  /// An argument of FTS5's functions. A full-text table may have an alias, but its column keeps its
  /// name.
  private var name: SQL {
    index.isExternal
      ? SQL(raw: index.name.quotedIdentifier) : SQL(column: index.name, of: columns._table.name)
  }

  private func column(_ name: String) -> SQL {
    SQL(column: name, of: index.isExternal ? index.name : columns._table.name)
  }

  /// Accesses a column of the model.
  public subscript<Value>(dynamicMember path: KeyPath<T.Columns, SQLExpression<Value>>)
    -> SQLExpression<
      Value
    >
  { columns[keyPath: path] }

  /// The rank of the match. The best match has the lowest rank: `order { $0.rank }`.
  ///
  /// See [Sorting by Auxiliary Function
  /// Results](https://www.sqlite.org/fts5.html#sorting_by_auxiliary_function_results).
  public var rank: SQLExpression<Double> {
    isRanked ? SQLExpression(column("rank"), Coding()) : bm25()
  }

  /// Returns the rank of the match with weights for columns: `bm25`.
  ///
  /// See [The bm25() function](https://www.sqlite.org/fts5.html#the_bm25_function).
  /// - Parameter weights: The weight of a word in each column, in the index's order. Missing
  ///   weights are 1.
  public func bm25(_ weights: Double...) -> SQLExpression<Double> {
    SQLExpression(.call("bm25", [name] + weights.map { SQL(binding: $0) }), Coding())
  }

  /// Returns the text of a column of the index with marks around each match: `highlight`.
  ///
  /// ```swift
  /// companies.matching(text, "iron").select { $0.highlight($0.name, "<b>", "</b>") }
  /// ```
  ///
  /// See [The highlight() function](https://www.sqlite.org/fts5.html#the_highlight_function).
  public func highlight<Value>(_ column: SQLExpression<Value>, _ open: String, _ close: String)
    -> SQLExpression<String?>
  {
    let marks = [open, close].map { SQL(binding: $0) }
    return SQLExpression<String?>(
      .call("highlight", [name, number(of: column.column)] + marks), Coding())
  }

  /// Returns a part of a column's text with marks around each match: `snippet`.
  ///
  /// See [The snippet() function](https://www.sqlite.org/fts5.html#the_snippet_function).
  /// - Parameters:
  ///   - column: A column of the index.
  ///   - open: The text before each match.
  ///   - close: The text after each match.
  ///   - ellipsis: The text that replaces omitted text.
  ///   - count: The number of words: 1 to 64.
  public func snippet<Value>(
    _ column: SQLExpression<Value>, _ open: String = "", _ close: String = "",
    ellipsis: String = "…", count: Int = 16
  ) -> SQLExpression<String?> { snippet(number(of: column.column), open, close, ellipsis, count) }

  /// Returns a part of the best matching column's text with marks around each match: `snippet`.
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

  /// The column's number in the index. For another column, an invalid name, which SQLite reports:
  /// FTS5 does not report an invalid number.
  private func number(of column: ColumnSchema?) -> SQL {
    let place = index.columns.firstIndex { $0.name == column?.name && $0.table == column?.table }
    return place.map { SQL(raw: "\($0)") }
      ?? self.column("\(column?.name ?? "expression") in the full-text index")
  }

  /// Returns the columns, qualified with an alias.
  @_documentation(visibility: internal)
  public static func renamed(_ columns: MatchColumns, as table: String) -> MatchColumns {
    MatchColumns(
      columns.index, T.Columns.renamed(columns.columns, as: table), isRanked: columns.isRanked)
  }

  /// The columns of the model.
  public var _part: _Part { AliasedColumns(columns, as: nil) }
  /// The columns of the model as nullable.
  public var _optionalPart: _OptionalPart { NullableColumns(_part) }

  /// The number of columns of the model.
  public static var _columnCount: Int32 { T.Columns._columnCount }

  /// Returns the columns of the model.
  @_documentation(visibility: internal)
  public static func resultColumns(_ projection: MatchColumns) -> [ResultColumn] {
    T.Columns.resultColumns(projection.columns)
  }

  /// Returns a reader of the model's rows.
  @_documentation(visibility: internal)
  public static func reader(_ projection: MatchColumns) -> RowReader<T> {
    T.Columns.reader(T.columns)
  }
}

extension Table {
  /// Returns the rows that a full-text search finds.
  ///
  /// ```swift
  /// companies.matching(text, Match(words: input, prefix: true)).order { $0.rank }.limit(20)
  /// ```
  /// The result's columns include the rank and parts of the text: see ``MatchColumns``.
  public func matching(_ index: FullTextIndex<T>, _ match: Match) -> Alias<MatchColumns<T>> {
    let from = from
    var clauses = from.clauses
    let name = index.name.quotedIdentifier
    var table = from.tables[0]
    table.isSearch = true
    if index.isExternal {
      let columns = index.searchedColumns.map { SQL(raw: "\(name).\($0.name.quotedIdentifier)") }
      // The index is in the same database as the table, main or attached.
      let search = SearchJoin(
        table: clauses.from, index: SQL(raw: schema.qualifier + name), name: name,
        key: SQL(column: T.schema.rowKey, of: table.name),
        matches: match.condition(SQL(raw: name), columns, index.tokenizer))
      clauses.from.append(search.join(.inner))
      table.search = search
    } else {
      let columns = index.searchedColumns.map { SQL(column: $0.name, of: table.name) }
      let search = match.condition(
        SQL(column: index.name, of: table.name), columns, index.tokenizer)
      clauses.condition = SQL.and(search, clauses.condition)
    }
    if !clauses.isFilter {
      clauses.record(.query("Call matching before limit and distinct"))
    }
    for column in match.columns
    where !index.columns.contains(where: { $0.name == column?.name && $0.table == column?.table }) {
      clauses.record(
        .query(
          "\(column?.name ?? "An expression") is not a column of the full-text index \(index.name): "
            + "search a column of the index")
      )
    }
    let columns = MatchColumns(
      index, from.columns, isRanked: match.isRanked(index.tokenizer))
    return Alias(columns, clauses: clauses, table: table)
  }
}
