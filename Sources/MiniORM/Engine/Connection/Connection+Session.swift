import CSQLCipher

extension Connection {
  /// Drops temporary objects for the next closure, which uses the same connection.
  func resetSession() {
    guard let authorizer = state.opened?.cache.authorizer, authorizer.hasChangedSession else {
      return
    }
    let isReset = state.interruption.shielding {
      authorizer.resetSession(foreignKeys: configuration.foreignKeysEnabled)
    }
    // A file reopens at the next use. Reopening would lose an in-memory database: the next call
    // retries the reset.
    if !isReset { reopenLater() }
  }
}
