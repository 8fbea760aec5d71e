/// A table as its CREATE TABLE statement declares it, in a form in which two spellings of the same
/// declaration are equal.
///
/// The statements of the file and those of the models are parsed in the same way, so that nothing
/// is lost for which SQLite has no PRAGMA, such as CHECK, COLLATE and the expressions of generated
/// columns.
struct TableDefinition: Sendable {
  /// SQL as it was written, compared by its tokens.
  struct Clause: Hashable, Sendable {
    let tokens: [SQLToken]
    let text: String

    static func == (left: Clause, right: Clause) -> Bool { left.tokens == right.tokens }
    func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
  }

  struct Column: Sendable {
    var name: String
    /// The declared type, in uppercase.
    var type: ExactText = ""
    var isNotNull = false
    var defaultValue: Clause?
    var collation: ExactText = "BINARY"
    var generated: Clause?
    var isStored = false
    /// The range of its declaration in the statement, in UTF-8 bytes.
    var range = 0..<0

    var key: ExactText { name.folded }
  }

  struct ForeignKey: Hashable, Sendable {
    var columns: [ExactText]
    var parent: ExactText = ""
    /// Empty for the parent's primary key.
    var parentColumns: [ExactText] = []
    var onDelete = "NO ACTION"
    var onUpdate = "NO ACTION"
    var isDeferred = false
  }

  var sql = ""
  var name = ""
  /// The range of the name in the statement, in UTF-8 bytes.
  var nameRange = 0..<0
  var columns: [Column] = []
  var primaryKey: [ExactText] = []
  var isAutoincrement = false
  var uniques: Set<[ExactText]> = []
  var checks: [Clause] = []
  var foreignKeys: Set<ForeignKey> = []
  var isStrict = false
  var isWithoutRowID = false
  /// ON CONFLICT clauses and other details that no model declares.
  var others: Set<ExactText> = []

  func column(_ name: String) -> Column? { column(name.folded) }
  func column(_ key: ExactText) -> Column? { columns.first { $0.key == key } }

  /// Whether the primary key is the rowid.
  var hasRowIDKey: Bool {
    !isWithoutRowID && primaryKey.count == 1 && column(primaryKey[0])?.type == "INTEGER"
      && !others.contains("PRIMARY KEY DESC")
  }

  /// Returns the statement for a table of another name, with a column added or removed.
  /// - Parameters:
  ///   - name: The other name.
  ///   - removed: A column to leave out.
  ///   - added: The declaration of a column to add.
  func sql(named name: String, removing removed: Column? = nil, adding added: String? = nil)
    -> String
  {
    let bytes = Array(sql.utf8)
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    let start = columns.first?.range.lowerBound ?? nameRange.upperBound
    let end = columns.last?.range.upperBound ?? start
    var kept = columns.filter { $0.key != removed?.key }.map { text($0.range) }
    if let added { kept.append(added) }
    // It may contain columns qualified with a name that is no longer the table's.
    let body =
      text(nameRange.upperBound..<start) + kept.joined(separator: ", ") + text(end..<bytes.count)
    return text(0..<nameRange.lowerBound) + name.quotedIdentifier
      + body.removingQualifier(self.name)
  }

  /// The name of the rowid that no column of the same name hides.
  var rowIDName: String? {
    guard !isWithoutRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { column($0) == nil }
  }
}
