import MiniORM

enum SwiftName {
  /// Returns the name of a type: `invoice_items` becomes `InvoiceItems`.
  static func type(_ name: String) -> String {
    let joined = words(name).map(\.capitalizedFirst).joined()
    guard let first = joined.first else { return "Unnamed" }
    let type = ("0"..."9").contains(first) ? "Table\(joined)" : joined
    return libraryTypes.contains(type) || otherTypes.contains(type) ? "\(type)Record" : type
  }

  /// Returns the name of a property, without backticks: `invoice_id` becomes `invoiceId`, and
  /// `AlbumId` becomes `albumId`.
  static func property(_ name: String) -> String {
    let words = words(name)
    let joined =
      (words.first?.uncapitalizedFirst ?? "") + words.dropFirst().map(\.capitalizedFirst).joined()
    guard let first = joined.first else { return "unnamed" }
    // With a parameter named `self`, an initializer could not refer to the new value.
    if joined == "self" { return "selfValue" }
    return ("0"..."9").contains(first) ? "column\(joined)" : joined == "Type" ? "type" : joined
  }

  /// The unique names of a scope.
  struct Scope: ExpressibleByArrayLiteral {
    private var names: Set<String>
    private var numbers: [String: Int] = [:]

    init(_ names: some Sequence<String>) { self.names = Set(names) }
    init(arrayLiteral names: String...) { self.init(names) }

    mutating func add(_ name: String) -> String {
      var result = name
      while !names.insert(result).inserted {
        numbers[name, default: 1] += 1
        result = "\(name)\(numbers[name, default: 1])"
      }
      return result
    }
  }

  /// The properties of a model. SQLite's names are equal if they differ only in the case of ASCII
  /// letters.
  struct Properties {
    private var names: Set<ExactText> = []
    private var properties: Scope

    init(_ reserved: String...) { properties = Scope(reserved) }

    /// Returns the property of a column; `nil` if the model has the column's name already, or cannot
    /// have it.
    /// - Parameter id: The property of a column that would be `id`, which is a key.
    mutating func add(_ name: String, id: String = "id") -> String? {
      guard !name.isEmpty, !SwiftName.isReserved(name), names.insert(name.folded).inserted else {
        return nil
      }
      let property = SwiftName.property(name)
      return properties.add(property == "id" ? id : property)
    }
  }

  /// True for the name of an object that belongs to SQLite.
  static func isReserved(_ name: String) -> Bool {
    name.folded.string.utf8.starts(with: "sqlite_".utf8)
  }

  /// Returns the name as written in Swift, in backticks if the name is a keyword.
  static func written(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

  /// The text within a string literal.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\n": "\\n"
      case "\t": "\\t"
      case " "..."~": "\(scalar)"
      // A combining mark would merge with the previous character.
      default: isLetter(scalar) ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
      }
    }.joined()
  }

  private static func words(_ name: String) -> [String] {
    name.unicodeScalars.split { !isLetter($0) && !("0"..."9").contains($0) }.map(String.init)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    let letters: [Unicode.GeneralCategory] = [
      .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter,
    ]
    return letters.contains(scalar.properties.generalCategory)
      && (scalar.isASCII || (0xc0..<0xf900).contains(scalar.value))
  }

  static func words(in list: String) -> Set<String> {
    Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  private static let keywords = words(
    in: """
      as associatedtype break case catch class continue default defer deinit do else enum extension
      fallthrough false fileprivate for func guard if import in init inout internal is let nil
      operator precedencegroup private protocol public repeat rethrows return self static struct
      subscript super switch throw throws true try typealias var where while
      """)

  /// Types of Swift, Foundation and SwiftUI that an app may use in the file of the models.
  private static let otherTypes = words(
    in: """
      Any AnyObject Actor Array Bool Character Codable Columns Comparable Data Date Decimal Dictionary
      Double Draft Duration Encodable Equatable Error Float Foundation Hashable Identifiable Int Int8
      Int16 Int32 Int64 Locale MiniORM Never Optional PrimaryKey Protocol Range Result Self Sendable
      Sequence Set String Substring Swift Task Type UInt UInt8 URL UUID Unicode Void App Binding
      Button Color Environment Form Grid Group Image Label Layout Link List Path Scene Section Shape
      State TableColumn TableRow Text Transaction View Window
      """)
}

extension String {
  fileprivate var capitalizedFirst: String {
    unicodeScalars.prefix(1).map { $0.mapped(\.uppercaseMapping) }.joined()
      + String(unicodeScalars.dropFirst())
  }

  /// The name with its first word in lowercase: `albumId` for `AlbumId`, `url` for `URL`, `urlText`
  /// for `URLText`.
  fileprivate var uncapitalizedFirst: String {
    let capitals = unicodeScalars.prefix { $0.properties.isUppercase }
    let rest = unicodeScalars.dropFirst(capitals.count)
    let startsWord = capitals.count > 1 && rest.first?.properties.isLowercase ?? false
    let word = capitals.dropLast(startsWord ? 1 : 0)
    return word.map { $0.mapped(\.lowercaseMapping) }.joined()
      + String(unicodeScalars.dropFirst(word.count))
  }
}

extension Unicode.Scalar {
  /// Returns the other case. A letter such as ß, whose uppercase form has two letters, is not
  /// changed.
  fileprivate func mapped(_ mapping: KeyPath<Unicode.Scalar.Properties, String>) -> String {
    let text = properties[keyPath: mapping]
    return text.unicodeScalars.count == 1 ? text : String(self)
  }
}
