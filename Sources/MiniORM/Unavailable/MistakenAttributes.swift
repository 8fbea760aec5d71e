// Arguments of `@Column` under their names in other libraries.

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
