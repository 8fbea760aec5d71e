/// Decides which piece of work goes on: tests put one in the place of the system, to have things happen in
/// orders that are rare otherwise.
protocol WorkScheduler: AnyObject, Sendable {
  /// Runs a piece of work when it is its turn, on a thread that may wait.
  func run(_ work: @escaping @Sendable () -> Void)

  /// A moment at which other work may go on first. The caller holds no lock.
  func step()

  /// A connection has been opened: SQLite can tell of further such moments.
  func opened(_ database: OpaquePointer)
}
