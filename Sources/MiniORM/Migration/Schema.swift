/// The models of an application, and the version of their tables.
///
/// ```swift
/// let schema = Schema(version: 1, Company.self, City.self)
/// try await database.migrate(schema)
/// ```
public struct Schema: Sendable {
  /// The version, which `migrate` writes into the file.
  ///
  /// See [PRAGMA user_version](https://www.sqlite.org/pragma.html#pragma_user_version).
  public let version: Int32

  let models: [any Model.Type]

  /// Lists models.
  /// - Parameters:
  ///   - version: The version of the tables, from 1.
  ///   - models: The models, in any order.
  public init(version: Int32 = 1, _ models: any Model.Type...) {
    self.version = version
    self.models = models
  }
}
