/// A parsed CREATE TABLE statement. Equivalent spellings are equal. The parser covers details that
/// no PRAGMA returns, such as CHECK, COLLATE and generated columns.
package struct TableDefinition: Sendable {
  package struct Clause: Hashable, Sendable {
    package let tokens: [SQLToken]
    package let text: String

    package static func == (left: Clause, right: Clause) -> Bool { left.tokens == right.tokens }
    package func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
  }

  package struct Column: Sendable {
    package let name: String
    package let key: ExactText
    package var type: ExactText = ""
    package var isNotNull = false
    package var defaultValue: Clause?
    package var collation: ExactText = "BINARY"
    package var generated: Clause?
    package var isStored = false
    package var range = 0..<0
    var typeRange = 0..<0
    /// The range of NOT NULL, from the end of the previous token.
    var notNullRange: Range<Int>?

    init(name: String) { (self.name, key) = (name, name.folded) }
  }

  package struct ForeignKey: Hashable, Sendable {
    package var columns: [ExactText]
    package var parent: ExactText = ""
    package var parentColumns: [ExactText] = []
    package var onDelete = "NO ACTION"
    package var onUpdate = "NO ACTION"
    package var isDeferred = false
  }

  package var sql = ""
  package var name = ""
  package var nameRange = 0..<0
  package var columns: [Column] = []
  package var primaryKey: [ExactText] = []
  package var isAutoincrement = false
  package var uniques: Set<[ExactText]> = []
  package var checks: [Clause] = []
  package var foreignKeys: Set<ForeignKey> = []
  package var isStrict = false
  package var isWithoutRowID = false
  /// Details that models cannot declare, such as ON CONFLICT clauses.
  package var others: Set<ExactText> = []

  package func column(_ name: String) -> Column? { column(name.folded) }
  package func column(_ key: ExactText) -> Column? { columns.first { $0.key == key } }

  package var hasRowIDKey: Bool {
    !isWithoutRowID && primaryKey.count == 1 && column(primaryKey[0])?.type == "INTEGER"
      && !others.contains("PRIMARY KEY DESC")
  }

  func sql(named name: String, removing removed: Column? = nil, adding added: String? = nil)
    -> String
  {
    let bytes = Array(sql.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    let start = columns.first?.range.lowerBound ?? nameRange.upperBound
    let end = columns.last?.range.upperBound ?? start
    var kept = columns.filter { $0.key != removed?.key }.map { text($0.range) }
    if let added { kept.append(added) }
    // The body may qualify columns with the old table name.
    let body =
      text(nameRange.upperBound..<start) + kept.joined(separator: ", ") + text(end..<bytes.count)
    return text(0..<nameRange.lowerBound) + name.quotedIdentifier
      + body.removingQualifier(self.name)
  }

  func sql(named name: String, retyping column: Column, as type: String, isNotNull: Bool) -> String
  {
    let bytes = Array(sql.utf8)
    var declaration = Array(bytes[column.range])
    func place(_ range: Range<Int>) -> Range<Int> {
      range.lowerBound - column.range.lowerBound..<range.upperBound - column.range.lowerBound
    }
    if let range = column.notNullRange { declaration.replaceSubrange(place(range), with: []) }
    let words = isNotNull ? " \(type) NOT NULL" : " \(type)"
    declaration.replaceSubrange(place(column.typeRange), with: words.utf8)
    var table = self
    table.sql = String(
      decoding: bytes[..<column.range.lowerBound] + declaration + bytes[column.range.upperBound...],
      as: UTF8.self)
    guard let parsed = try? TableDefinition(parsing: table.sql) else { return table.sql }
    return parsed.sql(named: name)
  }

  /// The first name of the rowid that no column has: `rowid`, `_rowid_` or `oid`.
  var rowIDName: String? {
    guard !isWithoutRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
  }
}
