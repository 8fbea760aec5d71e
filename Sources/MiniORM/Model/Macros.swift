/// Makes a struct a model: a row of a table.
///
/// Each stored property becomes a column. The column named `id` is the primary key, unless another
/// column is declared as the key. The macro writes the schema, the initializer that reads a row,
/// the columns for queries, and `Draft`, a row before it is inserted: it leaves out the rowid key,
/// which the database assigns.
///
/// ```swift
/// @Table("company_master", columns: .snakeCase)
/// struct Company: Identifiable {
///   let id: Int64
///   @Column(.unique, .collate(.nocase)) var name: String
///   var employeeCount = 0
///   var founded: Date?
/// }
/// ```
///
/// - Parameters:
///   - name: The table's name; by default, the type's name.
///   - columns: How columns are named after properties.
///   - primaryKey: The properties of a composite primary key, in order: `["userID", "groupID"]`.
///     The macro checks them.
///   - options: STRICT, the default, and WITHOUT ROWID.
///   - formerNames: The table's former names, in files of earlier versions.
@attached(
  extension, conformances: Model, PrimaryKeyedModel,
  names: named(columns), named(schema), named(init(row:)), named(bind(to:at:)), named(primaryKey),
  named(bind(_:to:at:)))
@attached(
  member, names: named(Columns), named(Draft), named(_KeyedDraft), named(_KeylessDraft),
  named(PrimaryKey))
@attached(memberAttribute)
public macro Table(
  _ name: String? = nil, columns: ColumnNaming = .asWritten, primaryKey: [String] = [],
  options: TableOptions = [.strict], renamedFrom formerNames: String...
) = #externalMacro(module: "MiniORMMacros", type: "TableMacro")

/// Makes a struct a row of a query's result: some columns of one or more tables, or values that the
/// database computes.
///
/// Each stored property is a value of the row. The macro writes the initializer that reads a row,
/// and `Columns`, which gives each property its expression:
///
/// ```swift
/// @Selection
/// struct CompanyLine {
///   let name: String
///   let city: String?
/// }
///
/// let lines = companies.leftJoin(cities).select {
///   CompanyLine.Columns(name: $0.name, city: $1.name)
/// }
/// ```
///
/// A property may be a model or another selection, whose columns then stand side by side in the
/// row. An optional one is `nil` if all of them are NULL, as for a row that an outer join lacks:
///
/// ```swift
/// @Selection
/// struct CompanyRow {
///   let company: Company
///   let city: City?
/// }
///
/// let rows = companies.leftJoin(cities).select { CompanyRow.Columns(company: $0, city: $1) }
/// ```
/// In a subquery or a view, such a column is named after the property, a dot, and its own name:
/// `"company.id"`.
@attached(extension, conformances: Selection, names: named(init(row:)), named(_bind(to:at:)))
@attached(member, names: named(Columns))
@attached(memberAttribute)
public macro Selection() = #externalMacro(module: "MiniORMMacros", type: "SelectionMacro")

/// Specifies the constraints of a property's column, and how its values are stored.
///
/// - Parameters:
///   - constraints: The constraints.
///   - representation: How values are stored, if not in the default way of their type.
///   - formerNames: The column's former names, in files of earlier versions.
@attached(peer)
public macro Column(
  _ constraints: ColumnConstraint..., as representation: ColumnStorage? = nil,
  renamedFrom formerNames: String...
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Specifies how the values of a property's column are stored, and then its constraints.
///
/// - Parameters:
///   - representation: How values are stored.
///   - constraint: A constraint.
///   - others: More of them.
///   - formerNames: The column's former names, in files of earlier versions.
@attached(peer)
public macro Column(
  as representation: ColumnStorage, _ constraint: ColumnConstraint, _ others: ColumnConstraint...,
  renamedFrom formerNames: String...
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Specifies the name of a property's column, its constraints, and how its values are stored.
///
/// - Parameters:
///   - name: The column's name.
///   - constraints: The constraints.
///   - representation: How values are stored, if not in the default way of their type.
///   - formerNames: The column's former names, in files of earlier versions.
@attached(peer)
public macro Column(
  _ name: String, _ constraints: ColumnConstraint..., as representation: ColumnStorage? = nil,
  renamedFrom formerNames: String...
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Excludes a property from the columns. It needs a default, which it has in every row that is
/// read.
@attached(peer)
public macro Transient() = #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Makes a property of a `@Table` a group of columns: those of a struct with `@Selection`.
///
/// ```swift
/// @Selection
/// struct Address {
///   var street: String
///   var city: String
/// }
///
/// @Table
/// struct Person {
///   let id: Int64
///   @Embedded var address: Address      // address_street, address_city
///   @Embedded("work_") var work: Address?
/// }
/// ```
/// Queries name a column of the group by both names, `$0.address.city`. An optional group is `nil`
/// if all its columns are NULL, and `nil` stores NULL in all of them; so a group in which every
/// value is `nil` is read as `nil`.
/// - Parameter prefix: The prefix of the columns' names, which may be empty; by default, the
///   property's name and an underscore.
@attached(peer)
public macro Embedded(_ prefix: String? = nil) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Checks that a type can be a group. `@Table` attaches this; never write it yourself.
@attached(peer)
public macro _CheckEmbedded<Value: Selection>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")
where Value.Columns: SelectionColumns

/// Reports a type that cannot be a group. `@Table` attaches this; never write it yourself.
@attached(peer)
public macro _CheckEmbedded<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// Checks that a type can be a column. `@Table` attaches this; never write it yourself.
@attached(peer)
public macro _CheckColumn<Value: ColumnValue>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Reports a type that cannot be a column. `@Table` attaches this; never write it yourself.
@attached(peer)
public macro _CheckColumn<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// Checks that a type can be selected. `@Selection` attaches this; never write it yourself.
@attached(peer)
public macro _CheckSelected<Value: ColumnValue>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Checks that a type can be selected. `@Selection` attaches this; never write it yourself.
@attached(peer)
public macro _CheckSelected<Value: Selection>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Reports a type that cannot be selected. `@Selection` attaches this; never write it yourself.
@attached(peer)
public macro _CheckSelected<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// How columns are named after properties.
public enum ColumnNaming: Sendable {
  /// Like the properties: `employeeCount`.
  case asWritten
  /// In lowercase, with words joined by underscores: `employee_count`.
  case snakeCase
}

/// How a property's values are stored, if not in the default way of their type.
public enum ColumnStorage: Sendable {
  /// A Codable value as JSON text: ``JSON``.
  case json
  /// A date as whole seconds since 1970: ``UnixSeconds``.
  case unixSeconds
  /// A date as whole milliseconds since 1970: ``UnixMilliseconds``.
  case unixMilliseconds
  /// A decimal number, such as money, as a whole number of its smallest units: ``ScaledDecimal``.
  /// - Parameter scale: The number of digits after the point, 0 to 18, as a literal.
  case decimal(scale: Int)
  /// A UUID as 16 bytes: ``UUIDBytes``.
  case uuidBytes
}
