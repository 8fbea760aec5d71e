import MiniORM

extension Scalar {
  /// Whether a code point is an assigned scalar. A surrogate is no scalar. Private use is assigned:
  /// Unicode gives those code points away, and leaves their meaning to whoever uses them.
  static func isAssigned(_ codePoint: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(codePoint) else { return false }
    return scalar.properties.generalCategory != .unassigned
  }

  /// The row of a scalar, from the properties that Swift's standard library has.
  /// - Parameter codePoint: The code point. One that is not assigned gives `nil`.
  init?(assigned codePoint: UInt32) {
    guard let scalar = Unicode.Scalar(codePoint),
      let category = GeneralCategory(scalar.properties.generalCategory)
    else { return nil }
    let properties = scalar.properties
    let text = String(scalar)
    func other(_ mapping: String) -> String? { mapping == text ? nil : mapping }
    self.init(
      codePoint: codePoint,
      // An alias corrects a name; Unicode never changes one.
      name: properties.nameAlias ?? properties.name,
      category: category,
      age: properties.age.map { UnicodeVersion(major: $0.major, minor: $0.minor) },
      numericValue: properties.numericValue,
      isEmoji: properties.isEmoji,
      uppercase: other(properties.uppercaseMapping),
      lowercase: other(properties.lowercaseMapping),
      titlecase: other(properties.titlecaseMapping))
  }

  /// The code point as Unicode writes it: `U+2603`.
  var label: String { Self.label(codePoint) }

  /// A code point as Unicode writes it, with four digits at least.
  static func label(_ codePoint: UInt32) -> String {
    let digits = String(codePoint, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// The name, or what to call a scalar that has none: `<control>`.
  var title: String { name ?? "<\(category.title)>" }

  /// The scalar itself; empty where there is nothing to see. A mark needs something to stand on.
  var glyph: String {
    guard category.isVisible, let scalar = Unicode.Scalar(codePoint) else { return "" }
    switch category {
    case .nonspacingMark, .spacingMark, .enclosingMark: return "\u{25CC}\(scalar)"
    default: return String(scalar)
    }
  }
}
