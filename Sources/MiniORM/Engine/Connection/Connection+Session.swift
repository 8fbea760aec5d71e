import CSQLCipher

extension Connection {
  /// Resets the PRAGMA settings for the next closure, which uses the same connection.
  func resetSession() {
    guard let authorizer = state.opened?.cache.authorizer, !authorizer.session.isEmpty else {
      return
    }
    let isReset = state.interruption.shielding { authorizer.resetSession() }
    // A file reopens at the next use. Reopening would lose an in-memory database: the next call
    // retries the reset.
    if !isReset { reopenLater() }
  }
}
