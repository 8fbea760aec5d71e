// Written by scripts/generate-names.

extension SwiftName {
  /// The types of MiniORM, and of what its macros declare.
  static let libraryTypes = words(
    in: """
      Alias AliasedColumns Arguments Assignments Case Cell Change ChangeStatement Changed
      CheckpointMode CheckpointResult CipherLibrary CipherLicense CipherSettings Collation Column
      ColumnConstraint ColumnNaming ColumnRepresentation ColumnSchema ColumnStorage ColumnType
      ColumnValue Columns CommittedChanges CommonTableExpression Configuration ConflictResolution
      Connection Database DatabaseChanges DatabaseError DatabaseSchema DatabaseSnapshot
      DatabaseStatistics DatabaseValue DatabaseValues DatabaseView DateModifier DecimalScale
      DecimalScales Delete Draft Embedded ExpressionBuilder ForeignKeyAction From FromStatement
      FullTextCommand FullTextDetail FullTextIndex FullTextTokenizer GroupAssignments ID ISO8601Date
      Index Insert Insertable IntegrityReport JSON JSONContainer JSONElement JSONKey JSONPath
      JSONType JSONValue JoinProjection Key Match MatchColumns MathFunction MigrationPlan
      MigrationProgress MigrationRecord MiniORM Model ModelColumns NamedSource NullableColumns
      Operation OptionalColumns OrderBuilder Ordered Ordering OrderingTerm Output Parameter
      PreparedChange PreparedQuery PreparedReturning PrimaryKey PrimaryKeyedModel Projected
      Projection QueryPlan RelatedRows ResultCode ResultColumn ResultRow Returning Row RowChange
      RowColumns RowReader RowValue SQL SQLAggregate SQLBoolean SQLComparable SQLCondition SQLCount
      SQLDate SQLExpression SQLFunction SQLFunctionDefinition SQLFunctionProtocol SQLNumeric
      SQLObject SQLOperand SQLOperandValue SQLSummable SQLText SQLTruth SQLUnwrapped
      SQLVariadicFunction ScaledDecimal SchemaObject SchemaObjectDefinition SchemaReport Scope
      Select SelectBuilder SelectStatement SelectedColumns Selection SelectionColumns Self Source
      SourceColumns SpatialAxis SpatialIndex Statement StatementTrace Step StorageClass Stored Table
      TableChanges TableConstraint TableName TableOptions TableSchema TextSeconds TracedStatement
      TransactionKind Transient Trigger UUIDBytes UnfinishedChanges UnixMilliseconds UnixSeconds
      UnixSecondsReal Unwrapped Update UppercaseUUID UpsertOutcome Value WindowDefinition
      WindowFrame WindowFunction
      """)
}
