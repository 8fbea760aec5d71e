import Synchronization

extension Database {
  /// Lets the connections that read have the temporary objects that the writing one has now, at their
  /// next use: a change may have renamed what they name. They can be looked up only where they are, so
  /// this follows every change once there are any.
  func keepTemporaryObjects(of writer: isolated Connection) {
    guard hasTemporaryObjects.load(ordering: .relaxed), !pool.isSingle,
      let objects = try? writer.refreshTemporaryObjects()
    else { return }
    pool.set(objects)
  }
}
