/// An element of a JSON array or object: a row of `json_each` or `json_tree`.
///
/// See [The json_each() and json_tree() table-valued
/// functions](https://www.sqlite.org/json1.html#jeach).
public struct JSONElement<Key: ColumnValue, Value: Sendable>: Sendable {
  /// The index in an array or the key in an object.
  public let key: Key
  /// The value.
  public let value: Value
  /// The type of the value.
  public let type: JSONType
  /// A number that identifies the element within the JSON.
  public let id: Int
  /// The ``id`` of the enclosing array or object in a tree, or `nil` at the root and with
  /// `jsonEach`.
  public let parent: Int?
  /// The path of the element.
  public let fullKey: String
  /// The path of the enclosing array or object.
  public let path: String

  /// The columns of the rows of `jsonEach` or a tree: a row for each JSON element.
  public struct Columns: SourceColumns {
    /// The index in an array or the key in an object.
    public let key: SQLExpression<Key>
    /// The value.
    public let value: SQLExpression<Value>
    /// The type of the value.
    public let type: SQLExpression<JSONType>
    /// The value, or NULL for an array or an object.
    public let atom: SQLExpression<DatabaseValue>
    /// A number that identifies the element within the JSON.
    public let id: SQLExpression<Int>
    /// The ``id`` of the enclosing array or object in a tree.
    public let parent: SQLExpression<Int?>
    /// The path of the element.
    public let fullKey: SQLExpression<String>
    /// The path of the enclosing array or object.
    public let path: SQLExpression<String>

    init(of table: String, value coding: Coding<Value>) {
      func column<Content>(_ name: String, _ coding: Coding<Content>) -> SQLExpression<Content> {
        SQLExpression(
          SQL(column: name, of: table), coding,
          ColumnSchema(name, table: table, type: coding.type, isNullable: coding.isNullable, []))
      }
      key = column("key", Coding())
      let stored = column("value", coding)
      let converted = coding.element(stored.sql, text: .jsonNumber(of: table))
      value =
        converted.text.hasSameBytes(as: stored.sql.text) ? stored : SQLExpression(converted, coding)
      type = column("type", Coding())
      atom = column("atom", Coding())
      id = column("id", Coding())
      parent = column("parent", Coding())
      fullKey = column("fullkey", Coding())
      path = column("path", Coding())
    }

    /// The number of columns without ``atom``.
    public static var _columnCount: Int32 { 7 }

    /// Returns all the columns except ``atom``.
    @_documentation(visibility: internal)
    public static func resultColumns(_ projection: Columns) -> [ResultColumn] {
      [
        projection.key.resultColumn,
        ResultColumn(projection.value.sql, name: "value", coding: projection.value.coding),
        projection.type.resultColumn,
        projection.id.resultColumn, projection.parent.resultColumn,
        projection.fullKey.resultColumn, projection.path.resultColumn,
      ]
    }

    /// Returns the same columns under an alias.
    @_documentation(visibility: internal)
    public static func renamed(_ columns: Columns, as table: String) -> Columns {
      Columns(of: table, value: columns.value.coding)
    }

    /// Reads an element.
    @_documentation(visibility: internal)
    public static func read(_ projection: Columns, from row: borrowing Row, at first: Int32)
      throws(DatabaseError) -> JSONElement
    {
      JSONElement(
        key: try projection.key.coding.decode(row[first]),
        value: try projection.value.coding.decode(row[first + 1]),
        type: try projection.type.coding.decode(row[first + 2]),
        id: try projection.id.coding.decode(row[first + 3]),
        parent: try projection.parent.coding.decode(row[first + 4]),
        fullKey: try projection.fullKey.coding.decode(row[first + 5]),
        path: try projection.path.coding.decode(row[first + 6]))
    }
  }
}

extension SQLExpression {
  fileprivate var resultColumn: ResultColumn {
    ResultColumn(sql, name: column?.name, coding: coding)
  }
}

extension JSONElement: Equatable where Key: Equatable, Value: Equatable {}

