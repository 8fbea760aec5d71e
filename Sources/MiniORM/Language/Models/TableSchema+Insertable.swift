extension TableSchema {
  /// Returns the insertion for a row type. NULL in a draft becomes the database's default, if any.
  /// NULL in a model stays NULL.
  @inlinable
  func insertion<Row: Insertable>(of row: Row.Type) -> Insertion {
    insertion(omitsRowID: Row.omitsRowID, isModel: Row.self == Row.Stored.self)
  }
}
