import CSQLCipher

extension Connection {
  /// Resets connection-local changes made by SQL in a closure, before the next caller uses the
  /// connection.
  func resetSession() {
    guard let authorizer = state.opened?.cache.authorizer, !authorizer.session.isEmpty else {
      return
    }
    let isReset = state.interruption.shielding { authorizer.resetSession() }
    // A file is reopened at the next use. An in-memory database would be lost, so the next call
    // retries.
    if !isReset { reopenLater() }
  }
}
