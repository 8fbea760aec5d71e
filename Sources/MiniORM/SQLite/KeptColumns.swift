/// What a file's table has to be like so that a row is read from it as it was bound: then an insertion knows what it has
/// stored without reading it.
///
/// A column converts what it is given by its affinity, in other tables than those of STRICT too, and a constraint may store
/// something else (`NOT NULL ON CONFLICT REPLACE`) or nothing. UTF-16 has no room for some characters that SQLite replaces.
///
/// See [Type Affinity](https://www.sqlite.org/datatype3.html#type_affinity).
final class KeptColumns: Sendable {
  /// The columns by their names, with their declared types.
  private let types: [ExactText: ExactText]
  /// The column that has to be another name of the rowid, if any: the database may assign its value.
  private let rowID: ExactText?

  /// What distinguishes it from those of other models, which costs no reference.
  var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// - Parameters:
  ///   - columns: The names and the declared types.
  ///   - rowID: The name of the column that is another name of the rowid.
  init(_ columns: [(name: String, type: String)], rowID: String?) {
    types = Dictionary(
      columns.map { ($0.name.folded, $0.type.folded) }, uniquingKeysWith: { first, _ in first })
    self.rowID = rowID?.folded
  }

  /// Returns whether a table is like that.
  /// - Returns: Nil where it could not be read.
  func areIn(_ table: SchemaTable, _ schema: SchemaReader) -> Bool? {
    guard let declared = schema.declaration(of: table) else { return nil }
    guard declared.isUTF8,
      !SQLToken.all(in: declared.sql).contains(where: { $0.isKeyword("conflict") })
    else { return false }
    let columns = declared.columns.filter { types[$0.name.folded] != nil }
    // A draft is inserted without its key, which the table may not have.
    return columns.count == types.count
      && columns.allSatisfy { column in
        let name = column.name.folded
        return column.type.folded == types[name] && (name != rowID || column.isRowID)
      }
  }
}
