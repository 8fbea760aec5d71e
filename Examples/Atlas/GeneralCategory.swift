import MiniORM

/// What kind of character a scalar is, by the two letters of the Unicode standard.
///
/// An enumeration with raw values is a column once it says that it is a `ColumnValue`. Reading a
/// value that is none of these throws.
enum GeneralCategory: String, CaseIterable, ColumnValue {
  case uppercaseLetter = "Lu"
  case lowercaseLetter = "Ll"
  case titlecaseLetter = "Lt"
  case modifierLetter = "Lm"
  case otherLetter = "Lo"
  case nonspacingMark = "Mn"
  case spacingMark = "Mc"
  case enclosingMark = "Me"
  case decimalNumber = "Nd"
  case letterNumber = "Nl"
  case otherNumber = "No"
  case connectorPunctuation = "Pc"
  case dashPunctuation = "Pd"
  case openPunctuation = "Ps"
  case closePunctuation = "Pe"
  case initialPunctuation = "Pi"
  case finalPunctuation = "Pf"
  case otherPunctuation = "Po"
  case mathSymbol = "Sm"
  case currencySymbol = "Sc"
  case modifierSymbol = "Sk"
  case otherSymbol = "So"
  case spaceSeparator = "Zs"
  case lineSeparator = "Zl"
  case paragraphSeparator = "Zp"
  case control = "Cc"
  case format = "Cf"
  case privateUse = "Co"
}

extension GeneralCategory {
  /// Takes over the standard library's category.
  /// - Parameter category: The category. `nil` results from those that no assigned scalar has.
  init?(_ category: Unicode.GeneralCategory) {
    switch category {
    case .uppercaseLetter: self = .uppercaseLetter
    case .lowercaseLetter: self = .lowercaseLetter
    case .titlecaseLetter: self = .titlecaseLetter
    case .modifierLetter: self = .modifierLetter
    case .otherLetter: self = .otherLetter
    case .nonspacingMark: self = .nonspacingMark
    case .spacingMark: self = .spacingMark
    case .enclosingMark: self = .enclosingMark
    case .decimalNumber: self = .decimalNumber
    case .letterNumber: self = .letterNumber
    case .otherNumber: self = .otherNumber
    case .connectorPunctuation: self = .connectorPunctuation
    case .dashPunctuation: self = .dashPunctuation
    case .openPunctuation: self = .openPunctuation
    case .closePunctuation: self = .closePunctuation
    case .initialPunctuation: self = .initialPunctuation
    case .finalPunctuation: self = .finalPunctuation
    case .otherPunctuation: self = .otherPunctuation
    case .mathSymbol: self = .mathSymbol
    case .currencySymbol: self = .currencySymbol
    case .modifierSymbol: self = .modifierSymbol
    case .otherSymbol: self = .otherSymbol
    case .spaceSeparator: self = .spaceSeparator
    case .lineSeparator: self = .lineSeparator
    case .paragraphSeparator: self = .paragraphSeparator
    case .control: self = .control
    case .format: self = .format
    case .privateUse: self = .privateUse
    case .surrogate, .unassigned: return nil
    @unknown default: return nil
    }
  }

  /// The category in words: `currencySymbol` is "currency symbol".
  var title: String {
    "\(self)".map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined()
  }

  /// Whether one sees something when a scalar of the kind is printed. The others are left out of
  /// what is printed: some of them move the cursor, or turn the rest of the line around.
  var isVisible: Bool {
    switch self {
    case .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format, .privateUse: false
    default: true
    }
  }
}
