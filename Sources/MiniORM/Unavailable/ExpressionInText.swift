// Without this overload, `$0.name == "\($0.age)"` would compare with the description of a Swift
// value. The compiler would prefer the standard library's overload to an unavailable overload. The
// advice is therefore the name of an actor, as in MistakenArithmetic.swift.

/// An actor whose name the compiler shows in an error at the interpolation.
@_documentation(visibility: internal)
@globalActor
public actor `no SQL expression in a String: join with appending(_:), convert with cast(to:)` {
  /// The shared instance.
  public static let shared =
    `no SQL expression in a String: join with appending(_:), convert with cast(to:)`()
}

extension DefaultStringInterpolation {
  /// Unavailable: the text would contain the description of a Swift value instead of SQL.
  @_documentation(visibility: internal)
  @`no SQL expression in a String: join with appending(_:), convert with cast(to:)`
  public mutating func appendInterpolation<Value>(_ expression: SQLExpression<Value>) {}
}
