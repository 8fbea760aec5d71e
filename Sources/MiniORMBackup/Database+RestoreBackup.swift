public import MiniORM

extension Database {
  /// Restores a state of a ``ContinuousBackup`` as a new file.
  ///
  /// ```swift
  /// let position = try await Database.restore(from: store, to: "app.db", keys: [key])
  /// ```
  /// Each object of the store is checked: its authentication code, its place in the chain, and the
  /// identity of the database. Then the authentication code of each page and the structure of the
  /// file are checked, as by ``MiniORM/Database/verify(path:key:configuration:)``. Only then the file
  /// gets its name. A killed restore leaves a file with `.miniorm-restore` in its name, which the
  /// next restore to the path deletes.
  ///
  /// A store can hide its newest objects. To detect that, pass a position that the database had
  /// reached, for example from ``BackupStatus/position``.
  /// - Parameters:
  ///   - store: The store of the backup.
  ///   - moment: The state to restore. The newest by default.
  ///   - path: The path of the new file. No file may exist there.
  ///   - keys: The keys that the database had, the newest first. A state from before a change of the key
  ///     needs the key of that time. A former key is not accepted for later states, because its holder
  ///     could have forged them.
  ///   - position: A position that the restored state must have reached.
  ///   - configuration: The cipher settings, and the functions and collations that the tables use.
  ///   - progress: Receives the restored fraction, from 0 to 1.
  /// - Returns: The position of the restored state.
  /// - Throws: ``DatabaseError`` with the operation `copy`: the code is `corrupt` if objects are
  ///   missing or changed, and the message names them and the newest state whose objects are all
  ///   listed; the operation is `key` if no key fits. `CancellationError`. After an error, no file is
  ///   at `path`.
  /// - Complexity: O(*n* log *n*) in the size of the file, and O(*n*) in the size of the frames since
  ///   the last copy of the whole file.
  @discardableResult
  public static func restore(
    from store: any BackupStore, at moment: BackupMoment = .latest, to path: String, keys: [Key],
    notBefore position: BackupPosition? = nil, configuration: Configuration = Configuration(),
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws -> BackupPosition {
    try await withTaskExecutorPreference(workers) {
      let store = TimedStore(store)
      let restore = BackupRestore(store, BackupCatalog(store), keys, configuration)
      return try await restore.run(moment, to: path, notBefore: position, progress).position
    }
  }
}
