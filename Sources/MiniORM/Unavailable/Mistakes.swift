// Declarations whose messages replace errors about generic parameters, or name the right call where
// the compiler's message misleads. Each has a parameter list of its own, or takes what a mistaken
// closure returns, so that the compiler does not consider it for correct code.

extension Database {
  /// Unavailable: a key is a passphrase or 32 raw bytes.
  @available(*, unavailable, message: "write key: .passphrase(\"…\")")
  public convenience init(
    path: String, key: String, configuration: Configuration = Configuration()
  ) async throws { try await self.init(path: path, key: nil, configuration: configuration) }

  /// Unavailable.
  @available(*, unavailable, message: "write key: .raw(bytes), with 32 random bytes")
  public convenience init(
    path: String, key: some Collection<UInt8>, configuration: Configuration = Configuration()
  ) async throws { try await self.init(path: path, key: nil, configuration: configuration) }

  /// Unavailable.
  @available(*, unavailable, message: "write key: .passphrase(\"…\")")
  public convenience init(
    path: String, passphrase: String, configuration: Configuration = Configuration()
  ) async throws { try await self.init(path: path, key: nil, configuration: configuration) }
}

extension Connection {
  /// Unavailable: `query` takes the type of a row.
  @available(
    *, unavailable, message: "write the type of a row: query(Person.self, …) returns [Person]"
  )
  public func query<Value>(_ type: [Value].Type, _ sql: SQL, _ arguments: Arguments = [])
    -> [Value]
  { [] }

  /// Unavailable: a row is read into a model, a selection or values.
  @available(
    *, unavailable,
    message: "a row is a struct with @Table or @Selection, a ColumnValue, or a tuple of values"
  )
  @_disfavoredOverload
  public func query<Row>(_ type: Row.Type, _ sql: SQL, _ arguments: Arguments = []) -> [Row] { [] }
}

extension Table {
  /// Unavailable: the model is a generic argument.
  @available(*, unavailable, message: "write the model in angle brackets: Table<Person>()")
  public init(_ model: T.Type) { self.init() }
  /// Unavailable: rows are deleted by a change, which runs.
  @available(
    *, unavailable, message: "write 'where { … }.delete().run(in: database)', or 'deleteAll(in:)'"
  )
  public func delete<Place>(in place: Place) {}
  /// Unavailable: the first row is fetched.
  @available(*, unavailable, message: "write 'fetchOne(in: database)'")
  public func first<Place>(in place: Place) -> T? { nil }
  /// Unavailable: an offset is an argument of `limit`.
  @available(*, unavailable, message: "write 'limit(10, offset: 5)'")
  public func offset(_ count: Int) -> Self { self }
  /// Unavailable: select the rows before the deletion.
  @available(*, unavailable, message: "write 'where { … }.delete().run(in: database)'")
  public func delete(_ condition: (T.Columns) -> any SQLCondition) -> Delete<T> { delete() }
  /// Unavailable: the argument has a label.
  @available(*, unavailable, message: "write 'fetchAll(in: database)'")
  public func fetchAll<Place>(_ place: Place) -> [T] { [] }
  /// Unavailable: the argument has a label.
  @available(*, unavailable, message: "write 'fetchOne(in: database)'")
  public func fetchOne<Place>(_ place: Place) -> T? { nil }
}

extension Table where T: PrimaryKeyedModel, T.Draft: Insertable<T> {
  /// Unavailable: the database assigns the key of a draft, so a draft matches no row.
  @available(
    *, unavailable,
    message: "a draft has no key to match: write 'upsert(…, onConflict: { $0.name }, in: database)'"
  )
  @_disfavoredOverload
  public func upsert<Place>(_ draft: T.Draft, in place: Place) -> UpsertOutcome<T>? { nil }
}

extension Model {
  /// Unavailable: a condition is true or false.
  @available(*, unavailable, message: "'where' takes a condition: write { $0.age > 0 }")
  public static func `where`<Value>(_ condition: (Columns) -> SQLExpression<Value>) -> Table<Self> {
    Table()
  }
}

