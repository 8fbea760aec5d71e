// Methods named as in other libraries. Each has a parameter list of its own, so that the compiler
// does not consider it for correct code.

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

  /// Unavailable.
  @available(
    *, unavailable, message: "write migrate(DatabaseSchema(version: 1, City.self, Person.self))"
  )
  public func migrate(_ models: any Model.Type...) async throws {}

  /// Unavailable.
  @available(
    *, unavailable, message: "write migrate(DatabaseSchema(version: 1, City.self, Person.self))"
  )
  public func migrate(_ models: [any Model.Type]) async throws {}
}

extension Connection {
  /// Unavailable: `query` takes the type of a row.
  @available(
    *, unavailable, message: "write the type of a row: query(Person.self, …) returns [Person]"
  )
  public func query<Value>(_ type: [Value].Type, _ sql: SQL, _ arguments: Arguments = [])
    -> [Value]
  { [] }
}

extension Connection {
  /// Unavailable: a row is read into a model, a selection or values.
  @available(
    *, unavailable,
    message: "a row is a struct with @Table or @Selection, a ColumnValue, or a tuple of values"
  )
  @_disfavoredOverload
  public func query<Row>(_ type: Row.Type, _ sql: SQL, _ arguments: Arguments = []) -> [Row] { [] }
}

extension Model {
  /// Unavailable.
  @available(*, unavailable, renamed: "where(_:)")
  public static func filter(_ condition: (Columns) -> any SQLCondition) -> Table<Self> { Table() }
  /// Unavailable.
  @available(*, unavailable, message: "write Person.all.fetchAll(in: database)")
  public static func fetchAll<Place>(_ place: Place) -> [Self] { [] }
  /// Unavailable.
  @available(*, unavailable, message: "write Person.all.fetchOne(in: database)")
  public static func fetchOne<Place>(_ place: Place) -> Self? { nil }
}

extension Table {
  /// Unavailable: the model is a generic argument.
  @available(*, unavailable, message: "write the model in angle brackets: Table<Person>()")
  public init(_ model: T.Type) { self.init() }
  /// Unavailable.
  @available(
    *, unavailable, message: "write 'where { … }.delete().run(in: database)', or 'deleteAll(in:)'"
  )
  public func delete<Place>(in place: Place) {}
  /// Unavailable.
  @available(*, unavailable, message: "write 'fetchOne(in: database)'")
  public func first<Place>(in place: Place) -> T? { nil }
  /// Unavailable.
  @available(*, unavailable, message: "write 'fetchAll(in: database)'")
  public func fetch<Place>(in place: Place) -> [T] { [] }
  /// Unavailable: an offset is an argument of `limit`.
  @available(*, unavailable, message: "write 'limit(10, offset: 5)'")
  public func offset(_ count: Int) -> Self { self }
  /// Unavailable.
  @available(*, unavailable, renamed: "order(_:)")
  public func sort(_ terms: (T.Columns) -> Void) -> Self { self }
  /// Unavailable.
  @available(*, unavailable, renamed: "order(_:)")
  public func orderBy(_ terms: (T.Columns) -> Void) -> Self { self }
  /// Unavailable.
  @available(*, unavailable, message: "write 'group { … }' before 'having'")
  public func having(_ condition: (T.Columns) -> any SQLCondition) -> Self { self }
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

extension From {
  /// Unavailable.
  @available(*, unavailable, message: "write 'limit(10, offset: 5)'")
  public func offset(_ count: Int) -> Self { self }
  /// Unavailable.
  @available(*, unavailable, message: "write 'fetchOne(in: database)'")
  public func first<Place>(in place: Place) -> Output? { nil }
  /// Unavailable.
  @available(*, unavailable, renamed: "where(_:)")
  public func filter(_ condition: (Columns) -> any SQLCondition) -> Self { self }
}

extension Select {
  /// Unavailable.
  @available(*, unavailable, message: "write 'limit(10, offset: 5)'")
  public func offset(_ count: Int) -> Self { self }
  /// Unavailable.
  @available(*, unavailable, message: "write 'fetchOne(in: database)'")
  public func first<Place>(in place: Place) -> Output? { nil }
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
  /// Unavailable: SQL has no parts of dates.
  @available(*, unavailable, message: "write strftime(\"%Y\"), or compare with two dates")
  public var year: SQLExpression<Int> { count() }
  /// Unavailable: SQL has no parts of dates.
  @available(*, unavailable, message: "write strftime(\"%m\"), or compare with two dates")
  public var month: SQLExpression<Int> { count() }
  /// Unavailable: SQL has no parts of dates.
  @available(*, unavailable, message: "write strftime(\"%d\"), or compare with two dates")
  public var day: SQLExpression<Int> { count() }
  /// Unavailable: a text is empty if its length is 0.
  @available(*, unavailable, message: "write 'length() == 0', or 'jsonArrayLength() == 0'")
  public var isEmpty: SQLExpression<Bool> { isNil }
  /// Unavailable.
  @available(*, unavailable, message: "select the column: isIn(cities.select { $0.id })")
  public func isIn<T: Model>(_ table: Table<T>) -> SQLExpression<Bool?> { isNil.condition }
}

extension SQLExpression {
  /// Unavailable.
  @available(*, unavailable, renamed: "descending")
  public var desc: Self { self }
  /// Unavailable.
  @available(*, unavailable, renamed: "ascending")
  public var asc: Self { self }
}

extension SQLExpression where Value: SQLText {
  /// Unavailable.
  @available(*, unavailable, renamed: "lower()")
  public func lowercased() -> Self { self }
  /// Unavailable.
  @available(*, unavailable, renamed: "upper()")
  public func uppercased() -> Self { self }
  /// Unavailable.
  @available(*, unavailable, renamed: "trim(_:)")
  public func trimmingCharacters<Characters>(in characters: Characters) -> Self { self }
  /// Unavailable.
  @available(
    *, unavailable, message: "write 'contains(text, caseInsensitive: true)', or 'like(_:)'"
  )
  public func localizedCaseInsensitiveContains(_ text: String) -> SQLExpression<Bool?> {
    isNil.condition
  }
}

extension Sequence where Element: ColumnValue {
  /// Unavailable.
  @available(*, unavailable, message: "write $0.name.isIn(names)")
  @_disfavoredOverload
  public func contains(_ expression: SQLExpression<Element>) -> SQLExpression<Bool?> {
    expression.isNil.condition
  }
}
