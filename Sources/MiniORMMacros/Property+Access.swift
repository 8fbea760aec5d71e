import SwiftSyntax

extension Property {
  /// Returns the access of a generated member whose type contains the property's type: the struct's
  /// access if the property's type is certainly public. Otherwise the access is limited to the
  /// property's, which never exceeds the access of the type.
  func access(in access: String) -> String {
    if hasKnownType { return access }
    let levels = Self.levels
    return (levels.firstIndex(of: self.access) ?? 0) < (levels.firstIndex(of: access) ?? 0)
      ? self.access : access
  }

  /// True if the default may use names that are not public: a public parameter's default cannot.
  var hidesDefault: Bool {
    guard let initial else { return false }
    if initial.isLiteral || initial.is(NilLiteralExprSyntax.self) { return false }
    return !hasKnownType
      || !(initial.constructedType == baseType || initial.isMember(of: baseType))
  }
  /// The name of the function that returns a hidden default.
  var defaultName: String {
    let name = "_default_\(plainName)"
    return self.name == plainName || isWord ? name : "`\(name)`"
  }

  fileprivate static let levels = ["fileprivate ", "", "package ", "public "]
}

extension [Property] {
  func access(in access: String) -> String {
    let all = Set(map { $0.access(in: access) })
    return Property.levels.first(where: all.contains) ?? access
  }

  /// Deprecated members use deprecated properties without a warning.
  var deprecation: String { contains(where: \.isDeprecated) ? "@available(*, deprecated) " : "" }
}

extension String {
  /// The bytes of a name in lowercase ASCII, as SQLite compares names.
  var folded: [UInt8] {
    utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
