/// A path into JSON, such as `$.address.city` or `$.phones[0]`.
///
/// A literal is a path in SQLite's syntax. An interpolated value is a key or an index. Keys are
/// quoted, so they may contain quotes, dots and brackets, and may come from user input.
///
/// ```swift
/// let city: JSONPath = "$.address.city"
/// let phone: JSONPath = "$.phones.\(label)[\(-1)]"   // the last one
/// ```
///
/// A query with an invalid path throws `bad JSON path`. See [PATH
/// arguments](https://www.sqlite.org/json1.html#path_arguments).
public struct JSONPath: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The path in SQLite's syntax.
  public let text: String

  /// The path of the whole JSON: `$`.
  public static let root: JSONPath = "$"

  /// Creates a path from a literal.
  @_documentation(visibility: internal)
  public init(stringLiteral value: String) { text = value }

  /// Creates a path from a literal with interpolated keys and indexes.
  @_documentation(visibility: internal)
  public init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// Collects the parts of a path.
  public struct StringInterpolation: StringInterpolationProtocol {
    var text = ""

    /// Creates an empty interpolation.
    @_documentation(visibility: internal)
    public init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends a part of a path.
    @_documentation(visibility: internal)
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends a key of an object, quoted. Write it after a dot: `"$.\(key)"`.
    public mutating func appendInterpolation(_ key: String) { text += JSONPath.quoted(key) }

    /// Appends an index of an array, within brackets: `"$[\(index)]"`.
    /// - Parameter index: The index, from 0. A negative index counts from the end.
    public mutating func appendInterpolation(_ index: Int) {
      // SQLite counts with 32 bits and wraps around. A larger index becomes the largest, which does
      // not exist.
      let place = Swift.min(index.magnitude, UInt(UInt32.max))
      text += index < 0 ? "#-\(place)" : "\(place)"
    }

    /// Appends a whole path: `"\(path).name"`.
    public mutating func appendInterpolation(_ path: JSONPath) { text += path.text }
  }

  /// SQLite's paths accept a quotation mark only as a \u escape, and end at a NUL.
  private static func quoted(_ key: String) -> String {
    var text = "\""
    for scalar in key.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{8}": text += "\\b"
      case "\u{c}": text += "\\f"
      case "\"", "\u{0}"..."\u{1f}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }

  /// A literal instead of a parameter, so that SQLite can use an index on an expression with the
  /// path.
  var sql: SQL { SQL(raw: DatabaseValue.text(text).literal) }
}

/// The type of a JSON value, as `json_type` names it.
public enum JSONType: String, ColumnValue {
  /// `null`.
  case null
  /// `true`.
  case `true`
  /// `false`.
  case `false`
  /// A whole number.
  case integer
  /// A number with a fraction or an exponent.
  case real
  /// A text.
  case text
  /// An array.
  case array
  /// An object.
  case object
}