/// A type that is encoded as a JSON array, or as an object whose values have a common type.
public protocol JSONContainer: Codable {
  /// `Int` for the indexes of an array, `String` for the keys of an object.
  associatedtype JSONKey: ColumnValue = Int
  /// The type of the elements.
  associatedtype JSONValue: Codable
}
extension JSONContainer where Self: Collection {
  /// The array's or the set's element.
  @_documentation(visibility: internal)
  public typealias JSONValue = Element
}
extension Array: JSONContainer where Element: Codable {}
extension Set: JSONContainer where Element: Codable {}
extension Dictionary: JSONContainer where Key == String, Value: Codable {
  /// The key in the object.
  @_documentation(visibility: internal)
  public typealias JSONKey = String
  /// The object's value.
  @_documentation(visibility: internal)
  public typealias JSONValue = Value
}
extension Optional: JSONContainer where Wrapped: JSONContainer {
  /// The key of the wrapped type.
  @_documentation(visibility: internal)
  public typealias JSONKey = Wrapped.JSONKey
  /// The value of the wrapped type.
  @_documentation(visibility: internal)
  public typealias JSONValue = Wrapped.JSONValue
}

extension SQLExpression where Value: JSONContainer {
  /// Returns the elements of a JSON array or object as rows: `json_each`. NULL has no elements.
  ///
  /// ```swift
  /// companies.join { $0.tags.jsonEach() }.where { company, tag in tag.value == "iron" }
  /// ```
  /// Values keep their JSON format: a date is a number of seconds since 2001, or a text if SQL
  /// wrote the date, and bytes are base64. A `Decimal` keeps all its digits.
  /// - Parameter name: The table name of the rows in the query.
  public func jsonEach(as name: String = "each")
    -> Alias<JSONElement<Value.JSONKey, Value.JSONValue>.Columns>
  where Value.JSONValue: ColumnValue {
    elements("json_each", sql, as: name, .element)
  }

  /// Returns the elements of a JSON array or object as rows, if the elements are arrays or objects.
  /// - Parameters:
  ///   - type: `JSON` of an element's type.
  ///   - name: The table name of the rows in the query.
  public func jsonEach(_ type: JSON<Value.JSONValue>.Type, as name: String = "each")
    -> Alias<JSONElement<Value.JSONKey, Value.JSONValue>.Columns>
  where Value.JSONValue: Sendable {
    elements("json_each", sql, as: name, Coding(type))
  }
}

extension SQLExpression where Value: Codable {
  /// Returns all values in the JSON, at every depth, as rows: `json_tree`.
  ///
  /// Keys and values can have any storage class. An array or object is returned as its text.
  /// - Parameter name: The table name of the rows in the query.
  public func jsonTree(as name: String = "tree")
    -> Alias<JSONElement<DatabaseValue, DatabaseValue>.Columns>
  {
    elements("json_tree", sql, as: name, Coding())
  }
}

private func elements<Key, Value>(
  _ function: String, _ json: SQL, as name: String, _ coding: Coding<Value>
) -> Alias<JSONElement<Key, Value>.Columns> {
  Alias(
    JSONElement<Key, Value>.Columns(of: name, value: coding),
    clauses: SelectClauses(
      from: SQL.call(function, [json]).appending(SQL(segments: [.name(.alias(name))]))),
    table: JoinedTable(name: name, model: nil, isFunction: true))
}

extension SQL {
  /// A JSON number as text: `json_each` would give a REAL with 15 digits.
  fileprivate static func jsonNumber(of table: String) -> SQL {
    let text = SQL(column: "json", of: table)
      .appending(SQL(raw: " -> "), SQL(column: "fullkey", of: table))
    // SQLite's own path does not find a key that contains a quotation mark.
    let value = SQL(raw: "CAST(").appending(SQL(column: "atom", of: table), SQL(raw: " AS TEXT)"))
    let isNull = SQL(column: "type", of: table).appending(SQL(raw: " = 'null'"))
    return .call("iif", [isNull, SQL(raw: "NULL"), .call("coalesce", [text, value])])
  }
}
