// Without this overload, `$0.name == "\($0.age)"` would compare with the description of a Swift value.
// An unavailable overload would not be chosen, because the standard library's matches too. So the
// advice is the name of an actor, as for the operators of two types.

/// The actor of the interpolation that must not be called.
@_documentation(visibility: internal)
@globalActor
public actor `no SQL expression in a String: join with appending(_:), convert with cast(to:)` {
  /// The only one.
  public static let shared =
    `no SQL expression in a String: join with appending(_:), convert with cast(to:)`()
}

extension DefaultStringInterpolation {
  /// Unavailable: a `String` would contain the description of the Swift value, and not the SQL.
  @_documentation(visibility: internal)
  @`no SQL expression in a String: join with appending(_:), convert with cast(to:)`
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {}
}
