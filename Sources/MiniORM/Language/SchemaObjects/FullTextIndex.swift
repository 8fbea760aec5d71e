/// A full-text index (FTS5) on a model's columns, which triggers keep up to date, or a table of
/// full text only.
///
/// ```swift
/// let text = FullTextIndex("company_text", of: Company.self, tokenizer: .porter()) {
///   ($0.name, $0.notes)
/// }
/// try await database.migrate(DatabaseSchema(Company.self, objects: [text]))
/// let found = try await companies.matching(text, Match(words: input)).order { $0.rank }
///   .fetchAll(in: database)
/// ```
///
/// The index stores no text, and reads the model's table by rowid. The table must have rowids and a
/// key of any type. Every change of a row updates the index in the same statement, including
/// REPLACE and raw SQL of any program. `migrate` builds the index for existing rows, and rebuilds
/// an index whose declaration has changed.
///
/// See [SQLite FTS5 Extension](https://www.sqlite.org/fts5.html).
public struct FullTextIndex<T: Model>: SchemaObject {
  /// The index's name.
  public let name: String
  let columns: [ColumnSchema]
  let isExternal: Bool
  /// Nil for a table that stores no text.
  private(set) var tokenizer: FullTextTokenizer?
  private var options: [String]
  private let unindexed: Set<ExactText>
  private var problem: String?

  /// Creates an index on a model's columns.
  ///
  /// For a static property, specify the model as a generic argument:
  /// `FullTextIndex<Wine>("wine_text") { $0.name }`. From `of: Wine.self` alone, Swift 6.3 cannot
  /// infer the property's type in some other files.
  /// - Parameters:
  ///   - name: The name of the index, and of its table in the file.
  ///   - model: The model.
  ///   - tokenizer: The tokenizer, which divides text into words.
  ///   - prefixes: The lengths, in characters, of the prefixes to index for fast prefix searches.
  ///   - detail: The information to store about the positions of words.
  ///   - columns: A closure that returns a column or a tuple of columns. Values that are not text
  ///     are indexed as their text.
  public init<each Value>(
    _ name: String, of model: T.Type = T.self, tokenizer: FullTextTokenizer = .unicode61(),
    prefixes: [Int] = [], detail: FullTextDetail = .full,
    _ columns: (T.Columns) -> (repeat SQLExpression<each Value>)
  ) {
    var found: [ColumnSchema?] = []
    repeat found.append((each columns(T.columns)).column)
    self.name = name
    self.columns = found.compactMap { $0 }
    isExternal = true
    self.tokenizer = tokenizer
    unindexed = []
    problem =
      if T.schema.primaryKey.isEmpty || T.schema.options.contains(.withoutRowID) {
        "The full-text index \(name) needs a table with a key and with rowids: declare a key of \(T.schema.name), without .withoutRowID"
      } else if found.isEmpty || found.contains(where: { $0?.table != T.schema.name }) {
        "The full-text index \(name) can list only columns of \(T.schema.name), and at least one: correct the closure"
      } else {
        nil
      }
    options =
      [
        "content = \(T.schema.name.quotedLiteral)",
        "content_rowid = \(T.schema.rowKey.quotedLiteral)",
      ]
      + Self.options(tokenizer, prefixes, detail)
  }

  /// Creates a full-text table for the rows of a model. Do not list the model in the schema.
  ///
  /// The table has no key and no constraints. ``SQL/rowID(of:as:)`` returns a row's rowid. The
  /// closure returns the columns that are stored but not searched: a column or a tuple of columns. By
  /// default, all columns are searched.
  /// For the other parameters, see ``init(_:of:tokenizer:prefixes:detail:_:)``.
  public init(
    storing model: T.Type, tokenizer: FullTextTokenizer = .unicode61(), prefixes: [Int] = [],
    detail: FullTextDetail = .full,
    @ExpressionBuilder unindexed: (T.Columns) -> [Ordering] = { _ in return [] }
  ) {
    name = T.schema.name
    columns = T.schema.columns
    isExternal = false
    self.tokenizer = tokenizer
    let constrained = T.schema.columns.first { column in
      column.isUnique || column.isDefaultedByDatabase || !column.checks.isEmpty
        || column.foreignKey != nil || column.generated != nil || column.collation != nil
    }
    problem =
      if !T.schema.primaryKey.isEmpty {
        "The full-text table \(name) cannot have a key: rename the property id"
      } else if let constrained {
        "The full-text table \(name) cannot have constraints: remove the constraints of column \(constrained.name)"
      } else if !T.indexes.isEmpty || !T.constraints.isEmpty {
        "The full-text table \(name) cannot have indexes or constraints: remove them"
      } else {
        nil
      }
    options = Self.options(tokenizer, prefixes, detail)
    self.unindexed = Set(unindexed(T.columns).map { ExactText($0.name) })
  }

