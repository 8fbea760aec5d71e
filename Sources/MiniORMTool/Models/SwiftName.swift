import MiniORM

enum SwiftName {
  /// Returns the name of a type: `invoice_items` becomes `InvoiceItems`.
  static func type(_ name: String) -> String {
    let joined = words(name).map(\.capitalizedFirst).joined()
    let type = startsWithDigit(joined) ? "Table\(joined)" : joined.isEmpty ? "Unnamed" : joined
    return libraryTypes.contains(type) || otherTypes.contains(type) ? "\(type)Record" : type
  }

  /// Returns the name of a property, without backticks: `invoice_id` becomes `invoiceId`, and
  /// `AlbumId` becomes `albumId`.
  static func property(_ name: String) -> String {
    let words = words(name)
    let joined =
      (words.first?.uncapitalizedFirst ?? "") + words.dropFirst().map(\.capitalizedFirst).joined()
    if joined.isEmpty { return "unnamed" }
    // With a parameter named `self`, an initializer could not refer to the new value.
    if joined == "self" { return "selfValue" }
    return startsWithDigit(joined) ? "column\(joined)" : joined == "Type" ? "type" : joined
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
        let number = numbers[name, default: 2]
        numbers[name] = number + 1
        result = "\(name)\(number)"
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

  static func literal(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case "\t": literal += "\\t"
      default:
        if scalar.isASCII ? scalar.value >= 0x20 && scalar.value != 0x7f : isLetter(scalar) {
          literal.unicodeScalars.append(scalar)
        } else {
          // A combining mark would merge with the previous character.
          literal += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return literal + "\""
  }

  private static func words(_ name: String) -> [String] {
    var words = [""]
    for scalar in name.unicodeScalars {
      if isLetter(scalar) || ("0"..."9").contains(scalar) {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else if words[words.count - 1] != "" {
        words.append("")
      }
    }
    return words.filter { !$0.isEmpty }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else {
      return ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .otherLetter:
      return scalar.value >= 0xc0 && scalar.value < 0xf900
    default: return false
    }
  }

  static func words(in list: String) -> Set<String> {
    Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
  }

  private static func startsWithDigit(_ name: String) -> Bool {
    name.unicodeScalars.first.map { ("0"..."9").contains($0) } ?? false
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
    guard let first = unicodeScalars.first else { return self }
    let upper = first.properties.uppercaseMapping
    // A letter such as ß, whose uppercase form has two letters, is not changed.
    guard upper.unicodeScalars.count == 1 else { return self }
    return upper + String(unicodeScalars.dropFirst())
  }

  /// The name with its first word in lowercase: `albumId` for `AlbumId`, `url` for `URL`, `urlText`
  /// for `URLText`.
  fileprivate var uncapitalizedFirst: String {
    let letters = Array(unicodeScalars)
    var count = letters.prefix { $0.properties.isUppercase }.count
    if count > 1, count < letters.count, letters[count].properties.isLowercase { count -= 1 }
    var result = ""
    for (index, letter) in letters.enumerated() {
      let lower = letter.properties.lowercaseMapping
      if index < count, lower.unicodeScalars.count == 1 {
        result += lower
      } else {
        result.unicodeScalars.append(letter)
      }
    }
    return result
  }
}
