/// Information about the segments of SQL, without text.
enum SQLNote: Sendable {
  /// A table of the file that raw text mentions.
  case named(String)
  /// The table that follows is a common table expression.
  case commonName
  /// The names of the tables in the SELECT that follows, up to `close`.
  case open([String])
  case close
  /// A common table expression that the SQL refers to but does not define.
  case commonTable(CommonTable)
  /// An error that the type system cannot catch. Running the SQL throws it.
  indirect case problem(DatabaseError)
  /// The rows that the SELECT around the note reads.
  case reads(RowsRead)
  /// The following segments are this raw SQL from the user.
  case written(SQL)

  /// True if the statement must process the note before running.
  var isSpecial: Bool {
    switch self {
    case .commonTable, .problem: true
    case .named, .commonName, .open, .close, .reads, .written: false
    }
  }
}
