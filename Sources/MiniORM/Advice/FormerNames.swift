// Former names of public symbols. Each goes with the next major version.

/// The former name of ``PrimaryKeyedModel``.
@available(*, deprecated, renamed: "PrimaryKeyedModel")
public typealias KeyedModel = PrimaryKeyedModel

/// The former name of ``SQLFunctionProtocol``.
@available(*, deprecated, renamed: "SQLFunctionProtocol")
public typealias DatabaseFunction = SQLFunctionProtocol

/// The former name of ``SQLFunctionDefinition``.
@available(*, deprecated, renamed: "SQLFunctionDefinition")
public typealias FunctionDefinition = SQLFunctionDefinition

extension Configuration {
  /// The former name of ``foreignKeysEnabled``.
  @available(*, deprecated, renamed: "foreignKeysEnabled")
  public var foreignKeys: Bool {
    get { foreignKeysEnabled }
    set { foreignKeysEnabled = newValue }
  }
}

extension Database {
  /// The former name of ``migrationPlan(for:allowingDrops:)``.
  @available(*, deprecated, renamed: "migrationPlan(for:allowingDrops:)")
  public func plan(
    _ schema: DatabaseSchema, allowingDrops: Bool = false
  ) async throws -> MigrationPlan {
    try await migrationPlan(for: schema, allowingDrops: allowingDrops)
  }

  /// The former name of ``schemaReport(for:)``.
  @available(*, deprecated, renamed: "schemaReport(for:)")
  public func check(_ schema: DatabaseSchema) async throws -> SchemaReport {
    try await schemaReport(for: schema)
  }

  /// The former name of ``migrationHistory()``.
  @available(*, deprecated, renamed: "migrationHistory()")
  public func migrations() async throws -> [MigrationRecord] {
    try await migrationHistory()
  }
}

extension Match {
  /// The former name of ``init(words:prefix:)``.
  @available(*, deprecated, renamed: "init(words:prefix:)")
  public init(typed text: String, prefix: Bool = false) { self.init(words: text, prefix: prefix) }

  /// The former name of ``phrase(_:prefix:atStart:)``.
  @available(*, deprecated, renamed: "phrase(_:prefix:atStart:)")
  public static func phrase(_ text: String, prefix: Bool = false, first: Bool) -> Match {
    phrase(text, prefix: prefix, atStart: first)
  }
}

extension Insert {
  /// The former name of `onConflict(_:targetWhere:update:where:)`.
  @available(*, deprecated, renamed: "onConflict(_:targetWhere:update:where:)")
  public func onConflict<each Value>(
    _ target: (T.Columns) -> (repeat SQLExpression<each Value>),
    among targetCondition: @escaping (T.Columns) -> any SQLCondition,
    update: (inout Assignments<T>, Excluded) -> Void,
    where condition: ((T.Columns, Excluded) -> any SQLCondition)? = nil
  ) -> Insert {
    onConflict(target, targetWhere: targetCondition, update: update, where: condition)
  }

  /// The former name of `onConflictDoNothing(_:targetWhere:)`.
  @available(*, deprecated, renamed: "onConflictDoNothing(_:targetWhere:)")
  public func onConflictDoNothing<each Value>(
    _ target: (T.Columns) -> (repeat SQLExpression<each Value>),
    among targetCondition: @escaping (T.Columns) -> any SQLCondition
  ) -> Insert {
    onConflictDoNothing(target, targetWhere: targetCondition)
  }
}

extension Source {
  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:)")
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<Columns, Other.Projected> {
    including(children)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:on:)")
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>, on column: (Other) -> SQLExpression<Output.PrimaryKey>
  ) -> RelatedRows<Columns, Other.Projected> where Output: PrimaryKeyedModel {
    including(children, on: column)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:on:)")
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>, on column: (Other) -> SQLExpression<Output.PrimaryKey?>
  ) -> RelatedRows<Columns, Other.Projected> where Output: PrimaryKeyedModel {
    including(children, on: column)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:)")
  public func with<Other: SourceColumns, each Grandchild>(
    _ children: RelatedRows<Other, repeat each Grandchild>
  ) -> RelatedRows<Columns, (Other.Projected, repeat [each Grandchild])> {
    including(children)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:through:)")
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>
  ) -> RelatedRows<Columns, Other.Projected> {
    including(others, through: assignments)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:through:from:to:)")
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>,
    from own: (Link) -> SQLExpression<Output.PrimaryKey>,
    to other: (Link) -> SQLExpression<Other.Projected.PrimaryKey>
  ) -> RelatedRows<Columns, Other.Projected>
  where Output: PrimaryKeyedModel, Other.Projected: PrimaryKeyedModel {
    including(others, through: assignments, from: own, to: other)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:through:from:to:)")
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>,
    from own: (Link) -> SQLExpression<Output.PrimaryKey?>,
    to other: (Link) -> SQLExpression<Other.Projected.PrimaryKey?>
  ) -> RelatedRows<Columns, Other.Projected>
  where Output: PrimaryKeyedModel, Other.Projected: PrimaryKeyedModel {
    including(others, through: assignments, from: own, to: other)
  }
}

extension RelatedRows {
  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:)")
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    including(children)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:on:)")
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>,
    on column: (Other) -> SQLExpression<Columns.Projected.PrimaryKey>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where Columns.Projected: PrimaryKeyedModel {
    including(children, on: column)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:on:)")
  public func with<Other: SourceColumns>(
    _ children: some Source<Other>,
    on column: (Other) -> SQLExpression<Columns.Projected.PrimaryKey?>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where Columns.Projected: PrimaryKeyedModel {
    including(children, on: column)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:)")
  public func with<Other: SourceColumns, each Grandchild>(
    _ children: RelatedRows<Other, repeat each Grandchild>
  ) -> RelatedRows<
    Columns, repeat each Child, (Other.Projected, repeat [each Grandchild])
  > {
    including(children)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:through:)")
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected> {
    including(others, through: assignments)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:through:from:to:)")
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>,
    from own: (Link) -> SQLExpression<Columns.Projected.PrimaryKey>,
    to other: (Link) -> SQLExpression<Other.Projected.PrimaryKey>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where Columns.Projected: PrimaryKeyedModel, Other.Projected: PrimaryKeyedModel {
    including(others, through: assignments, from: own, to: other)
  }

  /// The former name of `including`.
  @available(*, deprecated, renamed: "including(_:through:from:to:)")
  public func with<Other: SourceColumns, Link: SourceColumns>(
    _ others: some Source<Other>, through assignments: some Source<Link>,
    from own: (Link) -> SQLExpression<Columns.Projected.PrimaryKey?>,
    to other: (Link) -> SQLExpression<Other.Projected.PrimaryKey?>
  ) -> RelatedRows<Columns, repeat each Child, Other.Projected>
  where Columns.Projected: PrimaryKeyedModel, Other.Projected: PrimaryKeyedModel {
    including(others, through: assignments, from: own, to: other)
  }
}
