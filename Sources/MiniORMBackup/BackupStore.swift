/// A place for the immutable objects of continuous backups, such as a folder or a bucket.
///
/// Names contain only lowercase letters, digits, `-` and `/`. The backup needs no conditional
/// operations and trusts no store: a restore checks each object. So an implementation can report
/// any failure by throwing; the backup retries.
public protocol BackupStore: Sendable {
  /// Stores an object. The object is complete and durable when this returns. Replaces an object of
  /// the same name.
  func put(_ name: String, _ bytes: [UInt8]) async throws
  /// Returns nil if there is no such object.
  func get(_ name: String) async throws -> [UInt8]?
  /// Returns the names that start with `prefix`, in byte order.
  func list(_ prefix: String) async throws -> [String]
  /// Deletes an object; does nothing if there is no such object.
  func delete(_ name: String) async throws
}
