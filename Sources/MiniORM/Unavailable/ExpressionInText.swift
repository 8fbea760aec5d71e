// Without this overload, `$0.name == "\($0.age)"` would compare with the description of a Swift
// value. The compiler would not choose an unavailable overload, because the standard library's
// overload also matches. So the advice is the name of an actor, as for operands of different types.

/// The actor of the interpolation, which must not be called.
@_documentation(visibility: internal)
@globalActor
public actor `no SQL expression in a String: join with appending(_:), convert with cast(to:)` {
  /// The shared instance.
  public static let shared =
    `no SQL expression in a String: join with appending(_:), convert with cast(to:)`()
}

extension DefaultStringInterpolation {
  /// Unavailable: the text would contain the description of a Swift value instead of the SQL.
  @_documentation(visibility: internal)
  @`no SQL expression in a String: join with appending(_:), convert with cast(to:)`
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {}
}
