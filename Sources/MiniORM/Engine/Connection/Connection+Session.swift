import CSQLCipher

extension Connection {
  /// Resets changes by SQL, because the next caller uses the same connection.
  func resetSession() {
    guard let authorizer = state.opened?.cache.authorizer, !authorizer.session.isEmpty else {
      return
    }
    let isReset = state.interruption.shielding { authorizer.resetSession() }
    // A file reopens at the next use. An in-memory database would be lost, so the next call
    // retries.
    if !isReset { reopenLater() }
  }
}
