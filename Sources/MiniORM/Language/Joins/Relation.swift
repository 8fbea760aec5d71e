/// A pair of columns with equal values in a row and its related rows. A composite key has more
/// pairs.
struct Relation: Sendable {
  let child: SQL
  let parent: ParentKey
  /// True if every related row has a parent row: the column is a foreign key and NOT NULL.
  var isTotal = false
  /// Returns a single representative for all values that SQLite considers equal.
  let key: @Sendable (DatabaseValue) -> DatabaseValue
  private var others: [Relation] = []

  var pairs: [Relation] { [self] + others }

  private init(
    child: SQL, parent: ParentKey, key: @escaping @Sendable (DatabaseValue) -> DatabaseValue
  ) {
    (self.child, self.parent, self.key) = (child, parent, key)
  }

  static func matching(
    _ pairs: [(child: KeyExpression, parent: ColumnReference, column: ColumnSchema?)]
  ) -> Result<Relation, DatabaseError> {
    Result { () throws(DatabaseError) in
      var relations: [Relation] = []
      for pair in pairs {
        relations.append(try matching(pair.child, pair.parent, pair.column).get())
      }
      var relation = relations[0]
      relation.others = Array(relations.dropFirst())
      return relation
    }
  }

  /// Compares as SQLite's `=` does, with the parent column's collation, as for foreign keys.
  ///
  /// See [Type Conversions Prior To
  /// Comparison](https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison) and
  /// [Foreign Key Support](https://www.sqlite.org/foreignkeys.html#fk_basics).
  static func matching(
    _ child: KeyExpression, _ reference: ColumnReference, _ column: ColumnSchema?
  ) -> Result<Relation, DatabaseError> {
    let format = StoredFormat(of: column?.stored)
    guard child.format.meeting(format) == .equal else {
      return .failure(child.format.refusal(child.sql.text, format, reference.sql.text))
    }
    let collation = column?.collation ?? .binary
    guard [.binary, .nocase, .rtrim].contains(collation) else {
      return .failure(
        .query(
          "\(reference.sql.text) has a custom collation, so that rows cannot be matched with their related "
            + "rows: join the tables"))
    }
    // An expression that is not a column has the parent column's Swift type, so assume its
    // affinity.
    let isNumeric = column?.isNumeric ?? false
    let isChildNumeric = child.column?.isNumeric ?? isNumeric
    var sql = isNumeric && !isChildNumeric ? child.sql.asNumber : child.sql
    if child.column == nil || child.column?.collation ?? .binary != collation {
      sql = SQL(raw: "(").appending(sql, SQL(raw: " COLLATE \(collation.name))"))
    }
    let parent = ParentKey(column: reference, isNumber: isChildNumeric && !isNumeric)
    return .success(Relation(child: sql, parent: parent) { $0.compared(by: collation) })
  }
}

struct KeyExpression {
  let sql: SQL
  let column: ColumnSchema?
  let format: StoredFormat

  init(_ sql: SQL, _ column: ColumnSchema) {
    (self.sql, self.column, format) = (sql, column, StoredFormat(of: column.stored))
  }

  init<Value>(_ expression: SQLExpression<Value>) {
    (sql, column, format) = (expression.sql, expression.column, expression.coding.format)
  }

  static func all<Columns, each Value>(
    _ columns: Columns, _ expressions: (Columns) -> (repeat SQLExpression<each Value>)
  ) -> [KeyExpression] {
    var keys: [KeyExpression] = []
    repeat keys.append(KeyExpression(each expressions(columns)))
    return keys
  }
}

struct ParentKey: Hashable, Sendable {
  let column: ColumnReference
  let isNumber: Bool

  var sql: SQL { isNumber ? column.sql.asNumber : column.sql }
}

extension ColumnSchema {
  /// True if the column's affinity converts texts to numbers.
  ///
  /// See [Determination Of Column
  /// Affinity](https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
  fileprivate var isNumeric: Bool { type == .integer || type == .real }
}

extension SQL {
  fileprivate var asNumber: SQL {
    let number = SQL(raw: "CAST(").appending(self, SQL(raw: " AS NUMERIC)"))
    return SQL.call(
      "iif", [appending(SQL(raw: " = "), number), number, self])
  }
}

extension DatabaseValue {
  /// Returns a single representative for all values that the collation considers equal.
  ///
  /// See [Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
  fileprivate func compared(by collation: Collation) -> DatabaseValue {
    switch self {
    // A double of a whole number equals the integer.
    case .real(let number): Int64(exactly: number).map { .integer($0) } ?? self
    case .text(let text) where collation == .nocase:
      // NOCASE compares up to a NUL, and then by length alone.
      if let end = text.utf8.firstIndex(of: 0) {
        .text(
          String(decoding: text.utf8[..<end], as: UTF8.self).folded.string
            + String(repeating: "\0", count: text.utf8.distance(from: end, to: text.utf8.endIndex)))
      } else {
        .text(text.folded.string)
      }
    case .text(let text) where collation == .rtrim:
      .text(
        String(
          decoding: text.utf8.dropLast(text.utf8.reversed().prefix { $0 == 0x20 }.count),
          as: UTF8.self))
    default: self
    }
  }
}
