// Arguments of `@Column` under their names in other libraries.

/// The parameter of the closure in `.check { $0.age > 3 }`, which the compiler rejects.
@_documentation(visibility: internal)
@dynamicMemberLookup
public struct CheckedColumns {
  /// A column of any type.
  public subscript<Value: ColumnValue>(dynamicMember name: String) -> SQLExpression<Value> {
    SQLExpression(column: name, of: "")
  }
}

extension Collation {
  /// Unavailable.
  @available(*, unavailable, renamed: "nocase")
  public static var noCase: Collation { .nocase }
  /// Unavailable.
  @available(*, unavailable, renamed: "nocase")
  public static var caseInsensitive: Collation { .nocase }
}

extension ForeignKeyAction {
  /// Unavailable.
  @available(*, unavailable, renamed: "setNull")
  public static var nullify: ForeignKeyAction { .setNull }
  /// Unavailable: this action is the default.
  @available(*, unavailable, message: "this is the default: leave out the argument")
  public static var noAction: ForeignKeyAction { .restrict }
  /// Unavailable.
  @available(*, unavailable, renamed: "restrict")
  public static var deny: ForeignKeyAction { .restrict }
}

extension ColumnStorage {
  /// Unavailable: the name is `unixSeconds` or `unixMilliseconds`.
  @available(*, unavailable, message: "write .unixSeconds or .unixMilliseconds")
  public static var timestamp: ColumnStorage { .unixSeconds }
  /// Unavailable: a decimal has a scale.
  @available(
    *, unavailable, message: "write the number of digits after the point: .decimal(scale: 2)"
  )
  public static var decimal: ColumnStorage { .decimal(scale: 2) }
  /// Unavailable.
  @available(*, unavailable, renamed: "uuidBytes")
  public static var uuid: ColumnStorage { .uuidBytes }
}
