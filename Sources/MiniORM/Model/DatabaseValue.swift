/// A value of any storage class, for rows whose columns no model describes.
///
/// See [Storage Classes and Datatypes](https://www.sqlite.org/datatype3.html).
public enum DatabaseValue: Hashable, Sendable {
  /// No value.
  case null
  /// A signed integer.
  case integer(Int64)
  /// A double.
  case real(Double)
  /// Text.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension DatabaseValue {
  /// What a column value is stored as.
  ///
  /// - Parameter value: The value.
  /// - Throws: ``DatabaseError`` with the operation `bind` when it cannot be stored.
  public init(_ value: some ColumnValue) throws(DatabaseError) {
    var stored = DatabaseValue.null
    let failure = withUnsafeMutablePointer(to: &stored) { pointer -> DatabaseError? in
      do throws(DatabaseError) {
        try value.bind(to: Parameter(capturing: pointer))
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    self = stored
  }
}

extension DatabaseValue: ColumnValue {
  /// ANY.
  public static var columnType: ColumnType { .any }

  /// `true`: one of the values is NULL.
  public static var isNullable: Bool { true }

  /// Reads a value of every storage class as it is.
  public init(cell: borrowing Cell) throws(DatabaseError) {
    self =
      switch cell.storageClass {
      case .null: .null
      case .integer: .integer(try cell.integer())
      case .real: .real(try cell.real())
      case .text: .text(try cell.text())
      case .blob: .blob(try cell.withBlob { [UInt8]($0) })
      }
  }

  /// Binds the value.
  /// - Throws: ``DatabaseError`` with the operation `bind` for NaN and −0.0.
  public func bind(to parameter: borrowing Parameter) throws(DatabaseError) {
    switch self {
    case .null: try parameter.bindNull()
    case .integer(let value): try parameter.bind(value)
    case .real(let value): try parameter.bind(value)
    case .text(let value): try parameter.bind(value)
    case .blob(let value): try value.bind(to: parameter)
    }
  }
}
