/// Passes an object through C as the context pointer of callbacks.
///
/// SQLite stores the pointer and hands it to each callback. `borrowed` needs an owner in Swift that
/// outlives the registration. `retained` makes SQLite the owner, whose destructor callback calls
/// `release`.
enum CallbackContext<Object: AnyObject> {
  static func borrowed(_ object: Object) -> UnsafeMutableRawPointer {
    Unmanaged.passUnretained(object).toOpaque()
  }

  static func retained(_ object: Object) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(object).toOpaque()
  }

  static func object(_ context: UnsafeMutableRawPointer) -> Object {
    Unmanaged<Object>.fromOpaque(context).takeUnretainedValue()
  }

  /// Ends SQLite's ownership.
  @discardableResult
  static func release(_ context: UnsafeMutableRawPointer) -> Object {
    Unmanaged<Object>.fromOpaque(context).takeRetainedValue()
  }
}
