extension TableSchema {
  /// Returns the insertion of rows of a type. NULL in a model is NULL; what a draft leaves out is
  /// the database's to give.
  @inlinable
  func insertion<Row: Insertable>(of row: Row.Type) -> Insertion {
    insertion(omitsRowID: Row.omitsRowID, isModel: Row.self == Row.Stored.self)
  }
}
