/// A row that is inserted, which binds its values itself.
protocol InsertedValues: AnyObject, Sendable {
  /// How many parameters it has.
  var count: Int { get }
  /// "(?, ?)"
  var text: String { get }
  /// The same with the values as the database would store them, for where they are no parameters, or are
  /// bound by somebody else.
  var segments: [SQL.Segment] { get throws(DatabaseError) }
  func bind(to statement: borrowing Statement, at first: Int32) throws(DatabaseError)
}
