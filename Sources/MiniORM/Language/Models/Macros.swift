/// Makes a struct a model: a row of a table.
///
/// Each stored property becomes a column. The column `id` is the primary key, unless the
/// declaration specifies a different key. The macro generates the schema, the initializer that
/// reads a row, the columns for queries, and `Draft`, the type of a row before insertion. If the
/// database assigns the key, a draft has no key.
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
///   - columns: The naming of columns after properties.
///   - primaryKey: The properties of a composite primary key, in order: `["userID", "groupID"]`.
///     The macro checks these names.
///   - options: STRICT, the default, and WITHOUT ROWID.
///   - formerNames: The table's former names, in files of earlier versions.
@attached(
  extension, conformances: Model, PrimaryKeyedModel,
  names: named(columns), named(schema), named(init(row:)), named(bind(to:at:)), named(primaryKey),
  named(bind(_:to:at:)))
@attached(
  member, names: named(Columns), named(Draft), named(_KeyedDraft), named(_KeylessDraft),
  named(PrimaryKey), named(init), named(columns), named(primaryKey), named(bind(_:to:at:)))
public macro Table(
  _ name: String? = nil, columns: ColumnNaming = .asWritten, primaryKey: [String] = [],
  options: TableOptions = [.strict], renamedFrom formerNames: String...
) = #externalMacro(module: "MiniORMMacros", type: "TableMacro")

/// Makes a struct a row of a query's result: some columns of tables, or computed values.
///
/// Each stored property is a value of the row. The macro generates the initializer that reads a
/// row, and `Columns`, which maps each property to its expression:
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
/// A property may be a model or a selection, whose columns are adjacent in the row. An optional
/// property is `nil` if all its columns are NULL, as for a missing row of an outer join:
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
/// In a subquery or a view, the column `id` of `company` is named `"company.id"`.
@attached(extension, conformances: Selection, names: named(init(row:)), named(_bind(to:at:)))
@attached(member, names: named(Columns))
public macro Selection() = #externalMacro(module: "MiniORMMacros", type: "SelectionMacro")

/// Specifies the name of a property's column, its constraints, and its storage format.
///
/// ```swift
/// @Column("total_cents", .check("total_cents >= 0"), as: .decimal(scale: 2)) var total: Decimal
/// ```
/// - Parameters:
///   - arguments: The column's name as a string literal, if it differs from the property's,
///     followed by constraints.
///   - representation: The storage format; by default, the type's format.
///   - constraints: More constraints.
///   - formerNames: The column's former names, in files of earlier versions.
@attached(peer)
public macro Column(
  _ arguments: ColumnConstraint..., as representation: ColumnStorage? = nil,
  _ constraints: ColumnConstraint..., renamedFrom formerNames: String...
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Excludes a property from the columns. The property needs a default value. Rows that are read
/// have the default.
@attached(peer)
public macro Transient() = #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Makes a property of a `@Table` a group of columns. Its type is a struct with `@Selection`.
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
/// A query refers to a column of the group by both names: `$0.address.city`. An optional group is
/// `nil` if all its columns are NULL. Storing `nil` stores NULL in all columns, so a group whose
/// values are all `nil` is read back as `nil`.
/// - Parameter prefix: The prefix of the column names, which may be empty. The default is the
///   property's name and an underscore.
@attached(peer)
public macro Embedded(_ prefix: String? = nil) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// For `@Table`: accepts an `@Embedded` property whose type is a `@Selection` struct.
@attached(peer)
public macro _CheckEmbedded<Value: Selection>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")
where Value.Columns: SelectionColumns

/// For `@Table`: rejects an `@Embedded` property of any other type.
@attached(peer)
public macro _CheckEmbedded<Value>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// For `@Table`: accepts a property whose type can be a column.
@attached(peer)
public macro _CheckColumn<Value: ColumnValue>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// For `@Table`: rejects a property whose type cannot be a column.
@attached(peer)
public macro _CheckColumn<Value>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// For `@Table`: accepts a property whose type can be stored as JSON.
@attached(peer)
public macro _CheckJSON<Value: Codable & Sendable>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// For `@Table`: rejects a property whose type cannot be stored as JSON.
@attached(peer)
public macro _CheckJSON<Value>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// For `@Table`: accepts a property whose type matches the storage format of `@Column(as:)`.
@attached(peer)
public macro _CheckStored<Representation: ColumnRepresentation>(
  _ message: String, _ type: Representation.Value.Type, as representation: Representation.Type
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// For `@Table`: rejects a property whose type does not match the storage format of `@Column(as:)`.
@attached(peer)
public macro _CheckStored<Value, Representation>(
  _ message: String, _ type: Value.Type, as representation: Representation.Type
) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// For `@Selection`: accepts a property with the value of a single column.
@attached(peer)
public macro _CheckSelected<Value: ColumnValue>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// For `@Selection`: accepts a property with the columns of a model or a selection.
@attached(peer)
public macro _CheckSelected<Value: Selection>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// For `@Selection`: rejects a property whose type cannot be selected.
@attached(peer)
public macro _CheckSelected<Value>(_ message: String, _ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// The naming of columns after properties.
public enum ColumnNaming: Sendable {
  /// The property's name unchanged: `employeeCount`.
  case asWritten
  /// The property's name in lowercase, with underscores between words: `employee_count`.
  case snakeCase
}