extension FromStatement {
  /// Unavailable: a condition is true or false.
  @available(*, unavailable, message: "'where' takes a condition: write { $0.age > 0 }")
  public func `where`<Value>(_ condition: (Columns) -> SQLExpression<Value>) -> Self { self }
  /// Unavailable: a condition is a single expression.
  @available(
    *, unavailable,
    message: "'where' takes a single condition: join conditions with && and ||"
  )
  public func `where`<First, Second, each Rest>(
    _ condition: (Columns) -> (First, Second, repeat each Rest)
  ) -> Self { self }
  /// Unavailable: only expressions and columns can be selected.
  @available(
    *, unavailable,
    message: """
      select an expression, columns, or a tuple of both: { ($0.name, $0.age + 1) }; write a constant \
      as SQL.value(3) or SQL.value(nil as Int?)
      """
  )
  public func select(_ projection: (Columns) -> Void) -> From<Columns, Output> { from }
  /// Unavailable: the closure returns a function that is not called.
  @available(*, unavailable, message: "call the function: write { $0.age.max() }")
  public func select<each Argument, Result>(
    _ projection: (Columns) -> (repeat each Argument) -> Result
  ) -> From<Columns, Output> { from }
}

// For a closure that does not use the columns of the joined table.
@available(
  *, unavailable,
  message: """
    the closure compares columns of both tables: { $0.authorID == $1.id }; write a condition on \
    a single table in 'where'
    """
)
extension Source {
  /// Unavailable: the closure takes the columns of both tables.
  @_disfavoredOverload
  public func join<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: (Columns) -> any SQLCondition
  ) -> From<(Columns, Other), (Output, Other.Projected)> { crossJoin(other) }
  /// Unavailable.
  @_disfavoredOverload
  public func leftJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: (Columns) -> any SQLCondition
  ) -> From<(Columns, Other), (Output, Other.Projected)> { crossJoin(other) }
}

// Only a table or a named query can be joined, and a query of single values has no name.
extension Select {
  /// Unavailable: a query of values needs a name.
  @available(
    *, unavailable,
    message:
      "join before 'select', or give the values a name: 'select { … }.alias(\"name\").join(…)'"
  )
  public func join<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: (SQLExpression<Output>, Other) -> any SQLCondition
  ) -> Select where Output: ColumnValue { self }
  /// Unavailable.
  @available(
    *, unavailable,
    message:
      "join before 'select', or give the values a name: 'select { … }.alias(\"name\").leftJoin(…)'"
  )
  public func leftJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: (SQLExpression<Output>, Other) -> any SQLCondition
  ) -> Select where Output: ColumnValue { self }
  /// Unavailable: the values of a tuple have no names.
  @available(
    *, unavailable,
    message:
      "write 'where' before 'select', or select a model or a @Selection, whose columns have names"
  )
  public func `where`(_ condition: (Output) -> Void) -> Select { self }
}

extension SQLExpression {
  /// Unavailable: write `length`.
  @available(
    *, unavailable,
    message: """
      write 'length()' for a text, 'jsonArrayLength()' for a JSON array, or 'count()' for rows
      """
  )
  public var count: SQLExpression<Int> { count() }
  /// Unavailable: the values of a list are in an array.
  @available(*, unavailable, message: "write the values as an array: isIn([first, second])")
  public func isIn(_ values: Value...) -> SQLExpression<Bool?> { isNil.condition }
  /// Unavailable.
  @available(*, unavailable, message: "select the column: isIn(cities.select { $0.id })")
  public func isIn<T: Model>(_ table: Table<T>) -> SQLExpression<Bool?> { isNil.condition }
  /// Unavailable: only a condition can be negated.
  @available(*, unavailable, message: "'!' takes a condition: write { $0.age == 0 }")
  public static prefix func ! (value: Self) -> SQLExpression<Bool?> { value.isNil.condition }
}

extension SQLExpression where Value: SQLText {
  /// Unavailable: SQL adds only numbers.
  @available(*, unavailable, message: "SQL joins texts with ||: write 'appending(_:)'")
  public static func + (left: Self, right: Self) -> Self { left }
}

extension Sequence where Element: ColumnValue {
  /// Unavailable.
  @available(*, unavailable, message: "write $0.name.isIn(names)")
  @_disfavoredOverload
  public func contains(_ expression: SQLExpression<Element>) -> SQLExpression<Bool?> {
    expression.isNil.condition
  }
}

@available(*, unavailable, message: "a window function needs a window: call 'over'")
extension WindowFunction: Projection {
  /// Unavailable.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] { [] }
  /// Unavailable.
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Value
  { try SQLExpression.read(projection.expression, from: row, at: first) }
}

@available(*, unavailable, message: "a CASE ends with 'else(_:)' or 'end()'")
extension Case.Branches: Projection {
  /// Unavailable.
  public static func resultColumns(_ projection: Self) -> [ResultColumn] { [] }
  /// Unavailable.
  public static func read(_ projection: Self, from row: borrowing Row, at first: Int32)
    throws(DatabaseError) -> Value
  { try projection.coding.decode(row[first]) }
}
