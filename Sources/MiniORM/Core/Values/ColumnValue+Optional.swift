extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// The column type of the wrapped type.
  @_documentation(visibility: internal)
  @inlinable
  public static var columnType: ColumnType { Wrapped.columnType }

  /// `true`, because `nil` is NULL.
  @_documentation(visibility: internal)
  @inlinable
  public static var isNullable: Bool { true }

  /// The storage formats of the wrapped type.
  @_documentation(visibility: internal)
  public typealias _StoredFormats = Wrapped._StoredFormats

  /// Reads NULL as `nil`, and any other value as the wrapped type. For ``JSON``, the text `null` is
  /// `nil` too.
  @_documentation(visibility: internal)
  @inlinable
  public init(cell: borrowing Cell) throws(DatabaseError) {
    if cell.isNull {
      self = nil
      return
    }
    do throws(DatabaseError) {
      self = try Wrapped(cell: cell)
    } catch {
      guard isJSONNull(cell, Wrapped.self) else { throw error }
      self = nil
    }
  }

  /// Binds the wrapped value, or NULL for `nil`.
  @_documentation(visibility: internal)
  @inlinable
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    if let value = self { try value.bind(to: parameter) } else { try parameter.bindNull() }
  }
}

@usableFromInline
func isJSONNull<Stored: ColumnValue>(_ cell: borrowing Cell, _ type: Stored.Type) -> Bool {
  guard type is any JSONStored.Type, let text = try? cell.text() else { return false }
  return text.utf8.elementsEqual("null".utf8)
}
