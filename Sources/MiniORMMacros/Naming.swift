/// How `columns:` names the column of a property. `ModelWriter.isSnakeCase` in the tool accepts only names for which this
/// is the inverse of its own rule.
enum Naming {
  case asWritten
  case snakeCase

  func column(_ property: String) -> String {
    guard self == .snakeCase else { return property }
    let letters = Array(property)
    var name = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0 {
        let startsWord = !letters[index - 1].isUppercase && letters[index - 1] != "_"
        let endsAcronym =
          index + 1 < letters.count && letters[index + 1].isLowercase
          && letters[index - 1].isUppercase && !letters.endsPlural(at: index + 1)
        if startsWord || endsAcronym { name += "_" }
      }
      name += letter.lowercased()
    }
    return name
  }
}

extension [Character] {
  /// True for the plural s of an acronym such as `IDs`.
  fileprivate func endsPlural(at index: Int) -> Bool {
    guard self[index] == "s", index > 1, self[index - 1].isUppercase, self[index - 2].isUppercase
    else { return false }
    return index + 1 == count || !self[index + 1].isLowercase
  }
}
