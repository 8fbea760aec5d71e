import CSQLCipher

/// Values for the parameters of SQL text, by position or by name.
///
/// ```swift
/// try db.query("SELECT * FROM company WHERE name = ? AND age > ?", ["Acme", 3])
/// try db.query("SELECT * FROM company WHERE name = :name", ["name": "Acme"])
/// ```
///
/// In a literal, `nil` is NULL. Names have no leading `:`, `@` or `$`. A `Date`, a `UUID` or a
/// `Decimal` has several stored forms, so it throws: pass ``DatabaseValue/init(_:as:)``.
///
/// See [Parameters](https://www.sqlite.org/lang_expr.html#parameters).
public struct Arguments: Sendable, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  private var positional: [any ColumnValue] = []
  private var named: [(name: String, value: any ColumnValue)] = []

  /// Creates positional arguments, in which `nil` is NULL.
  @_documentation(visibility: internal)
  public init(arrayLiteral elements: (any ColumnValue)?...) {
    positional = elements.map { $0 ?? DatabaseValue.null }
  }

  /// Creates named arguments, in which `nil` is NULL. The names have no leading `:`, `@` or `$`.
  @_documentation(visibility: internal)
  public init(dictionaryLiteral elements: (String, (any ColumnValue)?)...) {
    named = elements.map { ($0, $1 ?? DatabaseValue.null) }
  }

  /// Creates positional arguments from an array.
  public init(_ values: [any ColumnValue]) { positional = values }

  /// Creates named arguments from a dictionary. The names have no leading `:`, `@` or `$`.
  public init(_ values: [String: any ColumnValue]) { named = values.map { ($0.key, $0.value) } }

  var isEmpty: Bool { positional.isEmpty && named.isEmpty }

  func bind(to statement: borrowing Statement) throws(DatabaseError) {
    let count = sqlite3_bind_parameter_count(statement.pointer)
    var sql: String? { Statement.sql(statement.pointer) }
    if named.isEmpty {
      guard positional.count == Int(count) else {
        throw DatabaseError(
          .bind, code: .range,
          "The number of values must equal the number of parameters. Values: \(positional.count); parameters: \(count)",
          sql: sql)
      }
      for value in positional { _ = try value.inRawSQL() }
      return try statement.bind(positional)
    }
    var missing: [Int32: String] = [:]
    for index in stride(from: 1, through: count, by: 1) {
      let name = sqlite3_bind_parameter_name(statement.pointer, index).map { String(cString: $0) }
      missing[index] =
        name.map { String(decoding: $0.utf8.dropFirst(), as: UTF8.self) } ?? "?\(index)"
    }
    for (name, value) in named {
      let matching = missing.filter { $0.value.hasSameBytes(as: name) }
      guard !matching.isEmpty else {
        throw DatabaseError(
          .bind, code: .range,
          "The statement has no parameter named \(name), or it was given twice: correct the name, and give each value once",
          sql: sql)
      }
      for index in matching.keys {
        try value.inRawSQL().bind(to: statement.parameter(index))
        missing[index] = nil
      }
    }
    guard missing.isEmpty else {
      let names = missing.sorted { $0.key < $1.key }.map(\.value).joined(separator: ", ")
      throw DatabaseError(
        .bind, code: .range,
        "No value was given for the parameters \(names): give a value for each", sql: sql)
    }
  }
}
