/// Makes a struct a model: a row of a table.
///
/// Each stored property becomes a column. The column named `id` is the primary key, unless the
/// declaration specifies a different key. The macro generates the schema, the initializer that
/// reads a row, the columns for queries, and `Draft`, the type of a row before insertion. A draft
/// omits a rowid key, which the database assigns.
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
///   - name: The table's name. By default, the type's name.
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
  named(PrimaryKey), named(init))
@attached(memberAttribute)
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
/// A property may be a model or a selection, whose columns are then adjacent in the row. An
/// optional property is `nil` if all its columns are NULL, as for a missing row of an outer join:
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
/// In a subquery or a view, such a column is named after the property and the column, separated by
/// a dot: `"company.id"`.
@attached(extension, conformances: Selection, names: named(init(row:)), named(_bind(to:at:)))
@attached(member, names: named(Columns))
@attached(memberAttribute)
public macro Selection() = #externalMacro(module: "MiniORMMacros", type: "SelectionMacro")

/// Specifies the name of a property's column, its constraints, and its storage format.
///
/// ```swift
/// @Column("total_cents", .check("total_cents >= 0"), as: .decimal(scale: 2)) var total: Decimal
/// ```
/// - Parameters:
///   - arguments: The column's name as a string literal, if it differs from the property's,
///     followed by constraints.
///   - representation: The storage format, or nil for the default format of the type.
///   - constraints: More constraints.
///   - formerNames: The column's former names, in files of earlier versions.
@attached(peer)
public macro Column(
  _ arguments: ColumnConstraint..., as representation: ColumnStorage? = nil,
  _ constraints: ColumnConstraint..., renamedFrom formerNames: String...
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Excludes a property from the columns. The property needs a default value, which it has in every
/// row that is read.
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
/// Queries refer to a column of the group by both names, `$0.address.city`. A `nil` in an optional
/// group stores NULL in all its columns. An optional group is read as `nil` if all its columns are
/// NULL, so a group whose values are all `nil` is also read as `nil`.
/// - Parameter prefix: The prefix of the columns' names, which may be empty. By default, the
///   property's name and an underscore.
@attached(peer)
public macro Embedded(_ prefix: String? = nil) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Accepts the type of an `@Embedded` property: a struct with `@Selection`. `@Table` generates this
/// call.
@attached(peer)
public macro _CheckEmbedded<Value: Selection>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")
where Value.Columns: SelectionColumns

/// Reports an error for an `@Embedded` property whose type cannot be embedded. `@Table` generates
/// this call.
@attached(peer)
public macro _CheckEmbedded<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// Accepts the type of a column. `@Table` generates this call.
@attached(peer)
public macro _CheckColumn<Value: ColumnValue>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Reports an error for a property whose type cannot be a column. `@Table` generates this call.
@attached(peer)
public macro _CheckColumn<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// Accepts the type of a property that is stored as JSON. `@Table` generates this call.
@attached(peer)
public macro _CheckJSON<Value: Codable & Sendable>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Reports an error for a property whose type cannot be stored as JSON. `@Table` generates this
/// call.
@attached(peer)
public macro _CheckJSON<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// Accepts a property whose type has the storage format of `@Column(as:)`. `@Table` generates this
/// call.
@attached(peer)
public macro _CheckStored<Representation: ColumnRepresentation>(
  _ type: Representation.Value.Type, as representation: Representation.Type
) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Reports an error for a property whose type does not have the storage format of `@Column(as:)`.
/// `@Table` generates this call.
@attached(peer)
public macro _CheckStored<Value, Representation>(
  _ type: Value.Type, as representation: Representation.Type
) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// Accepts a property with the value of one column. `@Selection` generates this call.
@attached(peer)
public macro _CheckSelected<Value: ColumnValue>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Accepts a property with the columns of a model or a selection. `@Selection` generates this call.
@attached(peer)
public macro _CheckSelected<Value: Selection>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "MarkerMacro")

/// Reports an error for a property whose type cannot be selected. `@Selection` generates this call.
@attached(peer)
public macro _CheckSelected<Value>(_ type: Value.Type) =
  #externalMacro(module: "MiniORMMacros", type: "NotAColumnMacro")

/// The naming of columns after properties.
public enum ColumnNaming: Sendable {
  /// Like the properties: `employeeCount`.
  case asWritten
  /// In lowercase, with words joined by underscores: `employee_count`.
  case snakeCase
}

/// A storage format that replaces the default format of a property's type.
public enum ColumnStorage: Sendable {
  /// A Codable value as JSON text: ``JSON``.
  case json
  /// A date as whole seconds since 1970: ``UnixSeconds``.
  case unixSeconds
  /// A date as seconds since 1970 with a fraction, as FMDB stores dates: ``UnixSecondsReal``.
  case unixSecondsReal
  /// A date as whole milliseconds since 1970: ``UnixMilliseconds``.
  case unixMilliseconds
  /// A decimal number, such as money, as a whole number of its smallest units: ``ScaledDecimal``.
  /// - Parameter scale: The number of digits after the decimal point, 0 to 18, as a literal.
  case decimal(scale: Int)
  /// A date as text with `T` and `Z`, as many other programs write it: ``ISO8601Date``.
  case iso8601
  /// A UUID as 16 bytes: ``UUIDBytes``.
  case uuidBytes
  /// A UUID as text in uppercase, as many other programs write it: ``UppercaseUUID``.
  case uppercaseUUID
}
