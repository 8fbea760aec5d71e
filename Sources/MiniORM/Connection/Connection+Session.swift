import CSQLCipher

extension Connection {
  /// Undoes what SQL has changed on this connection alone, after a closure: other callers use it next.
  func resetSession() {
    guard let authorizer = state.opened?.cache.authorizer, !authorizer.session.isEmpty else {
      return
    }
    let isReset = state.interruption.shielding { authorizer.resetSession() }
    // A file's next use opens it again. A database in memory would be gone: the next call retries.
    if !isReset { reopenLater() }
  }
}
