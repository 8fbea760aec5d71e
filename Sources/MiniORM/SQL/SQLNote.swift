/// A statement about the segments of SQL, without text.
enum SQLNote: Sendable {
  /// The name of a table in the file that the text mentions.
  case named(String)
  /// The table that follows is a common table expression.
  case commonName
  /// The names of the tables in the SELECT that follows, up to `close`.
  case open([String])
  case close
  /// A common table expression that the SQL names but does not define.
  case commonTable(CommonTable)
  /// A mistake that the type system cannot catch. Running the SQL throws it.
  indirect case problem(DatabaseError)
  /// The rows that the SELECT around the note reads.
  case reads(RowsRead)
  /// The segments that follow are this SQL, which the user wrote.
  case written(SQL)

  /// Whether the statement must be searched for the note before it runs.
  var isSpecial: Bool {
    switch self {
    case .commonTable, .problem: true
    case .named, .commonName, .open, .close, .reads, .written: false
    }
  }
}
