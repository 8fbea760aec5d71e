/// Replaces the system's scheduling in tests, to provoke rare orders of events.
protocol WorkScheduler: AnyObject, Sendable {
  func run(_ work: @escaping @Sendable () -> Void)

  /// Lets other work run first. The caller holds no lock.
  func step()

  /// Called after an opening, so that the scheduler can add steps to SQLite's callbacks.
  func opened(_ database: OpaquePointer)
}
