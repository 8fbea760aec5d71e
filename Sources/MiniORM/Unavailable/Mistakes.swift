// Declarations whose messages replace errors about generic parameters. The compiler considers these
// only if no other declaration applies.

extension Source {
  /// Unavailable: an ordering term is an expression, with or without a direction.
  @available(
    *, unavailable,
    message: "order by an expression or a tuple of expressions: { ($0.name, $0.age.descending) }"
  )
  public func order(_ terms: (Columns) -> Void) -> Self { self }

  /// Unavailable: rows are grouped by expressions.
  @available(
    *, unavailable,
    message: "group by an expression or a tuple of expressions: { ($0.cityID, $0.name) }"
  )
  public func group(_ terms: (Columns) -> Void) -> From<Columns, Output> { from }

  /// Unavailable: only expressions and columns can be selected.
  @available(
    *, unavailable,
    message: """
      select an expression, columns, or a tuple of both: { ($0.name, $0.age + 1) }; write a constant \
      as SQL.value(3) or SQL.value(nil as Int?)
      """
  )
  public func select(_ projection: (Columns) -> Void) -> From<Columns, Output> { from }
}

// These overloads take what a mistaken closure returns, and nothing that a valid closure returns.
// For a valid query, the compiler does not consider them.
extension Table {
  /// Unavailable: a condition is true or false.
  @available(*, unavailable, message: "'where' takes a condition: write { $0.age > 0 }")
  public func `where`<Value>(_ condition: (T.Columns) -> SQLExpression<Value>) -> Self { self }
}

extension Model {
  /// Unavailable: a condition is true or false.
  @available(*, unavailable, message: "'where' takes a condition: write { $0.age > 0 }")
  public static func `where`<Value>(_ condition: (Columns) -> SQLExpression<Value>) -> Table<Self> {
    Table()
  }
}

extension Source {
  /// Unavailable: the closure returns a function that is not called.
  @available(*, unavailable, message: "call the function: write { $0.age.max() }")
  public func select<each Argument, Result>(
    _ projection: (Columns) -> (repeat each Argument) -> Result
  ) -> From<Columns, Output> { from }

  /// Unavailable: a table is a value.
  @available(*, unavailable, message: "write the table: join(City.all) { $0.cityID == $1.id }")
  public func join<Other: Model>(
    _ other: Other.Type, on condition: ((Columns, Other.Columns) -> any SQLCondition)? = nil
  ) -> From<(Columns, Other.Columns), (Output, Other)> { crossJoin(Other.all) }

  /// Unavailable: a table is a value.
  @available(*, unavailable, message: "write the table: leftJoin(City.all) { $0.cityID == $1.id }")
  public func leftJoin<Other: Model>(
    _ other: Other.Type, on condition: ((Columns, Other.Columns) -> any SQLCondition)? = nil
  ) -> From<(Columns, Other.Columns), (Output, Other)> { crossJoin(Other.all) }
}

extension From {
  /// Unavailable: a condition is true or false.
  @available(*, unavailable, message: "'where' takes a condition: write { $0.age > 0 }")
  public func `where`<Value>(_ condition: (Columns) -> SQLExpression<Value>) -> Self { self }

  /// Unavailable: the closure returns a function that is not called.
  @available(*, unavailable, message: "call the function: write { $1.age.max() }")
  public func select<each Argument, Result>(
    _ projection: (Columns) -> (repeat each Argument) -> Result
  ) -> Self { self }

  /// Unavailable: a table is a value.
  @available(*, unavailable, message: "write the table: join(City.all) { $1.cityID == $2.id }")
  public func join<Other: Model, each Joined: SourceColumns>(
    _ other: Other.Type,
    on condition: ((repeat each Joined, Other.Columns) -> any SQLCondition)? = nil
  ) -> Self where Columns == (repeat each Joined) { self }

  /// Unavailable: a table is a value.
  @available(*, unavailable, message: "write the table: leftJoin(City.all) { $1.cityID == $2.id }")
  public func leftJoin<Other: Model, each Joined: SourceColumns>(
    _ other: Other.Type,
    on condition: ((repeat each Joined, Other.Columns) -> any SQLCondition)? = nil
  ) -> Self where Columns == (repeat each Joined) { self }
}

extension SQLExpression {
  /// Unavailable: only a condition can be negated.
  @available(*, unavailable, message: "'!' takes a condition: write { $0.age == 0 }")
  public static prefix func ! (value: Self) -> SQLExpression<Bool?> { value.isNil.condition }
}

extension From {
  /// Unavailable.
  @available(
    *, unavailable,
    message: "order by an expression or a tuple of expressions: { ($0.name, $1.age.descending) }"
  )
  public func order(_ terms: (Columns) -> Void) -> From { self }

