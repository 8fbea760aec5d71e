#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ColumnSchema {
  private static let textTypes: [any Any.Type] = [
    Date.self, ISO8601Date.self, TextSeconds.self, UUID.self, UppercaseUUID.self,
  ]

  /// The error if the declared type's affinity would change the values' storage class. For example,
  /// NUMERIC affinity stores the text 1.50 as the number 1.5.
  ///
  /// See [Determination Of Column
  /// Affinity](https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
  var affinityProblem: DatabaseError? {
    guard let typeSQL else { return nil }
    let declared = typeSQL.uppercasedASCII
    func names(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
    let affinity: ColumnType? =
      if names("INT") {
        .integer
      } else if names("CHAR", "CLOB", "TEXT") {
        .text
      } else if declared.isEmpty || names("BLOB") {
        .blob
      } else {
        names("REAL", "FLOA", "DOUB") ? .real : nil
      }
    let isConverted =
      switch (type, affinity) {
      // No text of a date, a UUID or a JSON object is a number.
      case (.text, nil) where names("DATE", "TIME", "JSON"): false
      case (.text, .integer), (.text, .real), (.text, nil):
        !Self.textTypes.contains { stored == $0 }
      case (.integer, .text), (.integer, .real), (.real, .text): true
      default: false
      }
    guard isConverted else { return nil }
    return DatabaseError(
      .migrate, code: .misuse,
      "SQLite would convert the values of \(table).\(name): they are \(type.rawValue), and the declared "
        + "type \(typeSQL) has \(affinity?.rawValue ?? "NUMERIC") affinity. Declare a type such as "
        + "\(type.rawValue), or a property whose type matches the column",
      table: table, column: name)
  }
}
