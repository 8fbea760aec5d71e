// Constraints named as in other libraries. `@Column` takes a single type of argument, so the
// compiler finds these members without trying other overloads.

extension ColumnConstraint {
  /// Unavailable: an index is declared in the model.
  @available(
    *, unavailable,
    message: """
      declare the index in the model: static var indexes: [Index<Self>] { [Index { $0.name }] \
      }
      """
  )
  public static var index: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      declare the index in the model: static var indexes: [Index<Self>] { [Index { $0.name }] \
      }
      """
  )
  public static var indexed: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      declare the index in the model: static var indexes: [Index<Self>] { [Index { $0.name }] \
      }
      """
  )
  public static func index<Columns>(_ columns: Columns) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .unique")
  public static var uniqueIndex: ColumnConstraint { .unique }
  /// Unavailable: an optional property allows NULL.
  @available(
    *, unavailable, message: "a column is NOT NULL unless the property is optional: leave this out"
  )
  public static var notNull: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable, message: "a column is NOT NULL unless the property is optional: leave this out"
  )
  public static var required: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      a column allows NULL if the property is optional: declare it so, and leave this out
      """
  )
  public static var nullable: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      a column allows NULL if the property is optional: declare it so, and leave this out
      """
  )
  public static var optional: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable, message: "write .primaryKey; a property named 'id' is the key without it"
  )
  public static var primary: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable, message: "write .primaryKey; a property named 'id' is the key without it"
  )
  public static var key: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable, message: "write .primaryKey; a property named 'id' is the key without it"
  )
  public static var id: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable, message: "write .primaryKey; a property named 'id' is the key without it"
  )
  public static var identifier: ColumnConstraint { .unique }
  /// Unavailable: AUTOINCREMENT is an option of the key.
  @available(
    *, unavailable,
    message: """
      write .primaryKey(autoincrement: true); an integer key is assigned without it too
      """
  )
  public static var autoincrement: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      write .primaryKey(autoincrement: true); an integer key is assigned without it too
      """
  )
  public static var autoIncrement: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .references(Parent.self, onDelete: .cascade)")
  public static func foreignKey<Parent>(_ parent: Parent) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .references(Parent.self, onDelete: .cascade)")
  public static func foreignKey<Parent>(references parent: Parent) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .references(Parent.self, onDelete: .cascade)")
  public static func foreignKey<Parent>(_ parent: Parent, onDelete: ForeignKeyAction)
    -> ColumnConstraint
  { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .references(Parent.self, onDelete: .cascade)")
  public static func belongsTo<Parent>(_ parent: Parent) -> ColumnConstraint { .unique }
  /// Unavailable: the action is an argument of `references`.
  @available(*, unavailable, message: "write .references(Parent.self, onDelete: .cascade)")
  public static func onDelete(_ action: ForeignKeyAction) -> ColumnConstraint { .unique }
  /// Unavailable: a collation is an argument of `collate`.
  @available(*, unavailable, message: "write .collate(.nocase)")
  public static var nocase: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .collate(.nocase)")
  public static var noCase: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .collate(.nocase)")
  public static var caseInsensitive: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .check(\"length(name) <= 100\")")
  public static func length(_ count: Int) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .check(\"length(name) <= 100\")")
  public static func maxLength(_ count: Int) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .check(\"length(name) <= 100\")")
  public static func size(_ count: Int) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .check(\"length(name) <= 100\")")
  public static func length(_ range: ClosedRange<Int>) -> ColumnConstraint { .unique }
  /// Unavailable: the column's type follows from the property's type.
  @available(
    *, unavailable,
    message: """
      the column's type follows from the property's type: leave this out, or write \
      .type("VARCHAR(100)") for another program's table
      """
  )
  public static var text: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      the column's type follows from the property's type: leave this out, or write \
      .type("VARCHAR(100)") for another program's table
      """
  )
  public static var integer: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      the column's type follows from the property's type: leave this out, or write \
      .type("VARCHAR(100)") for another program's table
      """
  )
  public static var real: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      the column's type follows from the property's type: leave this out, or write \
      .type("VARCHAR(100)") for another program's table
      """
  )
  public static var blob: ColumnConstraint { .unique }
  /// Unavailable: a type is text.
  @available(
    *, unavailable,
    message: """
      the column's type follows from the property's type; for another program's table write \
      the type as text: .type("TEXT")
      """
  )
  public static func type(_ type: ColumnType) -> ColumnConstraint { .unique }
  /// Unavailable: the condition is text.
  @available(
    *, unavailable,
    message: """
      a column's CHECK is text: .check("age > 3"); a table's takes a closure: static var \
      constraints: [TableConstraint<Self>] { [.check { $0.age > 3 }] }
      """
  )
  public static func check<Condition>(_ condition: (CheckedColumns) -> Condition)
    -> ColumnConstraint
  { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      a column's CHECK is text: .check("age > 3"); a table's takes a closure: static var \
      constraints: [TableConstraint<Self>] { [.check { $0.age > 3 }] }
      """
  )
  public static func check(_ condition: Bool) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      a column's CHECK is text: .check("age > 3"); a table's takes a closure: static var \
      constraints: [TableConstraint<Self>] { [.check { $0.age > 3 }] }
      """
  )
  public static func check<Condition>(_ condition: SQLExpression<Condition>)
    -> ColumnConstraint
  { .unique }
  /// Unavailable: a storage format is not a constraint.
  @available(*, unavailable, message: "a storage format has a label: @Column(as: .json)")
  public static var json: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "a storage format has a label: @Column(as: .unixSeconds)")
  public static var unixSeconds: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "a storage format has a label: @Column(as: .unixSeconds)")
  public static var unixMilliseconds: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "a storage format has a label: @Column(as: .uuidBytes)")
  public static var uuidBytes: ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable, message: "a storage format has a label: @Column(as: .decimal(scale: 2))"
  )
  public static func decimal(scale: Int) -> ColumnConstraint { .unique }
  /// Unavailable: the label is `autoincrement`.
  @available(*, unavailable, message: "write .primaryKey(autoincrement: true)")
  public static func primaryKey(autoIncrement: Bool) -> ColumnConstraint { .unique }
  /// Unavailable: a model is the parent.
  @available(
    *, unavailable,
    message: """
      write the parent model: .references(City.self); in a step, .references(table: "city")
      """
  )
  public static func references(_ table: String) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      write the parent model: .references(City.self); in a step, .references(table: "city")
      """
  )
  public static func references(_ table: String, onDelete: ForeignKeyAction)
    -> ColumnConstraint
  { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write the name first: @Column(\"name\")")
  public static func name(_ name: String) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write @Transient instead of @Column")
  public static var transient: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write @Transient instead of @Column")
  public static var ignored: ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .default(3), or a default in Swift: var size = 3")
  public static func defaultValue<Value>(_ value: Value) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .default(3), or a default in Swift: var size = 3")
  public static func defaults<Value>(to value: Value) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write @Column(renamedFrom: \"name\")")
  public static func originalName(_ name: String) -> ColumnConstraint { .unique }
  /// Unavailable.
  @available(*, unavailable, message: "write .generated(\"price * 2\")")
  public static func computed(_ sql: String) -> ColumnConstraint { .unique }
  /// Unavailable: SQLCipher encrypts the whole file.
  @available(*, unavailable, message: "SQLCipher encrypts the whole file: leave this out")
  public static var encrypted: ColumnConstraint { .unique }
}