  /// Unavailable.
  @available(
    *, unavailable,
    message: "group by an expression or a tuple of expressions: { ($0.cityID, $1.name) }"
  )
  public func group(_ terms: (Columns) -> Void) -> From { self }

  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      select an expression, columns, or a tuple of both: { ($0.name, $1.age + 1) }; write a constant \
      as SQL.value(3) or SQL.value(nil as Int?)
      """
  )
  public func select(_ projection: (Columns) -> Void) -> From { self }

  /// Unavailable: a condition is a single expression.
  @available(
    *, unavailable,
    message: "'where' takes a single condition: join conditions with && and ||"
  )
  public func `where`<First, Second, each Rest>(
    _ condition: (Columns) -> (First, Second, repeat each Rest)
  ) -> Self { self }
}

extension Table {
  /// Unavailable.
  @available(
    *, unavailable,
    message: "'where' takes a single condition: join conditions with && and ||"
  )
  public func `where`<First, Second, each Rest>(
    _ condition: (T.Columns) -> (First, Second, repeat each Rest)
  ) -> Self { self }
}

// Methods under their names in other libraries.
extension Table {
  /// Unavailable.
  @available(*, unavailable, renamed: "where(_:)")
  public func filter(_ condition: (T.Columns) -> any SQLCondition) -> Self { self }
  /// Unavailable: a table already represents all its rows.
  @available(*, unavailable, message: "a table stands for all of its rows: leave 'all()' out")
  public func all() -> Self { self }
  /// Unavailable: select the rows before the deletion.
  @available(*, unavailable, message: "write 'where { … }.delete().run(in: database)'")
  public func delete(_ condition: (T.Columns) -> any SQLCondition) -> Delete<T> { delete() }
  /// Unavailable.
  @available(*, unavailable, message: "write 'count(in: database)'")
  public func fetchCount<Place>(_ place: Place) -> Int { 0 }
  /// Unavailable.
  @available(*, unavailable, message: "write 'fetchAll(in: database)'")
  public func fetchAll<Place>(_ place: Place) -> [T] { [] }
  /// Unavailable.
  @available(*, unavailable, message: "write 'fetchOne(in: database)'")
  public func fetchOne<Place>(_ place: Place) -> T? { nil }
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
}

extension Select {
  /// Unavailable: the values of a tuple have no names.
  @available(
    *, unavailable,
    message:
      "write 'where' before 'select', or select a model or a @Selection, whose columns have names"
  )
  public func `where`(_ condition: (Output) -> Void) -> Select { self }
  /// Unavailable: only columns with names can be joined.
  @available(
    *, unavailable,
    message:
      "write 'join' before 'select', or select a model or a @Selection, whose columns have names"
  )
  public func join<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Output, Other) -> Void)? = nil
  ) -> Select { self }
  /// Unavailable.
  @available(
    *, unavailable,
    message:
      "write 'leftJoin' before 'select', or select a model or a @Selection, whose columns have names"
  )
  public func leftJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: ((Output, Other) -> Void)? = nil
  ) -> Select { self }
  /// Unavailable: a tuple or a model is not a single value.
  @available(
    *, unavailable, message: "'scalar' needs a query of a single column: select an expression"
  )
  public func scalar() -> SQLExpression<Bool> { exists() }
}

// For a closure that does not use the columns of the joined table.
extension Source {
  /// Unavailable: the closure takes the columns of both tables.
  @available(
    *, unavailable,
    message: """
      the closure compares columns of both tables: { $0.authorID == $1.id }; write a condition on \
      a single table in 'where'
      """
  )
  @_disfavoredOverload
  public func join<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: (Columns) -> any SQLCondition
  ) -> From<(Columns, Other), (Output, Other.Projected)> { crossJoin(other) }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      the closure compares columns of both tables: { $0.authorID == $1.id }; write a condition on \
      a single table in 'where'
      """
  )
  @_disfavoredOverload
  public func leftJoin<Other: SourceColumns>(
    _ other: some Source<Other>, on condition: (Columns) -> any SQLCondition
  ) -> From<(Columns, Other), (Output, Other.Projected)> { crossJoin(other) }
}

extension SQLExpression where Value: SQLText {
  /// Unavailable: SQL adds only numbers.
  @available(*, unavailable, message: "SQL joins texts with ||: write 'appending(_:)'")
  public static func + (left: Self, right: Self) -> Self { left }
  /// Unavailable.
  @available(*, unavailable, message: "SQL joins texts with ||: write 'appending(_:)'")
  public static func + (left: Self, right: String) -> Self { left }
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