  /// Creates a full-text table that stores no text: `content = ''`. Do not list the model in the
  /// schema.
  ///
  /// A search returns only rowids, ``SQL/rowID(of:as:)``. Every column reads as `nil`, so the
  /// model's properties must be optional. `highlight` and `snippet` do not work. Rows are deleted
  /// by rowid. To change a row, delete the row and insert a new row. SQLite before 3.43 rejects the
  /// table. For the other parameters, see ``init(_:of:tokenizer:prefixes:detail:_:)``.
  ///
  /// See [Contentless-Delete Tables](https://www.sqlite.org/fts5.html#contentless_delete_tables).
  public init(
    contentless model: T.Type, tokenizer: FullTextTokenizer = .unicode61(), prefixes: [Int] = [],
    detail: FullTextDetail = .full
  ) {
    self.init(storing: model, tokenizer: tokenizer, prefixes: prefixes, detail: detail)
    options += ["content = ''", "contentless_delete = 1"]
    self.tokenizer = nil
    if let column = columns.first(where: { !$0.isNullable }) {
      problem =
        problem
        ?? "The full-text table \(name) stores no text, so \(column.name) reads as nil: declare it as optional"
    }
  }

  var searchedColumns: [ColumnSchema] {
    columns.filter { !unindexed.contains(ExactText($0.name)) }
  }

  private static func options(
    _ tokenizer: FullTextTokenizer, _ prefixes: [Int], _ detail: FullTextDetail
  ) -> [String] {
    var options = ["tokenize = \(tokenizer.sql.quotedLiteral)"]
    if !prefixes.isEmpty {
      options.append("prefix = '\(prefixes.map(String.init).joined(separator: " "))'")
    }
    if detail != .full { options.append("detail = \(detail.rawValue)") }
    return options
  }

  /// The virtual table and its triggers.
  @_documentation(visibility: internal)
  public var definitions: [SchemaObjectDefinition] {
    get throws(DatabaseError) {
      if let problem { throw DatabaseError(.migrate, code: .misuse, problem, table: name) }
      let names = columns.map { column in
        column.name.quotedIdentifier
          + (unindexed.contains(ExactText(column.name)) ? " UNINDEXED" : "")
      }
      let list = names + options
      let table = SchemaObjectDefinition(
        .virtualTable, name, body: "USING fts5(\(list.joined(separator: ", ")))",
        holdsData: !isExternal,
        filling: isExternal ? [FullTextCommand.rebuild.sql(name)] : [])
      return isExternal ? [table] + (try triggers()) : [table]
    }
  }
}

/// A command for a full-text index.
///
/// See [Special INSERT Commands](https://www.sqlite.org/fts5.html#special_insert_commands).
public enum FullTextCommand: Sendable {
  /// Rebuilds the index from its table.
  case rebuild
  /// Merges the parts of the index for the fastest searches, which may take a long time.
  case optimize
  /// Compares the index with its table, and throws if they differ.
  case integrityCheck

  func sql(_ index: String) -> String {
    let name = index.quotedIdentifier
    return switch self {
    case .rebuild: "INSERT INTO \(name) (\(name)) VALUES ('rebuild')"
    case .optimize: "INSERT INTO \(name) (\(name)) VALUES ('optimize')"
    // With a rank, FTS5 also compares the text of an external table.
    case .integrityCheck: "INSERT INTO \(name) (\(name), rank) VALUES ('integrity-check', 1)"
    }
  }
}
