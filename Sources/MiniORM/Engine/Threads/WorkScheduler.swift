/// Replaces the system's scheduling in tests, to provoke rare orders of events.
protocol WorkScheduler: AnyObject, Sendable {
  func run(_ work: @escaping @Sendable () -> Void)

  /// Lets other work run first. The caller holds no lock.
  func step()

  /// Called after an opening. The scheduler can add steps to the connection's callbacks.
  func opened(_ database: OpaquePointer)
}
