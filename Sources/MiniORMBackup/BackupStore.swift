/// A place for the immutable objects of continuous backups, such as a folder or a bucket.
///
/// Names contain only lowercase letters, digits, `-` and `/`. The backup trusts no store: a restore
/// checks each object. So an implementation can report any failure by throwing; the backup retries.
public protocol BackupStore: Sendable {
  /// Stores an object. The object is complete and durable when this returns. Replaces an object of
  /// the same name.
  func put(_ name: String, _ bytes: [UInt8]) async throws
  /// Stores an object, unless there is an object of the same name. Of several callers at once, only one
  /// may receive true. The default implementation calls ``get(_:)`` and ``put(_:_:)``, and cannot
  /// exclude that two callers at the same moment receive true.
  /// - Returns: False if there is such an object.
  func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool
  /// Returns nil if there is no such object.
  func get(_ name: String) async throws -> [UInt8]?
  /// Returns the names that start with `prefix`, in byte order.
  func list(_ prefix: String) async throws -> [String]
  /// Deletes an object; does nothing if there is no such object.
  func delete(_ name: String) async throws
}

extension BackupStore {
  /// Stores an object, unless there is an object of the same name.
  /// - Returns: False if there is such an object.
  public func create(_ name: String, _ bytes: [UInt8]) async throws -> Bool {
    guard try await get(name) == nil else { return false }
    try await put(name, bytes)
    return true
  }
}
